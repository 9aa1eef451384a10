//! Laws of a fitted Bayesian optimiser: what an acquisition function is built from, and the units of its improvements.

use std::sync::{Arc, Mutex};

use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, AcquisitionKind, Context, Description, UtilityScale,
};
use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign, LossTransform, Maximizer};
use thrifty_domain::{Domain, PointsRef};
use thrifty_gp::YeoJohnson;
use thrifty_sampling::{MAX_SOBOL_DIM, Seed};
use thrifty_space::Space;
use thrifty_study::{History, MaxTrials, Study, TrialId};
use thrifty_testbed::{Problem, TestFunction};

/// Numbers of each context: the number of the evaluation, the points observed, the target and the noise variance.
type Seen = Arc<Mutex<Vec<(usize, usize, f64, f64)>>>;

/// The default acquisition function, and what it was built from.
struct Spy(Seen);

impl AcquisitionFactory for Spy {
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let Context { t, target, noise_variance, observed, .. } = &context;
        self.0.lock().unwrap().push((*t, observed.len(), *target, *noise_variance));
        AcquisitionKind::default().build(context)
    }

    fn scale(&self) -> UtilityScale {
        AcquisitionKind::default().scale()
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        AcquisitionKind::default().describe()
    }
}

fn finished(settings: &BoSettings, trials: usize) -> (History<thrifty_space::Config>, BayesianOptimizer) {
    let problem = TestFunction::branin();
    let optimizer =
        || BayesianOptimizer::new(problem.space().clone()).with_settings(settings.clone()).unwrap();
    let mut study = Study::new(optimizer(), Seed(3)).with_stop(MaxTrials(trials));
    study.run(|config, context| problem.evaluate(config, &mut context.noise())).unwrap();
    (study.history().clone(), optimizer())
}

/// One evaluation more than were measured, all of them observed; the target is the least loss and the noise that of the model.
#[test]
fn acquisition_functions_are_built_from_what_was_measured() {
    let settings = BoSettings { initial: InitialDesign::Sobol(5), ..BoSettings::default() };
    let (seen, problem) = (Seen::default(), TestFunction::branin());
    let optimizer = BayesianOptimizer::new(problem.space().clone()).with_settings(settings.clone());
    let optimizer = optimizer.unwrap().with_acquisition(Spy(seen.clone()));
    let mut study = Study::new(optimizer, Seed(3)).with_stop(MaxTrials(9));
    study.run(|config, context| problem.evaluate(config, &mut context.noise())).unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.iter().map(|all| (all.0, all.1)).collect::<Vec<_>>(), [(6, 5), (7, 6), (8, 7), (9, 8)]);
    let (plain, optimizer) = (study.history(), BayesianOptimizer::new(problem.space().clone()));
    let optimizer = optimizer.with_settings(settings).unwrap();
    for (at, (_, _, target, noise_variance)) in seen.iter().enumerate() {
        let before = History::from_trials(plain.trials()[..5 + at].to_vec(), Seed(3));
        let belief = optimizer.state(&before, TrialId(5 + at as u64)).unwrap().unwrap();
        assert_eq!(
            (*target, *noise_variance),
            (belief.target(Spy(Seen::default()).target()), belief.noise_variance())
        );
        let least = belief.losses().iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(*target, least);
    }
}

/// An improvement on the scale of a transform is one on that of the losses over the slope of the transform at the threshold.
#[test]
fn improvements_are_in_units_of_the_loss() {
    for losses in
        [LossTransform::None, LossTransform::UpperTail, LossTransform::UpperHalf, LossTransform::BothTails]
    {
        let settings = BoSettings { losses, ..BoSettings::default() };
        let (history, optimizer) = finished(&settings, 12);
        let belief = optimizer.state(&history, TrialId(12)).unwrap().unwrap();
        let raw: Vec<f64> = history.measured().map(|(_, loss)| loss).collect();
        let transform = match losses {
            LossTransform::None => None,
            LossTransform::UpperTail => Some(YeoJohnson::of_upper_tail(&raw)),
            LossTransform::UpperHalf => Some(YeoJohnson::of_upper_half(&raw)),
            LossTransform::BothTails => Some(YeoJohnson::of(&raw)),
            LossTransform::Chosen => unreachable!("not among those above"),
        };
        let least = raw.iter().copied().fold(f64::INFINITY, f64::min);
        let (threshold, slope) = transform.map_or((least, 1.0), |psi| (psi.apply(least), psi.slope(least)));
        let found = belief.in_units_of_loss(0.3, threshold);
        assert!((found - 0.3 / slope).abs() < 1e-6 * found, "{losses:?}: {found} {slope}");
        if losses != LossTransform::None {
            assert!((slope - 1.0).abs() > 1e-3, "{losses:?}: a transform that does nothing");
        }
    }
}

/// A parabola in many dimensions.
struct Sphere;

impl Acquisition for Sphere {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        out.iter_mut().zip(x.rows()).for_each(|(out, x)| *out = -x.iter().map(|v| v * v).sum::<f64>());
    }
}

/// Beyond the dimensions of the Sobol sequence points are random.
#[test]
fn many_dimensions_are_searched_by_random_points() {
    let maximizer = Maximizer { raw: 8, around_best: 0, climbs: 0 };
    let rng = || Seed(1).stream("raw", 0);
    for dim in [MAX_SOBOL_DIM, MAX_SOBOL_DIM + 1] {
        let found = maximizer.candidates(&Domain::unit_cube(dim), &Sphere, &[], &mut rng());
        assert_eq!(found.len(), 8);
        let columns_in_halves =
            (0..dim).filter(|k| found.iter().filter(|candidate| candidate.x[*k] < 0.5).count() == 4).count();
        // Of a Sobol sequence every column has as many points in one half as in the other; by chance 70/256 of them do.
        assert_eq!(columns_in_halves == dim, dim <= MAX_SOBOL_DIM, "{columns_in_halves} of {dim}");
    }
}

/// A space of one configuration suggests it once.
#[test]
fn one_configuration_is_asked_once() {
    let space = Space::builder().int("i", 3, 3).build().unwrap();
    let mut study = Study::new(BayesianOptimizer::new(space), Seed(1)).with_stop(MaxTrials(9));
    study.run(|_, _| 1.0).unwrap();
    assert_eq!(study.history().len(), 1);
}
