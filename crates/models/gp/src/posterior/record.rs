//! Serialized form of a posterior, without its factor.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thrifty_kernel::Kernel;
use thrifty_linalg::JitterLadder;
use thrifty_params::Param;

use super::GpPosterior;
use crate::data::{self, ScaledData};
use crate::fit::{Learnt, Restart};

/// Serialized form of a posterior, for writing.
#[derive(Serialize)]
#[serde(rename = "GpPosterior")]
struct Written<'a, K> {
    kernel: &'a K,
    data: &'a ScaledData,
    noise: f64,
    mean: f64,
    params: &'a [Param],
    restarts: &'a [Restart],
    ladder: &'a JitterLadder,
}

/// Serialized form of a posterior, for reading.
#[derive(Deserialize)]
#[serde(rename = "GpPosterior", deny_unknown_fields)]
struct Read<K> {
    kernel: K,
    data: ScaledData,
    noise: f64,
    mean: f64,
    params: Vec<Param>,
    restarts: Vec<Restart>,
    ladder: JitterLadder,
}

impl<K: Serialize> Serialize for GpPosterior<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written {
            kernel: &self.kernel,
            data: &self.data,
            noise: self.noise,
            mean: self.mean,
            params: &self.params,
            restarts: &self.restarts,
            ladder: &self.ladder,
        }
        .serialize(serializer)
    }
}

impl<'de, K: Kernel + Deserialize<'de>> Deserialize<'de> for GpPosterior<K> {
    /// Computes the factor again. Data that a fit would reject is rejected with the same error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Read { kernel, data, noise, mean, params, restarts, ladder } =
            Read::<K>::deserialize(deserializer)?;
        let dim = data.x.dim();
        data::check(kernel.expected_dim(dim), data.x.as_ref(), &data.y, &data.noise)
            .map_err(D::Error::custom)?;
        if data
            .inputs
            .as_ref()
            .is_some_and(|scaling| scaling.offset.len() != dim || scaling.width.len() != dim)
        {
            return Err(D::Error::custom(format!(
                "input scaling of another dimension than the points' {dim}"
            )));
        }
        let widths = data.inputs.iter().flat_map(|scaling| &scaling.width).chain([&data.targets.width]);
        if let Some(width) = widths.into_iter().find(|width| !(**width > 0.0 && width.is_finite())) {
            return Err(D::Error::custom(format!("scaling by {width}, expected a positive finite width")));
        }
        if data.y.is_empty() {
            return Err(D::Error::custom("no observations, expected at least 1"));
        }
        if !(noise >= 0.0 && noise.is_finite() && mean.is_finite()) {
            return Err(D::Error::custom(format!("noise {noise} and mean {mean}, expected finite numbers")));
        }
        let learnt = Learnt { kernel, noise, mean, params };
        Self::new(learnt, data, &ladder, restarts).map_err(D::Error::custom)
    }
}
