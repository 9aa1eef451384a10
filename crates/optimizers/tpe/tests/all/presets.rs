//! Every preset, number by number, with where the numbers are from; and what settings are refused.

use thrifty_tpe::{
    Bandwidth, BandwidthRule, Branching, CategoricalKernel, ConstraintPolicy, CostPolicy, FailurePolicy,
    Floor, GridEnds, Joint, Kernels, ParameterPrior, PendingPolicy, Repeats, Split, SplitScope, Startup,
    StartupCount, TpeSettings, Truncation, Weights,
};

fn neighbors(prior: bool, bounds: bool, floor: Floor) -> Bandwidth {
    Bandwidth { rule: BandwidthRule::Neighbors { prior, bounds }, floor }
}

/// Hyperopt 0.3.0: `tpe.suggest(n_startup_jobs=20, n_EI_candidates=24, gamma=0.25, prior_weight=1.0)`, at most 25 good ones.
fn hyperopt() -> TpeSettings {
    TpeSettings {
        startup: Startup::Random(20),
        startup_count: StartupCount::Asked,
        split: Split::SquareRoot { gamma: 0.25, cap: 25 },
        weights: Weights::LinearForgetting,
        kernels: Kernels {
            bandwidth: neighbors(true, false, Floor { factor: 0.01, exponent: 1.0, steps: 0.0 }),
            truncation: Truncation::Mixture,
            categorical: CategoricalKernel::Counts,
            prior_weight: 1.0,
        },
        grid_ends: GridEnds::Cut,
        joint: Joint::Independent,
        branching: Branching::ByRatio,
        scope: SplitScope::AllTrials,
        candidates: 24,
        pending: PendingPolicy::AsInfinite,
        failures: FailurePolicy::AsInfinite,
        constraints: ConstraintPolicy::FeasibleFirst,
        cost: CostPolicy::Ignore,
        repeats: Repeats::Allowed,
    }
}

/// Optuna 5.0.0: `TPESampler(n_startup_trials=10, n_ei_candidates=24, prior_weight=1.0)`,
/// `gamma = min(ceil(0.1 n), 25)`.
fn optuna() -> TpeSettings {
    TpeSettings {
        startup: Startup::Random(10),
        startup_count: StartupCount::Finished,
        split: Split::Linear { gamma: 0.1, cap: 25 },
        weights: Weights::LinearForgetting,
        kernels: Kernels {
            bandwidth: neighbors(false, false, Floor { factor: 0.01, exponent: 1.0, steps: 0.0 }),
            truncation: Truncation::Component,
            categorical: CategoricalKernel::Smoothed,
            prior_weight: 1.0,
        },
        grid_ends: GridEnds::Whole,
        joint: Joint::Unconditional,
        branching: Branching::ByRatio,
        scope: SplitScope::AllTrials,
        candidates: 24,
        pending: PendingPolicy::AsBad,
        failures: FailurePolicy::Ignore,
        constraints: ConstraintPolicy::FeasibleFirst,
        cost: CostPolicy::Ignore,
        repeats: Repeats::Allowed,
    }
}

#[test]
fn hyperopt_is_as_its_source_says() {
    assert_eq!(TpeSettings::hyperopt(), hyperopt());
}

#[test]
fn optuna_is_as_its_source_says() {
    assert_eq!(TpeSettings::optuna5(), optuna());
    let mut fourth = TpeSettings { joint: Joint::Independent, pending: PendingPolicy::Ignore, ..optuna() };
    fourth.kernels.bandwidth.rule = BandwidthRule::Neighbors { prior: true, bounds: false };
    assert_eq!(TpeSettings::optuna4(), fourth);
}

/// Watanabe (2023): linear with 0.15, weights by improvement, a least width of 0.03 with exponent 2.
#[test]
fn watanabes_recommendation_is_as_his_paper_says() {
    let mut expected = TpeSettings {
        split: Split::Linear { gamma: 0.15, cap: 25 },
        weights: Weights::ExpectedImprovement,
        ..optuna()
    };
    expected.kernels.bandwidth = neighbors(true, true, Floor { factor: 0.03, exponent: 2.0, steps: 0.0 });
    assert_eq!(TpeSettings::watanabe2023(), expected);
}

#[test]
fn the_scan_takes_a_quarter_without_weights_between_the_bounds() {
    let mut expected = TpeSettings {
        split: Split::Linear { gamma: 0.25, cap: usize::MAX },
        weights: Weights::Uniform,
        ..hyperopt()
    };
    expected.kernels.bandwidth =
        neighbors(false, true, Floor { factor: 1e-12, exponent: f64::INFINITY, steps: 0.0 });
    assert_eq!(TpeSettings::nnpdf(), expected);
    assert_eq!((expected.startup, expected.candidates), (Startup::Random(20), 24));
    let space = thrifty_space::Space::builder().float("x", 0.0, 1.0).build().unwrap();
    assert_eq!(thrifty_tpe::TpeOptimizer::nnpdf(space).unwrap().settings(), &expected);
}

/// The default is the choice of the ablation.
#[test]
fn the_default_is_the_choice_of_the_ablation() {
    let mut expected = TpeSettings {
        startup: Startup::Sobol(10),
        weights: Weights::ExpectedImprovement,
        joint: Joint::Tree,
        branching: Branching::Drawn,
        repeats: Repeats::Never,
        failures: FailurePolicy::AsInfinite,
        ..optuna()
    };
    expected.kernels.bandwidth.floor = Floor { factor: 0.03, exponent: 1.5, steps: 0.5 };
    assert_eq!(TpeSettings::default(), expected);
    assert_eq!(TpeSettings::recommended(), expected);
    assert_eq!(Kernels::default(), expected.kernels);
}

#[test]
fn single_rules_have_defaults() {
    assert_eq!(Joint::default(), Joint::Tree);
    assert_eq!(Branching::default(), Branching::Drawn);
    assert_eq!(SplitScope::default(), SplitScope::OwnTrials);
    assert_eq!(StartupCount::default(), StartupCount::Finished);
    assert_eq!(PendingPolicy::default(), PendingPolicy::AsBad);
    assert_eq!(FailurePolicy::default(), FailurePolicy::AsInfinite);
    assert_eq!(ConstraintPolicy::default(), ConstraintPolicy::FeasibleFirst);
    assert_eq!(Repeats::default(), Repeats::Never);
    assert_eq!((Startup::Random(7).len(), Startup::Sobol(4).len()), (7, 4));
    assert!(Startup::Sobol(0).is_empty() && !Startup::Random(1).is_empty());
}

/// Settings beyond their bounds are refused, and their neighbours are taken.
#[test]
fn settings_are_refused_beyond_their_bounds_and_taken_at_them() {
    let with = |change: &dyn Fn(&mut TpeSettings)| {
        let mut settings = TpeSettings::recommended();
        change(&mut settings);
        settings.validate().map_err(|error| error.to_string())
    };
    let refused = |name: &str, change: &dyn Fn(&mut TpeSettings)| {
        let error = with(change).unwrap_err();
        assert!(error.contains(name), "{error} does not name {name}");
    };
    for gamma in [0.0, -0.1, 1.0 + 1e-9, f64::NAN] {
        refused("gamma", &|s| s.split = Split::Linear { gamma, cap: 25 });
        refused("gamma", &|s| s.split = Split::SquareRoot { gamma, cap: 25 });
    }
    refused("cap", &|s| s.split = Split::Linear { gamma: 0.1, cap: 0 });
    refused("cap", &|s| s.split = Split::SquareRoot { gamma: 0.1, cap: 0 });
    refused("target", &|s| s.split = Split::Target { loss: f64::NAN });
    for factor in [0.0, -0.1, 1.0 + 1e-9, f64::NAN] {
        refused("floor factor", &|s| s.kernels.bandwidth.floor.factor = factor);
    }
    for exponent in [0.0, -1.0, f64::NAN] {
        refused("floor exponent", &|s| s.kernels.bandwidth.floor.exponent = exponent);
    }
    for steps in [-1e-9, f64::INFINITY, f64::NAN] {
        refused("floor steps", &|s| s.kernels.bandwidth.floor.steps = steps);
    }
    for weight in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        refused("prior weight", &|s| s.kernels.prior_weight = weight);
    }
    refused("candidates", &|s| s.candidates = 0);
    assert_eq!(with(&|s| s.split = Split::Linear { gamma: 1.0, cap: 1 }), Ok(()));
    assert_eq!(with(&|s| s.split = Split::SquareRoot { gamma: 1e-9, cap: 1 }), Ok(()));
    assert_eq!(with(&|s| s.split = Split::Target { loss: f64::NEG_INFINITY }), Ok(()));
    assert_eq!(
        with(&|s| s.kernels.bandwidth.floor = Floor { factor: 1.0, exponent: 1e-9, steps: 0.0 }),
        Ok(())
    );
    assert_eq!(with(&|s| (s.candidates, s.kernels.prior_weight) = (1, 1e-9)), Ok(()));
}

/// JSON has no infinity: the exponent of a floor that never decreases is `null` there.
#[test]
fn presets_survive_json() {
    use thrifty_tpe::TpeSettings as Preset;
    let presets = [
        Preset::recommended(),
        Preset::hyperopt(),
        Preset::optuna5(),
        Preset::optuna4(),
        Preset::watanabe2023(),
        Preset::nnpdf(),
    ];
    for preset in presets {
        let json = serde_json::to_value(&preset).unwrap();
        assert_eq!(serde_json::from_value::<Preset>(json).unwrap(), preset);
    }
}

/// Tables within settings that are given in part have the recommended values of the rest.
#[test]
fn tables_within_settings_may_be_given_in_part() {
    let read = |json: &str| serde_json::from_str::<TpeSettings>(json).unwrap();
    let mut expected = TpeSettings::recommended();
    expected.kernels.prior_weight = 2.0;
    assert_eq!(read(r#"{"kernels": {"prior_weight": 2}}"#), expected);
    let mut expected = TpeSettings::recommended();
    expected.kernels.bandwidth.rule = BandwidthRule::Scott;
    assert_eq!(read(r#"{"kernels": {"bandwidth": {"rule": "scott"}}}"#), expected);
    // Files from before the least width in steps have none.
    let mut expected = TpeSettings::recommended();
    expected.kernels.bandwidth.floor = Floor { factor: 0.1, exponent: 1.5, steps: 0.0 };
    assert_eq!(read(r#"{"kernels": {"bandwidth": {"floor": {"factor": 0.1}}}}"#), expected);
    assert_eq!(Bandwidth::default(), TpeSettings::recommended().kernels.bandwidth);
    assert_eq!(Floor::default(), Bandwidth::default().floor);
}

/// Names that the tables and rules within settings do not have.
#[test]
fn unknown_names_within_settings_are_refused() {
    let settings = |json: &str| serde_json::from_str::<TpeSettings>(json).map(drop);
    let prior = |json: &str| serde_json::from_str::<ParameterPrior>(json).map(drop);
    for (found, name) in [
        (settings(r#"{"kernels": {"bandwidth": {"floor": {"factor": 0.03, "step": 0.5}}}}"#), "step"),
        (settings(r#"{"kernels": {"bandwidth": {"width": 1}}}"#), "width"),
        (
            settings(
                r#"{"kernels": {"bandwidth": {"rule": {"neighbours": {"prior": true, "bounds": true, "ends": 1}}}}}"#,
            ),
            "ends",
        ),
        (settings(r#"{"split": {"linear": {"gamma": 0.1, "cap": 25, "caps": 9}}}"#), "caps"),
        (settings(r#"{"cost": {"per_unit": {"exponent": 1, "base": 2}}}"#), "base"),
        (prior(r#"{"normal": {"mean": 0, "std_dev": 1, "low": 2}}"#), "low"),
    ] {
        let error = found.unwrap_err().to_string();
        assert!(error.contains(&format!("unknown field `{name}`")), "{error} does not name {name}");
    }
}
