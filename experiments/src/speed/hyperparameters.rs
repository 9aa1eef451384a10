//! Hyperparameters as all tools are given them.

/// Natural values of the shared model's hyperparameters.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Hyperparameters {
    pub variance: f64,
    pub lengthscales: Vec<f64>,
    pub noise: f64,
}

/// Bounds in which the hyperparameters are learnt.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Bounds {
    pub variance: [f64; 2],
    pub lengthscale: [f64; 2],
    pub noise: [f64; 2],
}
