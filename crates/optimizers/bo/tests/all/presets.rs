//! Defaults, and what settings are refused.

use thrifty_acquisition::{AcquisitionKind, ImprovementTarget};
use thrifty_bo::{
    BayesianOptimizer, BoSettings, Convergence, CostAwareness, FailurePolicy, InitialDesign, LossTransform,
    Maximizer, MultiObjectiveOptimizer, MultiObjectiveRule, MultiObjectiveSettings, PendingPolicy, TiePolicy,
};
use thrifty_space::Space;
use thrifty_study::Optimizer;

#[test]
fn the_defaults_are_as_documented() {
    let maximizer = Maximizer { raw: 512, around_best: 20, climbs: 6 };
    let expected = BoSettings {
        initial: InitialDesign::Automatic,
        budget: None,
        rule: AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestObserved),
        maximizer: maximizer.clone(),
        losses: LossTransform::UpperHalf,
        failures: FailurePolicy::AsConstraint,
        pending: PendingPolicy::Fantasies { draws: 32 },
        cost: CostAwareness::Ignore,
        convergence: Convergence::Explore { epsilon: 1e-7 },
        ending: 5,
        ties: TiePolicy::Pieces,
        repeats: None,
    };
    assert_eq!(BoSettings::default(), expected);
    let several = MultiObjectiveSettings {
        initial: InitialDesign::Automatic,
        budget: None,
        rule: MultiObjectiveRule::Automatic,
        reference: None,
        maximizer,
        losses: LossTransform::None,
        failures: FailurePolicy::AsConstraint,
        cost: CostAwareness::Ignore,
        repeats: None,
    };
    assert_eq!(MultiObjectiveSettings::default(), several);
}

#[test]
fn settings_are_refused_beyond_their_bounds_and_taken_at_them() {
    let check = |change: &dyn Fn(&mut BoSettings)| {
        let mut settings = BoSettings::default();
        change(&mut settings);
        let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        let built = BayesianOptimizer::new(space).with_settings(settings);
        built.err().map(|error| error.to_string())
    };
    let refused = |name: &str, change: &dyn Fn(&mut BoSettings)| {
        let error = check(change).expect("an error");
        assert!(error.contains(name), "{error} does not name {name}");
    };
    refused("raw", &|s| s.maximizer.raw = 0);
    refused("draws", &|s| s.pending = PendingPolicy::Fantasies { draws: 0 });
    for exponent in [-1e-9, f64::INFINITY, f64::NAN] {
        refused("exponent", &|s| s.cost = CostAwareness::PerUnit { exponent });
    }
    for budget in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        refused("budget", &|s| s.cost = CostAwareness::Cooled { budget });
    }
    for value in [f64::INFINITY, f64::NAN] {
        refused("failures", &|s| s.failures = FailurePolicy::AsValue(value));
    }
    for epsilon in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        refused("epsilon", &|s| s.convergence = Convergence::Restart { epsilon });
    }
    assert_eq!(check(&|s| s.maximizer = Maximizer { raw: 1, around_best: 0, climbs: 0 }), None);
    assert_eq!(check(&|s| s.pending = PendingPolicy::Fantasies { draws: 1 }), None);
    assert_eq!(check(&|s| s.cost = CostAwareness::PerUnit { exponent: 0.0 }), None);
    assert_eq!(check(&|s| s.cost = CostAwareness::Cooled { budget: 1e-9 }), None);
    assert_eq!(check(&|s| s.failures = FailurePolicy::AsValue(-5.0)), None);
    assert_eq!(check(&|s| s.convergence = Convergence::Restart { epsilon: 1e-9 }), None);
}

/// Journals know the worst loss for failures, which was the default, and the constraint as one policy; a value of one's own is another.
#[test]
fn journals_go_on_with_failures_as_a_constraint() {
    let space = || Space::unit_cube(2);
    let of = |failures| {
        let settings = BoSettings { failures, ..BoSettings::default() };
        let one = BayesianOptimizer::new(space()).with_settings(settings).unwrap();
        let settings = MultiObjectiveSettings { failures, ..MultiObjectiveSettings::default() };
        let several = MultiObjectiveOptimizer::new(space()).with_settings(settings).unwrap();
        (Optimizer::fingerprint(&one).unwrap(), Optimizer::fingerprint(&several).unwrap())
    };
    assert_eq!(of(FailurePolicy::AsConstraint), of(FailurePolicy::AsWorst));
    let (one, several) = of(FailurePolicy::Ignore);
    let (ours, our_several) = of(FailurePolicy::AsConstraint);
    assert!(one != ours && several != our_several);
}
