//! The contract of surrogates and posteriors, on ensembles with sources of weight.

use thrifty_domain::{Domain, Points};
use thrifty_gp::GpSurrogate;
use thrifty_sampling::{Seed, Stream};
use thrifty_surrogate::{
    Description, EarlierFit, FittedSurrogate, LookaheadCotangent, Observations, Surrogate, SurrogateError,
    contract, lookahead,
};
use thrifty_transfer::{Ensemble, Task, TransferSurrogate};

/// The transfer surrogate of the domain's dimension: tasks belong to one domain, and the suite has two.
struct PerDimension(Vec<(usize, TransferSurrogate)>);

fn tasks(dim: usize) -> Vec<Task> {
    let task = |name: &str, seed: u64, f: &dyn Fn(&[f64]) -> f64| {
        let mut rng = Seed(seed).stream("task", dim as u64);
        let x = Points::from_flat((0..14 * dim).map(|_| rng.uniform()).collect(), dim);
        let y = x.rows().map(f).collect();
        Task::new(name, x, y)
    };
    let grows = |x: &[f64]| x.iter().map(|v| v.exp() + 0.2 * (6.0 * v).sin()).sum::<f64>();
    vec![
        task("grows", 1, &grows),
        task("squares", 2, &|x| x.iter().map(|v| v * v).sum::<f64>()),
        task("falls", 3, &|x| -x.iter().sum::<f64>()),
    ]
}

fn surrogate(dim: usize) -> TransferSurrogate {
    TransferSurrogate::new(GpSurrogate::default(), &Domain::unit_cube(dim), tasks(dim)).unwrap()
}

impl PerDimension {
    fn of(&self, domain: &Domain) -> &TransferSurrogate {
        &self.0.iter().find(|(dim, _)| *dim == domain.dim()).unwrap().1
    }
}

impl Surrogate for PerDimension {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.of(domain).fit(domain, data, warm_start, rng)
    }

    fn update(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        earlier: EarlierFit<'_>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.of(domain).update(domain, data, earlier, rng)
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        self.0[0].1.describe()
    }
}

#[test]
fn the_ensemble_is_a_surrogate() {
    contract::surrogate(&PerDimension(vec![(1, surrogate(1)), (3, surrogate(3))]));
}

/// An ensemble in which the base surrogate and two sources have weight.
fn ensemble(dim: usize) -> Ensemble {
    let mut rng = Seed(7).stream("data", 0);
    let x = Points::from_flat((0..9 * dim).map(|_| rng.uniform()).collect(), dim);
    let y: Vec<f64> = x.rows().map(|x| 50.0 * x.iter().map(|v| v.exp()).sum::<f64>() + 5.0 * x[0]).collect();
    let data = Observations::new(x.as_ref(), &y);
    let domain = Domain::unit_cube(dim);
    let found = surrogate(dim).fit_ensemble(&domain, data, None, &mut Seed(1).stream("fit", 0)).unwrap();
    assert!(found.members().len() >= 2, "{} {:?}", found.weight_alone(), found.source_weights());
    found
}

fn somewhere(dim: usize) -> Points {
    let mut rng = Seed(8).stream("somewhere", 0);
    Points::from_flat((0..4 * dim).map(|_| rng.uniform()).collect(), dim)
}

#[test]
fn batches_gradients_and_covariances_are_consistent() {
    for dim in [1, 2, 3] {
        let (ensemble, x) = (ensemble(dim), somewhere(dim));
        let posterior = ensemble.posterior();
        contract::batch_is_pointwise(posterior, x.as_ref(), 1e-9);
        contract::gradients_match(posterior, x.as_ref(), 1e-5, 1e-4);
        contract::covariance_is_consistent(posterior, &x, 1e-7);
        let of_covariance: Vec<f64> = (0..16).map(|i| f64::from((7 * i) % 5) - 1.5).collect();
        contract::joint_gradient_matches(posterior, &x, (&[0.3, -1.0, 2.0, 0.1], &of_covariance), 1e-5, 1e-4);
    }
}

/// Each model with a source has all capabilities of the residuals' model: gradients, covariances, a look ahead and paths.
#[test]
fn models_with_a_trend_obey_the_contract() {
    let (ensemble, x) = (ensemble(2), somewhere(2));
    for member in ensemble.members() {
        let posterior = member.fitted.posterior();
        contract::batch_is_pointwise(posterior, x.as_ref(), 1e-9);
        contract::gradients_match(posterior, x.as_ref(), 1e-5, 1e-4);
        contract::covariance_is_consistent(posterior, &x, 1e-7);
        let joint = posterior.joint().unwrap();
        let ahead = lookahead(joint, x.as_ref(), 0.1);
        let weights =
            LookaheadCotangent { mean: 0.4, variance: -0.3, covariance: &[0.5, 0.0, -2.0, 0.7, 1.0] };
        contract::lookahead_gradient_matches(&*ahead, &[0.3, 0.8], weights, 1e-5, 1e-4);
        let paths = posterior.paths().unwrap().sample_paths(3, &mut Seed(2).stream("paths", 0)).unwrap();
        for path in paths {
            contract::path_is_consistent(&*path, x.as_ref(), 1e-6, 1e-4);
        }
    }
}

/// The mean of many paths is the mean of the ensemble.
#[test]
fn paths_are_drawn_from_the_ensemble() {
    let (ensemble, x) = (ensemble(2), somewhere(2));
    let posterior = ensemble.posterior();
    let count = 4000;
    let paths = posterior.paths().unwrap().sample_paths(count, &mut Seed(2).stream("paths", 0)).unwrap();
    let (mut sums, mut values) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    for path in &paths {
        path.values_into(x.as_ref(), &mut values);
        sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value / count as f64);
    }
    for (point, mean) in x.rows().zip(sums) {
        let expected = posterior.predict(point);
        let error = expected.std_dev() / (count as f64).sqrt();
        assert!((mean - expected.mean).abs() < 5.0 * error + 1e-3, "{mean} against {expected:?}");
    }
}
