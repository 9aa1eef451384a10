//! Functions of many parameters, and other libraries on them. On a cube few of them are active, or they are a path among obstacles.

use thrifty_sampling::{Seed, Sobol};
use thrifty_space::{Config, Space, SpaceError};
use thrifty_testbed::{Problem, TestFunction};

use super::functions::ackley;
use crate::error::ExperimentError;
use crate::peers::{Ended, Interpreters};

/// A function of many parameters.
pub struct Wide {
    name: String,
    space: Space,
    function: Function,
    /// Least value, or a bound that is below it.
    optimum: f64,
}

/// Function of configurations.
pub type Function = Box<dyn Fn(&Config) -> Result<f64, SpaceError> + Send + Sync>;

impl Wide {
    /// A function with its least value, or a bound that is below it.
    pub fn new(name: String, space: Space, function: Function, optimum: f64) -> Self {
        Self { name, space, function, optimum }
    }

    /// A function on a unit cube.
    fn on_cube(
        name: String,
        dim: usize,
        optimum: f64,
        function: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
    ) -> Result<Self, ExperimentError> {
        let names: Vec<String> = (0..dim).map(|i| format!("x{i}")).collect();
        let space = names.iter().fold(Space::builder(), |space, name| space.float(name, 0.0, 1.0)).build()?;
        let of_config = move |config: &Config| {
            let x = names.iter().map(|name| config.float(name)).collect::<Result<Vec<f64>, _>>()?;
            Ok(function(&x))
        };
        Ok(Self::new(name, space, Box::new(of_config), optimum))
    }

    /// A function whose parameters are spread evenly among `dim`; the others have no effect.
    pub fn embedded(inner: TestFunction, dim: usize) -> Result<Self, ExperimentError> {
        let bounds = inner.bounds().to_vec();
        let name = format!("{} in {dim}", inner.name());
        let optimum = inner.optimum();
        let stride = dim / bounds.len();
        Self::on_cube(name, dim, optimum, move |u| {
            let active = bounds.iter().enumerate();
            let x: Vec<f64> =
                active.map(|(i, (low, high))| low + (high - low) * u[i * stride + stride / 2]).collect();
            inner.value(&x)
        })
    }

    /// Ackley's function of the first parameters on [-5, 10], its least value 0 at a third of the range.
    pub fn ackley(active: usize, dim: usize) -> Result<Self, ExperimentError> {
        Self::on_cube(format!("Ackley, {active} of {dim}"), dim, 0.0, move |u| {
            let x: Vec<f64> = u[..active].iter().map(|u| 15.0 * u - 5.0).collect();
            ackley(&x)
        })
    }

    /// The Sobol design of methods with a model, a coordinate for each parameter: a tenth of the evaluations, at least four.
    pub fn design(&self, evaluations: usize, seed: Seed) -> Vec<Config> {
        let mut sobol = Sobol::scrambled(self.space.parameters().len(), &mut seed.stream("design", 0));
        sobol.take(Self::designed(evaluations)).rows().map(|u| self.space.at_quantiles(u)).collect()
    }

    /// Number of evaluations of a design.
    pub fn designed(evaluations: usize) -> usize {
        (evaluations / 10).max(4)
    }

    /// A study by a method of another library after [`Wide::design`]: the regret of the best that was evaluated.
    pub fn beside(
        &self,
        from: &Interpreters,
        method: &'static str,
        seed: Seed,
        evaluations: usize,
    ) -> Result<Ended<f64>, ExperimentError> {
        from.best_found(method, self, (seed, &self.design(evaluations, seed)), evaluations)
    }

    /// A path of `points` points in the unit square, two parameters each, from one corner to the opposite one among obstacles.
    ///
    /// ```text
    /// loss = ∫ (0.05 + 20 · inside an obstacle) ds + 10 (‖first - start‖₁ + ‖last - goal‖₁)
    /// ```
    ///
    /// The bound of the loss is that of the straight line without obstacles. Built from the description in Wang, Gehring, Kohli & Jegelka
    /// (2018), section 6.3; departures: straight pieces instead of splines, obstacles of our own.
    pub fn rover(points: usize) -> Result<Self, ExperimentError> {
        let (start, goal) = ([0.05, 0.05], [0.95, 0.95]);
        let bound = 0.05 * 0.9 * 2_f64.sqrt();
        Self::on_cube(format!("path, {}", 2 * points), 2 * points, bound, move |u| {
            let path: Vec<[f64; 2]> = u.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
            let along: f64 = path.windows(2).map(|pair| cost_between(pair[0], pair[1])).sum();
            let ends = [(path.first(), start), (path.last(), goal)];
            let missed = |(end, wanted): (Option<&[f64; 2]>, [f64; 2])| {
                end.map_or(0.0, |end| (end[0] - wanted[0]).abs() + (end[1] - wanted[1]).abs())
            };
            along + 10.0 * ends.into_iter().map(missed).sum::<f64>()
        })
    }
}

/// Lower left corners of the obstacles, squares with a side of [`SIDE`].
const OBSTACLES: [[f64; 2]; 9] = [
    [0.20, 0.10],
    [0.10, 0.35],
    [0.38, 0.30],
    [0.62, 0.15],
    [0.30, 0.58],
    [0.55, 0.48],
    [0.78, 0.42],
    [0.55, 0.75],
    [0.80, 0.70],
];
const SIDE: f64 = 0.12;
/// Steps of the quadrature on each piece of a path.
const STEPS: usize = 8;

fn cost_between(a: [f64; 2], b: [f64; 2]) -> f64 {
    let length = (a[0] - b[0]).hypot(a[1] - b[1]);
    let is_inside = |step: usize| {
        let t = (step as f64 + 0.5) / STEPS as f64;
        let at = [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
        OBSTACLES.iter().any(|low| (0..2).all(|k| (low[k]..low[k] + SIDE).contains(&at[k])))
    };
    let inside = (0..STEPS).filter(|step| is_inside(*step)).count() as f64 / STEPS as f64;
    length * (0.05 + 20.0 * inside)
}

impl Problem for Wide {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn optimum(&self) -> f64 {
        self.optimum
    }

    fn truth(&self, config: &Config) -> Result<f64, SpaceError> {
        (self.function)(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(values: &[f64]) -> Config {
        let mut config = Config::new();
        values.iter().enumerate().for_each(|(i, value)| config.insert(format!("x{i}"), *value));
        config
    }

    #[test]
    fn optima_are_where_they_should_be() {
        let branin = Wide::embedded(TestFunction::branin(), 100).unwrap();
        let mut x = [0.3; 100];
        (x[25], x[75]) = ((std::f64::consts::PI + 5.0) / 15.0, 2.275 / 15.0);
        assert!(branin.regret(&config(&x)).unwrap().abs() < 1e-9);
        x[0] = 0.9;
        assert!(branin.regret(&config(&x)).unwrap().abs() < 1e-9, "an idle parameter");
        let ackley = Wide::ackley(3, 5).unwrap();
        let third = 1.0 / 3.0;
        assert!(ackley.regret(&config(&[third, third, third, 0.9, 0.1])).unwrap() < 1e-9);
        assert!(ackley.regret(&config(&[third, third, 0.5, 0.9, 0.1])).unwrap() > 1.0);
    }

    #[test]
    fn paths_pay_for_obstacles_and_missed_ends() {
        let path = Wide::rover(2).unwrap();
        let cost = |x: [f64; 4]| path.truth(&config(&x)).unwrap();
        // Along the diagonal there are obstacles.
        assert!(cost([0.05, 0.05, 0.95, 0.95]) > 2.0 * path.optimum());
        assert!((cost([0.05, 0.05, 0.05, 0.05]) - 18.0).abs() < 1e-9);
        // A free stretch costs its length.
        assert!((cost_between([0.0, 0.0], [1.0, 0.0]) - 0.05).abs() < 1e-12);
        assert!((cost_between([0.21, 0.11], [0.31, 0.11]) - 0.1 * 20.05).abs() < 1e-12);
    }
}
