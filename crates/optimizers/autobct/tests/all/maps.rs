//! Value functions over clouds: what maps promise, files, and looks ahead that end with them.

use proptest::prelude::*;
use thrifty_autobct::{
    AutoBct, AutoBctSettings, Baseline, BeliefSamples, BellmanRecursion, Branching, Controls, Decision,
    Expectation, MapSettings, NoiseStdDev, OneStep, Plan, PosteriorFamily, Quadrature, Record, Regressor,
    SamplingSettings, Shrunk, State, TwoSteps, ValueFunction, ValueMap,
};
use thrifty_linear::{Coefficients, CovariancePrior, Fourier, Polynomial, SmoothingSpline};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{Measurement, Next, Outcome, StopReason, Study};
use thrifty_trees::ForestSettings;

fn cubic() -> Polynomial {
    Polynomial::of_one(3, 0.5)
}

fn controls(count: usize) -> Controls {
    let noise = |_: &[f64]| NoiseStdDev { score: 0.05, cost: 0.1 };
    Controls::new(Controls::grid(1, count).as_ref(), &cubic(), &cubic(), noise).unwrap()
}

fn decision() -> Decision {
    Decision::with_later(0.16, controls(21), controls(9), Quadrature::Hermite(3)).unwrap()
}

/// Appendix D.1.
fn prior() -> State {
    State {
        score: Coefficients::independent(vec![0.4, 0.1, -0.2, 0.1], &[1.0; 4]).unwrap(),
        cost: Coefficients::independent(vec![1.0, 1.0, 2.0, 2.0], &[0.64, 4.0, 4.0, 4.0]).unwrap(),
    }
}

fn small() -> SamplingSettings {
    SamplingSettings {
        drawn: 20,
        levels: 4,
        roots: 20,
        depth: 2,
        branching: Branching::Every(4),
        ..SamplingSettings::small()
    }
}

fn faithful() -> MapSettings {
    let mut settings = MapSettings::paper(2, 5, Seed(3));
    settings.regressor = Regressor::Forest(ForestSettings { trees: 10, ..ForestSettings::default() });
    settings
}

#[test]
fn clouds_have_the_size_they_say_and_truths() {
    for settings in
        [SamplingSettings::small(), small(), SamplingSettings { branching: Branching::Paths(3), ..small() }]
    {
        let cloud = BeliefSamples::new(&prior(), &controls(9), &settings, Seed(1)).unwrap();
        assert_eq!(cloud.len(), settings.len());
        let truths = (0..cloud.len())
            .map(|i| cloud.state(i).unwrap())
            .filter(|state| state.score.covariance().iter().chain(state.cost.covariance()).all(|c| *c == 0.0))
            .count();
        assert_eq!(truths, settings.drawn);
        assert_eq!(cloud, BeliefSamples::new(&prior(), &controls(9), &settings, Seed(1)).unwrap());
    }
    assert_eq!(SamplingSettings::small().len(), 15_600);
    assert_eq!((SamplingSettings::paper_1d().len(), SamplingSettings::paper_2d().len()), (156_000, 761_600));
    let wild = SamplingSettings { law: CovariancePrior::Wishart { degrees: 1.0 }, ..small() };
    assert!(
        BeliefSamples::new(&prior(), &controls(9), &wild, Seed(1))
            .unwrap_err()
            .to_string()
            .contains("degrees of freedom")
    );
    let short = State { score: Coefficients::independent(vec![0.0], &[1.0]).unwrap(), ..prior() };
    assert!(
        BeliefSamples::new(&short, &controls(9), &small(), Seed(1))
            .unwrap_err()
            .to_string()
            .contains("expected 4")
    );
}

/// States after trainings with hardly any noise are beliefs too.
#[test]
fn clouds_of_hardly_any_noise_have_beliefs() {
    for std_dev in [1e-8, 1e-12] {
        let noise = |_: &[f64]| NoiseStdDev { score: std_dev, cost: std_dev };
        let controls = Controls::new(Controls::grid(1, 9).as_ref(), &cubic(), &cubic(), noise).unwrap();
        let settings = SamplingSettings { depth: 3, ..small() };
        let cloud = BeliefSamples::new(&prior(), &controls, &settings, Seed(1)).unwrap();
        for i in 0..cloud.len() {
            let state = cloud.state(i).unwrap();
            for u in 0..controls.len() {
                let (mean, variance) = state.score.moments(controls.score(u));
                assert!(mean.abs() < 50.0 && variance < 20.0, "{std_dev:e}, {i}: {mean} {variance}");
            }
        }
    }
}

/// A score with one peak and a cost that only rises or falls is what roots are: their means must look so.
#[test]
fn roots_are_realistic() {
    let settings = SamplingSettings { drawn: 0, depth: 0, roots: 200, ..small() };
    let cloud = BeliefSamples::new(&prior(), &controls(21), &settings, Seed(2)).unwrap();
    let controls = controls(21);
    for i in 0..200 {
        let state = cloud.state(i).unwrap();
        let scores: Vec<f64> = (0..21).map(|u| state.score.moments(controls.score(u)).0).collect();
        let costs: Vec<f64> = (0..21).map(|u| state.cost.moments(controls.cost(u)).0).collect();
        assert!(scores.iter().all(|h| (-0.3..1.4).contains(h)), "{scores:?}");
        assert!(costs.iter().all(|t| (-0.3..2.9).contains(t)), "{costs:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A fan is what learning an outcome gives.
    #[test]
    fn fans_are_kalman_steps(control in 0_usize..9, z in -3.0..3.0_f64, w in -3.0..3.0_f64) {
        let (controls, state) = (controls(9), prior());
        let fan = PosteriorFamily::of_training(&state, &controls, control).unwrap();
        let (score, cost) = (state.score.moments(controls.score(control)), state.cost.moments(controls.cost(control)));
        let mut learnt = state.clone();
        let h = score.0 + z * (score.1 + controls.score_noise(control)).sqrt();
        let t = cost.0 + w * (cost.1 + controls.cost_noise(control)).sqrt();
        learnt.learn(&controls, control, h, t).unwrap();
        let found = fan.state((z, w)).unwrap();
        for (a, b) in [(&found.score, &learnt.score), (&found.cost, &learnt.cost)] {
            for (a, b) in a.mean().iter().zip(b.mean()).chain(a.covariance().iter().zip(b.covariance())) {
                prop_assert!((a - b).abs() < 1e-12);
            }
        }
        // Value functions see the same in the fan and in the belief.
        let decision = decision();
        let (one, two) = (OneStep(&decision), TwoSteps(&decision));
        for function in [&one as &dyn ValueFunction, &two] {
            let (a, b) = (function.after(&fan, &[(z, w)]).unwrap()[0], function.value(&learnt).unwrap());
            prop_assert!((a - b).abs() < 1e-10, "{a} {b}");
        }
    }
}

#[test]
fn leaves_and_looks_ahead_agree() {
    let (decision, state) = (Decision::new(0.16, controls(9), Quadrature::ACCURATE).unwrap(), prior());
    let (one, two) = (OneStep(&decision), TwoSteps(&decision));
    assert!((one.value(&state).unwrap() - decision.one_step(&state).value()).abs() < 1e-10);
    assert!((two.value(&state).unwrap() - decision.two_steps(&state).value()).abs() < 1e-10);
    // One training and then V₁ is two steps, by nodes or samples.
    let exact = decision.two_steps(&state);
    let nodes =
        Expectation::Quadrature { of_score: Quadrature::Hermite(41), of_cost: Quadrature::Bent { nodes: 5 } };
    let found = decision.on_the_fly(&state, 1, &one, &nodes).unwrap();
    for (a, b) in found.of_controls.iter().zip(&exact.of_controls) {
        assert!((a - b).abs() < 5e-3, "{a} {b}");
    }
    let sampled = decision
        .on_the_fly(&state, 1, &one, &Expectation::Sampled { samples: 40_000, seed: Seed(5) })
        .unwrap();
    for (a, b) in sampled.of_controls.iter().zip(&exact.of_controls) {
        assert!((a - b).abs() < 0.04, "{a} {b}");
    }
    // Smoothed means of few samples are nearer than they were.
    let few =
        decision.on_the_fly(&state, 1, &one, &Expectation::Sampled { samples: 200, seed: Seed(6) }).unwrap();
    let spline = SmoothingSpline::new(decision.controls().points().as_ref()).unwrap();
    assert!(few.smoothed(&spline).unwrap().of_controls.len() == 9);
    // One training and then V₂ is three steps.
    let three = decision.steps(&state, 3, &Expectation::DEFAULT).unwrap();
    let fly = decision.on_the_fly(&state, 1, &two, &Expectation::DEFAULT).unwrap();
    let deeper = decision.on_the_fly(&state, 2, &one, &Expectation::DEFAULT).unwrap();
    for u in 0..9 {
        assert!(three.of_controls[u] >= fly.of_controls[u] - 1e-12);
        assert!((deeper.of_controls[u] - fly.of_controls[u]).abs() < 0.02);
    }
    let cautious = Shrunk { of: &two, epsilon: 0.1 };
    assert!((cautious.value(&state).unwrap() - 0.9 * two.value(&state).unwrap()).abs() < 1e-12);
    let poor = State { score: state.score.with_mean(vec![-3.0, 0.0, 0.0, 0.0]).unwrap(), ..state };
    assert!((cautious.value(&poor).unwrap() - 1.1 * two.value(&poor).unwrap()).abs() < 1e-12);
}

/// A leaf that counts how often it is asked.
struct Counting(std::sync::atomic::AtomicU64);

impl ValueFunction for Counting {
    fn after(
        &self,
        _: &PosteriorFamily,
        outcomes: &[thrifty_autobct::Innovation],
    ) -> Result<Vec<f64>, thrifty_autobct::AutoBctError> {
        self.0.fetch_add(outcomes.len() as u64, std::sync::atomic::Ordering::Relaxed);
        Ok(vec![0.5; outcomes.len()])
    }
}

#[test]
fn the_cost_of_a_look_ahead_is_known_before() {
    let (decision, few) = (decision(), Expectation::Sampled { samples: 3, seed: Seed(0) });
    for depth in 1..=3 {
        let leaf = Counting(0.into());
        let ahead = BellmanRecursion::new(&decision, depth, Some(&leaf), &few).unwrap();
        ahead.of_controls(decision.controls(), &prior()).unwrap();
        assert_eq!(ahead.evaluations(21), leaf.0.into_inner(), "{depth}");
    }
    let alone =
        |depth| BellmanRecursion::new(&decision, depth, None, &Expectation::DEFAULT).unwrap().evaluations(21);
    assert_eq!((alone(1), alone(2), alone(3)), (21, 21 * 3, 21 * 13 * 7 * 9 * 3));
    assert_eq!(alone(40), u64::MAX);
}

#[test]
fn what_is_exact_needs_no_learning_and_what_is_learnt_is_close() {
    let decision = decision();
    let cloud = SamplingSettings {
        drawn: 60,
        levels: 4,
        roots: 80,
        depth: 3,
        branching: Branching::Every(3),
        ..small()
    };
    let map = ValueMap::build(&decision, &prior(), &cloud, &MapSettings::accurate(3), 2).unwrap();
    assert_eq!(map.depth(), 3);
    // Nothing asked is no error.
    assert_eq!(map.level(3, &decision).unwrap().after_each(&[], &[]), Ok(Vec::new()));
    let (one, two) = (OneStep(&decision), TwoSteps(&decision));
    let three = MapSettings::accurate(3).expectation;
    let later = Decision::new(0.16, controls(9), Quadrature::Hermite(3)).unwrap();
    let states = BeliefSamples::new(
        &prior(),
        &controls(9),
        &SamplingSettings { roots: 3, drawn: 0, ..cloud },
        Seed(77),
    )
    .unwrap();
    let (mut learnt, mut known) = (0.0, 0.0);
    for i in 0..states.len() {
        let state = states.state(i).unwrap();
        assert_eq!(map.level(1, &decision).unwrap().value(&state), one.value(&state));
        assert_eq!(map.level(2, &decision).unwrap().value(&state), two.value(&state));
        let truth = later.steps(&state, 3, &three).unwrap().value();
        let found = map.level(3, &decision).unwrap().value(&state).unwrap();
        let floor = two.value(&state).unwrap();
        assert!(found >= floor);
        learnt += (found - truth).powi(2);
        known += (floor - truth).powi(2);
    }
    assert!(learnt < 0.25 * known, "{learnt} {known}");
}

#[test]
fn threads_and_files_change_nothing() {
    let decision = decision();
    let map = ValueMap::build(&decision, &prior(), &small(), &faithful(), 1).unwrap();
    assert!(map == ValueMap::build(&decision, &prior(), &small(), &faithful(), 3).unwrap());
    let other = MapSettings { seed: Seed(4), ..faithful() };
    assert!(map != ValueMap::build(&decision, &prior(), &small(), &other, 1).unwrap());
    let mut file = Vec::new();
    map.write(&mut file).unwrap();
    let back = ValueMap::read(&file[..]).unwrap();
    assert!(map == back);
    let value = |map: &ValueMap| map.level(2, &decision).unwrap().value(&prior()).unwrap();
    assert_eq!(value(&map).to_bits(), value(&back).to_bits());
    let text = String::from_utf8(file).unwrap();
    let version = text.replace("\"version\":1", "\"version\":9");
    let message = |text: &str| ValueMap::read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(message(&version), "no value map: its version is 9, expected 1");
    // Trees of features that differ from the settings.
    let other = ValueMap::read(text.replace("\"features\":\"raw\"", "\"features\":{\"shape\":9}").as_bytes())
        .unwrap();
    assert!(other.level(2, &decision).unwrap().value(&prior()).is_err());
    let twice = ValueMap::read(text.replace("\"features\":\"raw\"", "\"features\":{\"shape\":3}").as_bytes())
        .unwrap();
    assert!(twice.level(2, &decision).unwrap().value(&prior()).is_err());
    assert!(message("{").contains("no value map") && message("[]").contains("version is none"));
    assert!(
        message(&text.replace("\"depth\":2,\"baseline\"", "\"depth\":3,\"baseline\"")).contains("2 levels")
    );
}

/// A damaged file is an error that names the damage where it is read, and no panic where it is used.
#[test]
fn damaged_maps_are_refused() {
    let map = ValueMap::build(&decision(), &prior(), &small(), &faithful(), 1).unwrap();
    let mut file = Vec::new();
    map.write(&mut file).unwrap();
    let whole: serde_json::Value = serde_json::from_slice(&file).unwrap();
    let damaged = |path: &str, change: &dyn Fn(&mut serde_json::Value)| {
        let mut json = whole.clone();
        change(json.pointer_mut(path).unwrap());
        let map = ValueMap::read(json.to_string().as_bytes());
        map.map(|map| map.level(2, &decision()).is_ok()).map_err(|error| error.to_string())
    };
    let pop = |list: &mut serde_json::Value| {
        list.as_array_mut().unwrap().pop();
    };
    assert_eq!(damaged("/key/controls/score_noise/0", &|_| ()), Ok(true));
    for (path, part) in [
        ("/key/controls/score", "functions of the score at 8 controls, expected 9"),
        ("/key/controls/cost", "functions of the cost at 8 controls"),
        ("/key/controls/score_noise", "variance of the score's noise at 8 controls"),
        ("/key/controls/cost_noise", "variance of the cost's noise at 8 controls"),
        ("/key/controls/cost/3", "functions of the cost at control 3"),
        ("/key/controls/points/data", "8 coordinates for 9 points"),
        ("/key/prior/score/covariance", "covariance"),
    ] {
        let found = damaged(path, &pop).unwrap_err();
        assert!(found.contains(part), "{path}: {found} does not name {part}");
    }
    for (path, value, part) in [
        ("/key/controls/score_noise/2", -1.0, "noise is -1, expected a positive"),
        ("/key/controls/points/data/2", 7.0, "control 2 is [7.0]"),
    ] {
        let found = damaged(path, &|number| *number = value.into()).unwrap_err();
        assert!(found.contains(part), "{path}: {found} does not name {part}");
    }
}

#[test]
fn a_map_of_another_problem_is_named() {
    let map = ValueMap::build(&decision(), &prior(), &small(), &faithful(), 2).unwrap();
    let refused = |decision: Result<Decision, _>| map.level(1, &decision.unwrap()).unwrap_err().to_string();
    let rule = Quadrature::Hermite(3);
    assert!(refused(Decision::new(0.2, controls(9), rule)).contains("γ is 0.16 there, expected 0.2"));
    assert!(refused(Decision::new(0.16, controls(11), rule)).contains("grid of controls is 9 controls"));
    assert!(refused(Decision::new(0.16, controls(9), Quadrature::Hermite(5))).contains("quadrature"));
    let noise = |_: &[f64]| NoiseStdDev { score: 0.05, cost: 0.1 };
    let grid = Controls::grid(1, 9);
    let loud =
        Controls::new(grid.as_ref(), &cubic(), &cubic(), |_| NoiseStdDev { score: 0.05, cost: 0.2 }).unwrap();
    assert!(refused(Decision::new(0.16, loud, rule)).contains("noise of the cost"));
    let waves = Controls::new(grid.as_ref(), &Fourier::new(1, 1, 2.0), &cubic(), noise).unwrap();
    assert!(refused(Decision::new(0.16, waves, rule)).contains("basis of the score"));
    let plane = Polynomial::additive(2, 3, 0.5);
    let square = Controls::new(Controls::grid(2, 3).as_ref(), &plane, &plane, noise).unwrap();
    assert!(
        refused(Decision::new(0.16, square, rule)).contains("dimension of controls is 1 there, expected 2")
    );
    assert!(map.level(3, &decision()).unwrap_err().to_string().contains("depth of a map is 3"));
    assert!(map.level(0, &decision()).is_err());
    let none = SamplingSettings { drawn: 0, roots: 0, ..small() };
    assert!(
        ValueMap::build(&decision(), &prior(), &none, &faithful(), 1)
            .unwrap_err()
            .to_string()
            .contains("beliefs")
    );
    let shallow = MapSettings { depth: 0, ..faithful() };
    assert!(ValueMap::build(&decision(), &prior(), &small(), &shallow, 1).is_err());
}

/// Follows plans with a map; with exact levels a map changes nothing.
#[test]
fn an_optimizer_follows_a_map() {
    let settings = |plan| AutoBctSettings {
        plan,
        grid: 21,
        later_grid: 9,
        of_cost: Quadrature::Hermite(3),
        max_epochs: 12,
        ..AutoBctSettings::default()
    };
    let optimizer = |plan| {
        let space = Space::builder().float("u", 0.0, 1.0).build().unwrap();
        AutoBct::new(space, &cubic(), &cubic(), prior(), settings(plan)).unwrap()
    };
    let finish = |optimizer: AutoBct| {
        let mut study = Study::new(optimizer, Seed(0));
        let reason = study
            .run(|config, _| {
                let u = config.float("u").unwrap();
                let score = 1.0 - 0.45 * (-6.0 * u).exp();
                Outcome::from(Measurement {
                    objectives: vec![score],
                    cost: Some(0.06 + 0.67 * u),
                    ..Measurement::default()
                })
            })
            .unwrap();
        let controls: Vec<f64> =
            study.history().trials().iter().map(|t| t.query.float("u").unwrap()).collect();
        assert!(matches!(reason, StopReason::Decided { .. }), "{reason:?}");
        controls
    };
    let exact = MapSettings { baseline: Baseline::TwoSteps, depth: 2, ..MapSettings::accurate(2) };
    let map = ValueMap::build(&decision(), &prior(), &small(), &exact, 1).unwrap();
    let three = optimizer(Plan::Relaxed { depth: 3 });
    let mapped = optimizer(Plan::Relaxed { depth: 1 }).with_value_function(map.clone()).unwrap();
    assert_ne!(
        thrifty_study::Optimizer::fingerprint(&mapped).unwrap(),
        thrifty_study::Optimizer::fingerprint(&optimizer(Plan::Relaxed { depth: 1 })).unwrap()
    );
    assert_eq!(finish(three), finish(mapped));
    for horizon in 1..=3 {
        let plan = Plan::Horizon { horizon };
        let (plain, mapped) =
            (finish(optimizer(plan)), finish(optimizer(plan).with_value_function(map.clone()).unwrap()));
        assert!(plain.len() <= horizon && mapped.len() <= horizon);
        assert_eq!(plain, mapped);
    }
    let faithful = ValueMap::build(&decision(), &prior(), &small(), &faithful(), 1).unwrap();
    assert!(
        !finish(optimizer(Plan::Relaxed { depth: 1 }).with_value_function(faithful.clone()).unwrap())
            .is_empty()
    );
    let space = Space::builder().float("u", 0.0, 1.0).build().unwrap();
    let dear = AutoBctSettings { gamma: 0.3, ..settings(Plan::Relaxed { depth: 1 }) };
    let error = AutoBct::new(space, &cubic(), &cubic(), prior(), dear)
        .unwrap()
        .with_value_function(faithful)
        .err()
        .unwrap();
    let mut text = error.to_string();
    let mut source: Option<&dyn std::error::Error> = std::error::Error::source(&error);
    while let Some(error) = source {
        text.push_str(&error.to_string());
        source = error.source();
    }
    assert!(text.contains('γ'), "{text}");
}

/// The last trainings of a horizon are exact with a map as without one, and so is the caution: a tenth of the 0.75 that another training is
/// worth is less than the 0.25 that is there.
#[test]
fn caution_at_the_end_of_a_horizon_needs_no_map() {
    let basis = Polynomial::of_one(1, 0.5);
    let line = |level, slope| Coefficients::independent(vec![level, slope], &[1e-6; 2]).unwrap();
    let prior = State { score: line(0.5, 0.5), cost: line(0.01, 0.0) };
    let goes_on = |epsilon: f64, with_map: bool| {
        let plan = Plan::Horizon { horizon: 2 };
        let settings =
            AutoBctSettings { plan, epsilon, grid: 5, later_grid: 5, ..AutoBctSettings::default() };
        let space = Space::builder().float("u", 0.0, 1.0).build().unwrap();
        let mut optimizer = AutoBct::new(space, &basis, &basis, prior.clone(), settings).unwrap();
        if with_map {
            let settings = MapSettings::accurate(1);
            let map = ValueMap::build(optimizer.decision(), &prior, &small(), &settings, 1).unwrap();
            optimizer = optimizer.with_value_function(map).unwrap();
        }
        let mut study = Study::new(optimizer, Seed(1));
        let mut config = Config::new();
        config.insert("u", 0.0);
        study.add_known(config, Measurement { cost: Some(0.01), ..Measurement::from(0.25) }).unwrap();
        matches!(study.ask().unwrap(), Next::Evaluate(_))
    };
    for with_map in [false, true] {
        assert!(goes_on(0.0, with_map) && !goes_on(0.9, with_map), "{with_map}");
    }
}

/// Later controls of more than 3000 are not smoothed over.
#[test]
fn maps_of_too_many_controls_to_smooth_over_are_named() {
    let later = controls(3001);
    let decision = Decision::with_later(0.16, controls(9), later, Quadrature::Hermite(3)).unwrap();
    let message = ValueMap::build(&decision, &prior(), &small(), &faithful(), 1).unwrap_err().to_string();
    assert!(message.contains("later controls is 3001") && message.contains("`smooth`"), "{message}");
}

/// Without levels between certainty and the full covariance there is certainty alone.
#[test]
fn a_cloud_without_levels_has_truths_alone() {
    let settings = SamplingSettings { levels: 0, roots: 0, ..small() };
    let cloud = BeliefSamples::new(&prior(), &controls(9), &settings, Seed(1)).unwrap();
    assert_eq!(cloud.len(), settings.drawn);
    for i in 0..cloud.len() {
        assert!(cloud.numbers(i).iter().all(|number| number.is_finite()), "{i}");
        assert!(cloud.state(i).unwrap().score.covariance().iter().all(|c| *c == 0.0), "{i}");
    }
}

/// One map for two tasks that agree in price, controls, functions and noise: from a vague prior, and from that of an earlier task, which
/// knows where to begin and so trains less.
#[test]
fn a_map_serves_two_tasks_with_priors_of_their_own() {
    let (basis, noise) = (Polynomial::of_one(2, 0.5), NoiseStdDev { score: 0.05, cost: 0.1 });
    let controls = Controls::new(Controls::grid(1, 11).as_ref(), &basis, &basis, |_| noise).unwrap();
    let decision = Decision::new(0.16, controls, Quadrature::Hermite(3)).unwrap();
    let vague = Coefficients::independent(vec![0.5, 0.0, 0.0], &[1.0; 3]).unwrap();
    let start = State { score: vague.clone(), cost: vague };
    let cloud = SamplingSettings { levels: 4, roots: 10, branching: Branching::Every(3), ..small() };
    let map = ValueMap::build(&decision, &start, &cloud, &MapSettings::accurate(3), 1).unwrap();
    assert_eq!((map.beliefs(), map.controls()), (cloud.len(), 11));
    let record = |(u, score, cost)| Record { control: vec![u], score, cost };
    let earlier = [(0.1, 0.4, 0.2), (0.6, 0.8, 0.5), (1.0, 0.7, 0.8)].map(record).to_vec();
    let warm = State::from_tasks(&basis, &basis, &start, &[earlier], noise).unwrap();
    let controls_of = |prior: State, best: f64| {
        let space = Space::builder().float("u", 0.0, 1.0).build().unwrap();
        let of_cost = Quadrature::Hermite(3);
        let plan = Plan::Relaxed { depth: 1 };
        let settings =
            AutoBctSettings { plan, grid: 11, later_grid: 11, of_cost, ..AutoBctSettings::default() };
        let optimizer = AutoBct::new(space, &basis, &basis, prior, settings).unwrap();
        let mut study = Study::new(optimizer.with_value_function(map.clone()).unwrap(), Seed(1));
        let reason = study
            .run(|config, _| {
                let u = config.float("u").unwrap();
                Measurement { cost: Some(0.1 + 0.7 * u), ..Measurement::from(0.8 - (u - best).powi(2)) }
            })
            .unwrap();
        assert!(matches!(reason, StopReason::Decided { .. }), "{reason:?}");
        assert!(study.recommend().unwrap().unwrap().value > 0.5);
        let trials = study.history().trials();
        trials.iter().map(|trial| trial.query.float("u").unwrap()).collect::<Vec<f64>>()
    };
    let (cold, warm) = (controls_of(start, 0.7), controls_of(warm, 0.6));
    assert!(warm.len() < cold.len() && (warm[0] - 0.6).abs() < 0.25, "{cold:?} {warm:?}");
}
