//! Ensembles on known functions: weights, guards, identity with the base surrogate, permutations, edges.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use thrifty_domain::{Domain, Points};
use thrifty_gp::{GpSurrogate, Sampling};
use thrifty_sampling::{Seed, Sobol, Stream};
use thrifty_surrogate::{
    Description, EarlierFit, FittedSurrogate, Observations, Posterior, Prediction, Surrogate, SurrogateError,
};
use thrifty_transfer::{Ensemble, Task, TransferError, TransferSettings, TransferSurrogate};
use thrifty_trees::ForestSurrogate;

fn points(n: usize, seed: u64) -> Points {
    Sobol::scrambled(2, &mut Seed(seed).stream("points", 0)).take(n)
}

fn wave(x: &[f64]) -> f64 {
    (5.0 * x[0]).sin() + (4.0 * x[1] - 1.0).cos() + x[0] * x[1]
}

/// A function that has nothing to do with the wave.
fn other(x: &[f64]) -> f64 {
    (17.0 * x[0] + 2.0).sin() * (11.0 * x[1]).cos()
}

fn task(name: &str, n: usize, seed: u64, f: impl Fn(&[f64]) -> f64) -> Task {
    let x = points(n, seed);
    let y = x.rows().map(f).collect();
    Task::new(name, x, y)
}

fn transfer(tasks: Vec<Task>) -> TransferSurrogate {
    TransferSurrogate::new(GpSurrogate::default(), &Domain::unit_cube(2), tasks).unwrap()
}

fn fit(surrogate: &TransferSurrogate, n: usize, f: impl Fn(&[f64]) -> f64) -> Ensemble {
    let x = points(n, 99);
    let y: Vec<f64> = x.rows().map(f).collect();
    let data = Observations::new(x.as_ref(), &y);
    surrogate.fit_ensemble(&Domain::unit_cube(2), data, None, &mut Seed(3).stream("fit", 0)).unwrap()
}

fn weight_of(ensemble: &Ensemble, name: &str) -> f64 {
    ensemble.source_weights().iter().find(|weight| weight.name == name).unwrap().weight
}

/// Bits of means and variances at some points.
fn bits(fitted: &dyn FittedSurrogate) -> Vec<(u64, u64)> {
    let at = points(9, 5);
    let predictions = at.rows().map(|x| fitted.posterior().predict(x));
    predictions.map(|p| (p.mean.to_bits(), p.variance.to_bits())).collect()
}

/// The fit of the base surrogate from the random numbers that it gets alone.
fn base_bits(n: usize, f: impl Fn(&[f64]) -> f64) -> Vec<(u64, u64)> {
    let x = points(n, 99);
    let y: Vec<f64> = x.rows().map(f).collect();
    let (domain, mut rng) = (Domain::unit_cube(2), Seed(3).stream("fit", 0));
    bits(&*GpSurrogate::default().fit(&domain, Observations::new(x.as_ref(), &y), None, &mut rng).unwrap())
}

#[test]
fn an_equal_task_on_another_scale_gets_nearly_all_weight() {
    let surrogate = transfer(vec![task("equal", 30, 1, |x| 1e6 - 40.0 + 1e3 * wave(x))]);
    for n in [4, 6, 10] {
        let ensemble = fit(&surrogate, n, |x| 3.0 * wave(x) - 8.0);
        assert!(weight_of(&ensemble, "equal") > 0.6, "{n}: {:?}", ensemble.source_weights());
        let worst = |fitted: &dyn FittedSurrogate| {
            let error = |x: &[f64]| (fitted.posterior().predict(x).mean - 3.0 * wave(x) + 8.0).abs();
            points(40, 6).rows().map(error).fold(0.0, f64::max)
        };
        let alone = fit(&transfer(Vec::new()), n, |x| 3.0 * wave(x) - 8.0);
        assert!(worst(&ensemble) < 0.5 * worst(&alone), "{n}: {} {}", worst(&ensemble), worst(&alone));
    }
}

/// The negated task, and one that is unrelated once there are enough observations, leave the base surrogate as it is, bit for bit.
#[test]
fn misleading_tasks_leave_the_base_surrogate_as_it_is() {
    let negated = transfer(vec![task("negated", 30, 1, |x| -wave(x))]);
    for n in [1, 2, 3, 5, 12, 20] {
        let ensemble = fit(&negated, n, wave);
        assert_eq!((ensemble.weight_alone(), weight_of(&ensemble, "negated")), (1.0, 0.0), "{n}");
        assert_eq!(bits(&ensemble), base_bits(n, wave), "{n}");
        assert!(ensemble.members().is_empty());
    }
    let both = transfer(vec![task("negated", 30, 1, |x| -wave(x)), task("other", 30, 2, other)]);
    let ensemble = fit(&both, 20, wave);
    assert_eq!(ensemble.weight_alone(), 1.0, "{:?}", ensemble.source_weights());
    assert_eq!(bits(&ensemble), base_bits(20, wave));
}

/// An ensemble none of whose sources passes the first guard: it draws no more random numbers than the base surrogate, and does not
/// leave out the one observation of a base that would have to be fitted to nothing.
#[test]
fn an_ensemble_without_candidates_costs_the_base_surrogate_alone() {
    let domain = Domain::unit_cube(2);
    let x = points(1, 99);
    let y: Vec<f64> = x.rows().map(wave).collect();
    let data = Observations::new(x.as_ref(), &y);
    for tasks in [vec![], vec![task("equal", 20, 1, wave)]] {
        let surrogate = TransferSurrogate::new(ForestSurrogate::default(), &domain, tasks).unwrap();
        let (mut own, mut base) = (Seed(3).stream("fit", 0), Seed(3).stream("fit", 0));
        let ensemble = surrogate.fit_ensemble(&domain, data, None, &mut own).unwrap();
        ForestSurrogate::default().fit(&domain, data, None, &mut base).unwrap();
        assert_eq!(ensemble.weight_alone(), 1.0, "weight of the base surrogate");
        assert_eq!(own.bits(), base.bits(), "random numbers that follow");
    }
}

#[test]
fn of_several_tasks_the_related_one_counts() {
    let tasks = vec![
        task("negated", 30, 1, |x| -wave(x)),
        task("related", 30, 2, |x| wave(&[x[0] + 0.04, x[1] - 0.03])),
        task("other", 30, 3, other),
    ];
    let ensemble = fit(&transfer(tasks), 8, wave);
    assert!(weight_of(&ensemble, "related") > 0.5, "{:?}", ensemble.source_weights());
    assert_eq!(weight_of(&ensemble, "negated"), 0.0);
}

/// Without noise every model passes through the observations, and so does their mixture.
#[test]
fn the_ensemble_passes_through_the_observations() {
    let tasks = vec![task("a", 25, 1, |x| wave(x) + 0.3 * x[0]), task("b", 25, 2, |x| wave(x) - 0.3 * x[1])];
    let surrogate =
        TransferSurrogate::new(GpSurrogate::deterministic(), &Domain::unit_cube(2), tasks).unwrap();
    let ensemble = fit(&surrogate, 10, wave);
    assert!(ensemble.members().len() > 1);
    for x in points(10, 99).rows() {
        let found = ensemble.posterior().predict(x);
        assert!((found.mean - wave(x)).abs() < 1e-3 && found.std_dev() < 1e-2, "{found:?}");
    }
}

#[test]
fn first_points_are_where_the_sources_are_good() {
    let bowl = |a: f64, b: f64| move |x: &[f64]| (x[0] - a).powi(2) + (x[1] - b).powi(2);
    let tasks = vec![task("left", 30, 1, bowl(0.1, 0.5)), task("right", 30, 2, bowl(0.9, 0.5))];
    let (candidates, surrogate) = (points(64, 7), transfer(tasks));
    let chosen = surrogate.first_points(candidates.as_ref(), 3);
    assert_eq!(chosen.len(), 3);
    let columns: Vec<f64> = chosen.iter().map(|i| candidates.row(*i)[0]).collect();
    // The first is good for both, then the two ends.
    assert!(columns.iter().any(|x| *x < 0.3) && columns.iter().any(|x| *x > 0.7), "{columns:?}");
    assert!(transfer(Vec::new()).first_points(candidates.as_ref(), 3).is_empty());
}

#[test]
fn tasks_that_teach_nothing_are_refused_by_name() {
    let refused = |tasks: Vec<Task>| {
        let made = TransferSurrogate::new(GpSurrogate::default(), &Domain::unit_cube(2), tasks);
        made.err().unwrap().to_string()
    };
    assert_eq!(
        refused(vec![task("flat", 5, 1, |_| 2.0)]),
        "earlier task \"flat\" has 1 different targets, expected at least 2"
    );
    assert_eq!(
        refused(vec![task("none", 0, 1, wave)]),
        "earlier task \"none\": no observations, expected at least one"
    );
    assert_eq!(
        refused(vec![task("bad", 3, 1, |_| f64::NAN)]),
        "earlier task \"bad\": target 0 is NaN, expected a finite number"
    );
    assert_eq!(
        refused(vec![task("a", 5, 1, wave), task("b", 5, 1, wave)]),
        "earlier task \"b\" has the observations of \"a\""
    );
    let line = Task::new("line", Points::from_flat(vec![0.1, 0.2], 1), vec![1.0, 2.0]);
    assert_eq!(refused(vec![line]), "earlier task \"line\": points of dimension 1, expected 2");
    for settings in [
        TransferSettings { draws: 0, ..TransferSettings::default() },
        TransferSettings { chance: f64::NAN, ..TransferSettings::default() },
        TransferSettings { chance: 1.5, ..TransferSettings::default() },
    ] {
        assert!(matches!(transfer(Vec::new()).with_settings(settings), Err(TransferError::Setting(_))));
    }
    let elsewhere = Points::from_flat(vec![0.1, 0.2], 1);
    let data = Observations::new(elsewhere.as_ref(), &[1.0, 2.0]);
    let surrogate = transfer(vec![task("a", 5, 1, wave)]);
    let error =
        surrogate.fit(&Domain::unit_cube(1), data, None, &mut Seed(1).stream("fit", 0)).err().unwrap();
    assert_eq!(error.to_string(), "transfer: posterior of dimension 1 on a domain of dimension 2");
}

/// Two observations of a source, or of the new task, and constant ones, are no reason to fail.
#[test]
fn few_and_constant_observations() {
    let surrogate = transfer(vec![task("two", 2, 1, wave)]);
    for n in [1, 2, 3, 8] {
        assert!(bits(&fit(&surrogate, n, wave)).iter().all(|(mean, _)| f64::from_bits(*mean).is_finite()));
    }
    let surrogate = transfer(vec![task("a", 20, 1, wave)]);
    let flat = fit(&surrogate, 8, |_| 4.0);
    assert_eq!(flat.weight_alone(), 1.0, "equal targets have no order");
    for scale in [1e-12, 1e12] {
        let ensemble = fit(&surrogate, 8, |x| scale * wave(x));
        assert!(weight_of(&ensemble, "a") > 0.5, "{scale}: {:?}", ensemble.source_weights());
    }
    let impossible = TransferSettings { chance: 0.0, ..TransferSettings::default() };
    assert_eq!(fit(&surrogate.with_settings(impossible).unwrap(), 8, wave).weight_alone(), 1.0);
}

/// The identity of a source is its content: names do not count, one bit of one number does.
#[test]
fn descriptions_identify_the_content() {
    let described = |tasks| transfer(tasks).describe().unwrap();
    let one = described(vec![task("a", 8, 1, wave)]);
    assert_eq!(one, described(vec![task("b", 8, 1, wave)]));
    let mut moved = task("a", 8, 1, wave);
    moved.y[3] = f64::from_bits(moved.y[3].to_bits() + 1);
    assert_ne!(one, described(vec![moved]));
    let mut noisy = task("a", 8, 1, wave);
    noisy.noise_variance = Some(vec![0.0; 8]);
    assert_ne!(one, described(vec![noisy]));
    assert_ne!(one, described(Vec::new()));
}

/// Hyperparameters of every model are kept: an update from them is reproducible, and the base surrogate's part is its own.
#[test]
fn hyperparameters_have_a_part_for_every_model() {
    let tasks = vec![task("a", 20, 1, wave), task("negated", 20, 2, |x| -wave(x))];
    let surrogate = transfer(tasks);
    let ensemble = fit(&surrogate, 10, wave);
    let base = GpSurrogate::default();
    let x = points(12, 99);
    let y: Vec<f64> = x.rows().map(wave).collect();
    let (domain, data) = (Domain::unit_cube(2), Observations::new(x.as_ref(), &y));
    let hyperparameters = ensemble.hyperparameters();
    assert_eq!(hyperparameters.len() % 3, 2, "and a number of observations for each source");
    let part = &hyperparameters[..hyperparameters.len() / 3];
    let update = |surrogate: &dyn Surrogate, hyperparameters: &[f64]| {
        let earlier = EarlierFit { hyperparameters, learnt_from: Some(10) };
        surrogate.update(&domain, data, earlier, &mut Seed(4).stream("fit", 0)).unwrap()
    };
    let (first, again) = (update(&surrogate, &hyperparameters), update(&surrogate, &hyperparameters));
    assert_eq!(bits(&*first), bits(&*again));
    let alone = update(&base, part);
    assert_eq!(&first.hyperparameters()[..part.len()], &alone.hyperparameters()[..]);
}

/// Bases without leave-one-out, and bases that are mixtures themselves.
#[test]
fn other_base_surrogates_take_sources() {
    let domain = Domain::unit_cube(2);
    let tasks = || vec![task("equal", 40, 1, |x| 5.0 * wave(x)), task("negated", 40, 2, |x| -wave(x))];
    let forest = TransferSurrogate::new(ForestSurrogate::default(), &domain, tasks()).unwrap();
    let sampled = GpSurrogate::default().with_sampled_hyperparameters(Sampling::default());
    let sampled = TransferSurrogate::new(sampled, &domain, tasks()).unwrap();
    for surrogate in [forest, sampled] {
        let ensemble = fit(&surrogate, 12, wave);
        assert!(weight_of(&ensemble, "equal") > 0.4, "{:?}", ensemble.source_weights());
        assert_eq!(weight_of(&ensemble, "negated"), 0.0);
    }
}

/// Surrogate with a number in units of the observations.
struct Scaled(GpSurrogate);

impl Surrogate for Scaled {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.0.fit(domain, data, warm_start, rng)
    }

    fn on_scale(&self, _: &dyn Fn(f64) -> f64) -> Option<Box<dyn Surrogate>> {
        Some(Box::new(Self(self.0.clone())))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        self.0.describe()
    }
}

/// Tasks and residuals have scales of their own, on which such a number is wrong. A pointer hides nothing.
#[test]
fn a_base_surrogate_of_one_scale_is_refused() {
    let domain = Domain::unit_cube(2);
    let (plain, boxed) = (Scaled(GpSurrogate::default()), Box::new(Scaled(GpSurrogate::default())));
    for found in [
        TransferSurrogate::new(plain, &domain, Vec::new()),
        TransferSurrogate::new(boxed as Box<dyn Surrogate>, &domain, vec![task("equal", 9, 1, wave)]),
    ] {
        let error = found.err().expect("an error");
        assert!(matches!(error, TransferError::Scale { .. }), "{error}");
        assert!(error.to_string().contains("gaussian process"), "{error}");
    }
}

/// Surrogate that names the plain process for other outputs.
struct Named(GpSurrogate, GpSurrogate);

impl Surrogate for Named {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.0.fit(domain, data, warm_start, rng)
    }

    fn for_other_outputs(&self) -> Option<&dyn Surrogate> {
        Some(&self.1)
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        self.0.describe()
    }
}

/// The surrogate of constraints is the base surrogate, or what the base surrogate names.
#[test]
fn other_outputs_have_the_surrogate_that_the_base_names() {
    let named = |base: Box<dyn Surrogate>| {
        let transfer = TransferSurrogate::new(base, &Domain::unit_cube(2), Vec::new()).unwrap();
        transfer.for_other_outputs().unwrap().describe().unwrap()
    };
    let (plain, other) = (GpSurrogate::default(), GpSurrogate::noisy());
    assert_eq!(named(Box::new(plain.clone())), plain.describe().unwrap());
    assert_eq!(named(Box::new(Named(plain, other.clone()))), other.describe().unwrap());
}

/// Sources are earlier data, also behind a pointer; without them there are none.
#[test]
fn sources_are_earlier_data() {
    let surrogate =
        |tasks| TransferSurrogate::new(GpSurrogate::default(), &Domain::unit_cube(2), tasks).unwrap();
    let boxed: Box<dyn Surrogate> = Box::new(surrogate(vec![task("one", 9, 1, wave)]));
    assert!(boxed.has_earlier_data() && Arc::new(boxed).has_earlier_data());
    assert!(!surrogate(Vec::new()).has_earlier_data() && !GpSurrogate::default().has_earlier_data());
}

/// Normal process that notes from how many observations the hyperparameters of each start were learnt.
struct Noting(GpSurrogate, Arc<Mutex<Vec<Option<usize>>>>);

impl Surrogate for Noting {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.1.lock().unwrap().push(None);
        self.0.fit(domain, data, warm_start, rng)
    }

    fn update(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        earlier: EarlierFit<'_>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.1.lock().unwrap().push(earlier.learnt_from);
        self.0.update(domain, data, earlier, rng)
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        self.0.describe()
    }
}

/// A source that a guard dropped has no hyperparameters that were learnt from its residuals: the first fit of these learns. Later ones keep
/// them by the number of observations that they were learnt from themselves.
#[test]
fn hyperparameters_of_a_source_are_learnt_before_they_are_kept() {
    let (domain, starts) = (Domain::unit_cube(2), Arc::new(Mutex::new(Vec::new())));
    let base = Noting(GpSurrogate::default(), Arc::clone(&starts));
    let surrogate = TransferSurrogate::new(base, &domain, vec![task("equal", 30, 1, wave)]).unwrap();
    let x = points(64, 99);
    let next = |count: usize, f: &dyn Fn(&[f64]) -> f64, earlier: Option<&dyn FittedSurrogate>| {
        starts.lock().unwrap().clear();
        let y: Vec<f64> = x.rows().take(count).map(f).collect();
        let data = Observations::new(x.as_ref().slice(0, count), &y);
        let rng = &mut Seed(3).stream("fit", 0);
        let fitted = match earlier {
            None => surrogate.fit(&domain, data, None, rng),
            Some(earlier) => {
                let (hyperparameters, learnt_from) = (earlier.hyperparameters(), earlier.learnt_from());
                let earlier = EarlierFit { hyperparameters: &hyperparameters, learnt_from };
                surrogate.update(&domain, data, earlier, rng)
            }
        };
        (fitted.unwrap(), starts.lock().unwrap().clone())
    };
    // The model without the source is fitted first.
    let (first, started) = next(60, &|x| -wave(x), None);
    assert_eq!(started, [None], "the source is dropped");
    let (second, started) = next(61, &wave, Some(&*first));
    assert_eq!(started, [Some(60), None], "nothing was learnt from residuals");
    assert_eq!(second.hyperparameters().len(), first.hyperparameters().len());
    let last = x.row(61);
    let surprise = |at: &[f64]| if at == last { 90.0 } else { -wave(at) };
    let (third, started) = next(62, &surprise, Some(&*second));
    assert_eq!(started, [second.learnt_from()], "the source is dropped");
    assert_eq!(third.learnt_from(), Some(62), "the model without the source learns");
    let (_, started) = next(62, &wave, Some(&*third));
    assert_eq!(started, [Some(62), Some(61)], "those of the source are of the second fit");
}

/// Normal process whose prediction of its first observation without it has this variance, once it was fitted from hyperparameters: that
/// is, on a source.
struct Patchy(GpSurrogate, f64);

struct PatchyFit {
    fitted: Box<dyn FittedSurrogate>,
    variance: Option<f64>,
}

impl Surrogate for Patchy {
    fn fit(
        &self,
        domain: &Domain,
        data: Observations<'_>,
        warm_start: Option<&[f64]>,
        rng: &mut Stream,
    ) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        let fitted = self.0.fit(domain, data, warm_start, rng)?;
        Ok(Box::new(PatchyFit { fitted, variance: warm_start.map(|_| self.1) }))
    }

    fn describe(&self) -> Result<Description, SurrogateError> {
        self.0.describe()
    }
}

impl FittedSurrogate for PatchyFit {
    fn posterior(&self) -> &dyn Posterior {
        self.fitted.posterior()
    }

    fn hyperparameters(&self) -> Vec<f64> {
        self.fitted.hyperparameters()
    }

    fn leave_one_out(&self) -> Option<Vec<Prediction>> {
        let mut predictions = self.fitted.leave_one_out()?;
        if let Some(variance) = self.variance {
            predictions[0].variance = variance;
        }
        Some(predictions)
    }

    fn fantasize(&self, x: &[f64], y: f64) -> Result<Box<dyn FittedSurrogate>, SurrogateError> {
        self.fitted.fantasize(x, y)
    }
}

/// One prediction that is no number is enough.
#[test]
fn sources_without_predictions_of_all_observations_are_dropped() {
    let (domain, tasks) = (Domain::unit_cube(2), || vec![task("equal", 30, 1, wave)]);
    let whole = fit(&transfer(tasks()), 8, wave);
    assert!(weight_of(&whole, "equal") > 0.5, "{:?}", whole.source_weights());
    for variance in [f64::NAN, f64::INFINITY, -1e-9] {
        let base = Patchy(GpSurrogate::default(), variance);
        let ensemble = fit(&TransferSurrogate::new(base, &domain, tasks()).unwrap(), 8, wave);
        assert_eq!((ensemble.weight_alone(), weight_of(&ensemble, "equal")), (1.0, 0.0), "{variance}");
        assert_eq!(bits(&ensemble), base_bits(8, wave), "{variance}");
    }
}

/// A prediction without uncertainty is one.
#[test]
fn sources_with_a_certain_prediction_count() {
    let tasks = vec![task("equal", 30, 1, wave)];
    let certain = Patchy(GpSurrogate::default(), 0.0);
    let ensemble = fit(&TransferSurrogate::new(certain, &Domain::unit_cube(2), tasks).unwrap(), 8, wave);
    assert!(weight_of(&ensemble, "equal") > 0.5, "{:?}", ensemble.source_weights());
}

/// Known noise of a source on the square of the scale of its targets: neither scale changes anything but rounding.
#[test]
fn noise_of_a_source_is_on_the_scale_of_its_targets() {
    let fitted = |scale: f64| {
        let mut noisy = task("noisy", 20, 1, |x| scale * wave(x));
        noisy.noise_variance =
            Some((0..20).map(|i| scale * scale * if i % 2 == 0 { 0.2 } else { 0.0 }).collect());
        fit(&transfer(vec![noisy]), 8, wave)
    };
    let plain = fitted(1.0);
    assert!(weight_of(&plain, "noisy") > 0.2, "{:?}", plain.source_weights());
    for scale in [1e-3, 1e3] {
        let other = fitted(scale);
        for x in points(9, 5).rows() {
            let (a, b) = (plain.posterior().predict(x), other.posterior().predict(x));
            assert!((a.mean - b.mean).abs() < 2e-2, "scale {scale}: {a:?} {b:?}");
            assert!((a.std_dev() - b.std_dev()).abs() < 2e-2, "scale {scale}: {a:?} {b:?}");
        }
    }
}

/// A source without weight keeps the hyperparameters that it had; one that had none gets those of the base surrogate.
#[test]
fn a_source_without_weight_keeps_its_hyperparameters() {
    let surrogate = transfer(vec![task("negated", 20, 1, |x| -wave(x))]);
    let first = fit(&surrogate, 10, wave).hyperparameters();
    let size = first.len() / 2;
    let own = &first[..size];
    assert_eq!(
        (own, &first[2 * size..]),
        (&first[size..2 * size], &[0.0][..]),
        "nothing is known of the source"
    );
    let kept: Vec<f64> = own.iter().map(|value| value + 0.125).collect();
    let (x, domain) = (points(10, 99), Domain::unit_cube(2));
    let y: Vec<f64> = x.rows().map(wave).collect();
    let data = Observations::new(x.as_ref(), &y);
    let from = |earlier: &[f64]| {
        surrogate.fit(&domain, data, Some(earlier), &mut Seed(3).stream("fit", 0)).unwrap().hyperparameters()
    };
    assert_eq!(from(&[own, &kept].concat())[size..2 * size], kept, "those that it had");
    // A number of hyperparameters that is not the same for each model is of something else.
    assert_eq!(from(&[&kept[..], &kept, &[0.5]].concat()), first, "hyperparameters of something else");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Weights are from 0 and add up to 1, and the order of the tasks changes no bit.
    #[test]
    fn weights_add_up_and_order_does_not_matter(
        n in 1_usize..12,
        shift in -0.3_f64..0.3,
        mix in -1.0_f64..1.0,
        rotate in 1_usize..3,
    ) {
        let mut tasks = vec![
            task("shifted", 15, 1, |x| wave(&[x[0] + shift, x[1]])),
            task("mixed", 15, 2, |x| mix * wave(x) + (1.0 - mix.abs()) * other(x)),
            task("other", 15, 3, other),
        ];
        let first = fit(&transfer(tasks.clone()), n, wave);
        let total = first.weight_alone() + first.source_weights().iter().map(|w| w.weight).sum::<f64>();
        prop_assert!((total - 1.0).abs() < 1e-12, "{total}");
        prop_assert!(first.weight_alone() >= 0.0 && first.source_weights().iter().all(|w| w.weight >= 0.0));
        tasks.rotate_left(rotate);
        let second = fit(&transfer(tasks), n, wave);
        prop_assert_eq!(bits(&first), bits(&second));
        prop_assert_eq!(first.source_weights(), second.source_weights());
    }

    /// A monotone line of a source's targets changes nothing but rounding.
    #[test]
    fn location_and_scale_of_a_source_do_not_count(offset in -1e3_f64..1e3, power in -6.0_f64..6.0) {
        let scale = 10_f64.powf(power);
        let plain = fit(&transfer(vec![task("a", 15, 1, wave)]), 8, wave);
        let moved = fit(&transfer(vec![task("a", 15, 1, |x| scale * (wave(x) + offset))]), 8, wave);
        for x in points(9, 5).rows() {
            let (a, b) = (plain.posterior().predict(x), moved.posterior().predict(x));
            prop_assert!((a.mean - b.mean).abs() < 2e-2 && (a.std_dev() - b.std_dev()).abs() < 2e-2, "{a:?} {b:?}");
        }
    }
}
