//! Costs of evaluations.

use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Ask, History, MaxTrials, Measurement, Optimizer, OptimizerError, Study, Trial, TrialId};
use thrifty_tpe::{CostPolicy, TpeOptimizer, TpeSettings};

/// Two minima of the same depth, one of which costs a hundred times as much to evaluate.
fn dear_shares(policy: CostPolicy) -> (f64, f64) {
    let space =
        || Space::builder().float("x", 0.0, 1.0).categorical("size", ["small", "large"]).build().unwrap();
    let (mut dear, mut worst) = (0, f64::NEG_INFINITY);
    for seed in 0..6 {
        let settings = TpeSettings { cost: policy, ..TpeSettings::default() };
        let optimizer = TpeOptimizer::new(space()).unwrap().with_settings(settings).unwrap();
        let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(70));
        study
            .run(|config: &Config, _| {
                let x = config.float("x").unwrap();
                let loss = (x - 0.2).powi(2).min((x - 0.8).powi(2));
                let cost = if x > 0.5 { 100.0 } else { 1.0 }
                    * if config.str("size") == Ok("large") { 5.0 } else { 1.0 };
                Measurement { cost: Some(cost), ..loss.into() }
            })
            .unwrap();
        let modelled = &study.history().trials()[10..];
        dear += modelled.iter().filter(|trial| trial.query.float("x").unwrap() > 0.5).count();
        worst = study.history().best().unwrap().1.max(worst);
    }
    (dear as f64 / 360.0, worst)
}

/// Per unit of cost the cheap minimum is searched, and found as well; the other way round without.
#[test]
fn costs_draw_the_search_to_what_is_cheap() {
    let (ignored, _) = dear_shares(CostPolicy::Ignore);
    let (counted, loss) = dear_shares(CostPolicy::PerUnit { exponent: 1.0 });
    let (nothing, _) = dear_shares(CostPolicy::PerUnit { exponent: 0.0 });
    assert!(ignored > 0.3 && nothing > 0.3, "{ignored} {nothing}");
    assert!(counted < 0.15, "{counted}");
    assert!(loss < 1e-3, "{loss}");
}

#[test]
fn a_measurement_without_a_cost_is_refused_where_costs_count() {
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let settings = TpeSettings { cost: CostPolicy::PerUnit { exponent: 1.0 }, ..TpeSettings::default() };
    let optimizer = TpeOptimizer::new(space.clone()).unwrap().with_settings(settings.clone()).unwrap();
    let mut study = Study::new(optimizer, Seed(1)).with_stop(MaxTrials(20));
    study.ask().unwrap();
    let measured = |cost| Measurement { cost, ..Measurement::from(1.0) };
    for (cost, named) in [(None, "cost is missing"), (Some(0.0), "cost is 0")] {
        let told = study.tell(TrialId(0), measured(cost)).unwrap_err().to_string();
        let mut known = Config::new();
        known.insert("x0", 0.5);
        let known = study.add_known(known, measured(cost)).unwrap_err().to_string();
        assert!(told.contains(named) && known.contains(named), "{told} {known}");
    }
    // A journal that has such a trial already is read without its cost.
    let cost = |id: u64| if id == 3 { None } else { Some(if id == 4 { 0.0 } else { 1.0 }) };
    study.tell(TrialId(0), measured(cost(0))).unwrap();
    study.run(|config, _| Measurement { cost: Some(1.0), ..config.float("x0").unwrap().into() }).unwrap();
    let mut trials = study.history().trials().to_vec();
    for trial in &mut trials {
        trial.outcome = Some(measured(cost(trial.id.0)).into());
    }
    let history = History::from_trials(trials, Seed(1));
    let mut older = TpeOptimizer::new(space.clone()).unwrap().with_settings(settings.clone()).unwrap();
    let Ask::Evaluate(next) = older.ask(&history, TrialId(20)).unwrap() else { panic!("a suggestion") };
    assert!(next.diagnostics["log_l"].is_finite());
    let exponent = CostPolicy::PerUnit { exponent: -1.0 };
    let refused = TpeOptimizer::new(space).unwrap().with_settings(TpeSettings { cost: exponent, ..settings });
    let error = refused.err().unwrap();
    assert!(matches!(error, OptimizerError::InvalidSetting { .. }), "{error}");
    assert!(error.to_string().contains("cost exponent is -1"), "{error}");
}

/// An optimiser that has followed one history suggests for another with other costs what a new one does.
#[test]
fn costs_of_another_history_are_not_kept() {
    let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
    let settings = TpeSettings { cost: CostPolicy::PerUnit { exponent: 1.0 }, ..TpeSettings::default() };
    let optimizer = || TpeOptimizer::new(space.clone()).unwrap().with_settings(settings.clone()).unwrap();
    let history = |price: fn(f64) -> f64| {
        let trial = |i: u32| {
            let x = f64::from(i) / 29.0;
            let measured = Measurement { cost: Some(price(x)), ..((x - 0.5).powi(2)).into() };
            Trial::new(
                TrialId(0),
                Space::from_bounds(&[(0.0, 1.0)]).unwrap().decode(&[x]),
                Some(measured.into()),
            )
        };
        History::from_trials((0..30).map(trial).collect(), Seed(2))
    };
    let (rising, falling) = (history(|x| (6.0 * x).exp()), history(|x| (-6.0 * x).exp()));
    let mut used = optimizer();
    let first = used.ask(&rising, TrialId(30)).unwrap();
    let second = used.ask(&falling, TrialId(30)).unwrap();
    assert_eq!(second, optimizer().ask(&falling, TrialId(30)).unwrap());
    assert_ne!(first, second);
}
