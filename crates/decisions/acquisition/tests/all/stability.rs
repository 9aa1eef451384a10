//! Values that only change on purpose: every rule on a fixed posterior, and the searches for anchors and minima.
//!
//! The numbers were recorded from this crate (`made_by` in the file); that they are right is the matter of other tests.

use serde_json::Value;
use thrifty_acquisition::{
    Acquisition, AcquisitionFactory, AcquisitionKind, Analytic, Average, Context, Gibbon, Gumbel,
    ImprovementTarget, LocalPenalties, LogInverseCost, MinValueSampler, OneShotKnowledgeGradient, PathSearch,
    Schedule, UtilityScale, choose_anchors, fantasies, lipschitz_constant, minima_among, minimizers_on,
    prune_baseline, thompson_among, weigh,
};
use thrifty_domain::{Domain, Points, PointsRef, Variable};
use thrifty_gp::{Gp, GpPosterior, GpSettings, Noise};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_sampling::Seed;
use thrifty_surrogate::{JOINT_LIMIT, JointPosterior, Posterior, Prediction};

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_acquisition.json"));

fn points(count: usize, seed: u64) -> Points {
    let mut rng = Seed(seed).stream("points", 0);
    Points::from_flat((0..2 * count).map(|_| rng.uniform()).collect(), 2)
}

/// Seven noisy observations of a function on the square.
fn observed() -> (Points, GpPosterior<Scaled<Matern52>>) {
    let x = points(7, 1);
    let y: Vec<f64> = x.rows().map(|p| (6.0 * p[0]).sin() + (p[1] - 0.5).powi(2)).collect();
    let settings = GpSettings { noise: Noise::Fixed(1e-2), ..GpSettings::default() };
    let posterior = Gp::matern52(2).with_settings(settings).condition(x.as_ref(), &y).unwrap();
    (x, posterior)
}

/// Values, and gradients where there are any, at three points.
fn seen(acquisition: &dyn Acquisition) -> Vec<f64> {
    let x = Points::from_flat(vec![0.3, 0.4, 0.65, 0.8, 0.9, 0.15], 2);
    let (mut values, mut gradients) = (vec![0.0; 3], vec![0.0; 6]);
    acquisition.values_into(x.as_ref(), &mut values);
    let mut again = vec![0.0; 3];
    if acquisition.values_with_gradients_into(x.as_ref(), &mut again, &mut gradients) {
        values.extend(again);
        values.extend(gradients);
    }
    values
}

/// Compares with the record; numbers that a local search ends at are known to its tolerance.
fn check(name: &str, found: &[f64]) {
    println!("RECORD {name} {found:?}");
    let record: Value = serde_json::from_str(RECORD).unwrap();
    let expected: Vec<f64> =
        record[name].as_array().unwrap_or(&vec![]).iter().filter_map(Value::as_f64).collect();
    assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1e-3), "{name}: {found} {expected}");
    }
}

fn rules() -> Vec<(&'static str, AcquisitionKind)> {
    vec![
        ("probability", AcquisitionKind::ProbabilityOfImprovement(ImprovementTarget::BestObserved)),
        ("log_probability", AcquisitionKind::LogProbabilityOfImprovement(ImprovementTarget::BestMean)),
        ("improvement", AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestObserved)),
        ("log_improvement", AcquisitionKind::default()),
        ("bound", AcquisitionKind::ConfidenceBound(Schedule::Constant { beta: 4.0 })),
        (
            "bound_finite",
            AcquisitionKind::ConfidenceBound(Schedule::SrinivasFinite { points: 100.0, delta: 0.1 }),
        ),
        ("bound_box", AcquisitionKind::ConfidenceBound(Schedule::Brochu { dim: 2, delta: 0.2 })),
        ("mean", AcquisitionKind::PosteriorMean),
        ("deviation", AcquisitionKind::MaxStdDev),
        ("thompson", AcquisitionKind::Thompson),
        ("max_value", AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Gumbel { count: 5 })),
        ("max_value_sampled", AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Sampled { count: 4 })),
        ("gibbon", AcquisitionKind::Gibbon(MinValueSampler::Gumbel { count: 5 })),
        ("joint_entropy", AcquisitionKind::JointEntropySearch { minimizers: 4 }),
        ("entropy", AcquisitionKind::EntropySearch { representers: 8, draws: 64 }),
        ("predictive", AcquisitionKind::PredictiveEntropySearch { representers: 8, draws: 64 }),
        ("noisy", AcquisitionKind::LogNoisyExpectedImprovement { draws: 32 }),
        ("knowledge", AcquisitionKind::LogKnowledgeGradient { anchors: 10 }),
    ]
}

#[test]
fn rules_keep_their_values() {
    let (x, posterior) = observed();
    let domain = Domain::new(vec![Variable::continuous(), Variable::stepped(9)]).unwrap();
    for (name, rule) in rules() {
        let mut rng = Seed(2).stream(name, 0);
        let context = Context {
            posterior: &posterior,
            target: -0.8,
            t: 7,
            domain: &domain,
            observed: x.as_ref(),
            running: 0,
            joint_limit: JOINT_LIMIT,
            is_promising: None,
            noise_variance: 0.02,
            rng: &mut rng,
        };
        check(name, &seen(&*rule.build(context).unwrap()));
    }
}

/// Acquisition with the same value everywhere.
struct Always(f64);

impl Acquisition for Always {
    fn values_into(&self, _: PointsRef<'_>, out: &mut [f64]) {
        out.fill(self.0);
    }
}

fn built<'a>(rule: AcquisitionKind, posterior: &'a dyn Posterior, target: f64) -> Box<dyn Acquisition + 'a> {
    let (domain, observed, mut rng) = (Domain::unit_cube(2), points(2, 8), Seed(2).stream("built", 0));
    let context = Context {
        posterior,
        target,
        t: 1,
        domain: &domain,
        observed: observed.as_ref(),
        running: 0,
        joint_limit: JOINT_LIMIT,
        is_promising: None,
        noise_variance: 0.02,
        rng: &mut rng,
    };
    rule.build(context).unwrap()
}

#[test]
fn rules_know_their_target_and_their_scale() {
    let (x, posterior) = observed();
    for (name, rule) in rules() {
        let improves = ["probability", "log_probability", "improvement", "log_improvement"].contains(&name);
        assert_eq!(rule.improvement(0.5).is_some(), improves, "{name}");
        if let Some(utility) = rule.improvement(0.5) {
            let Prediction { mean, variance } = posterior.predict(&[0.3, 0.4]);
            let alone = built(rule, &posterior, 0.5).value(&[0.3, 0.4]);
            assert_eq!(utility.value(mean, variance.sqrt()), alone, "{name}");
        }
        let scale = match name {
            "log_probability" | "log_improvement" | "noisy" | "knowledge" => UtilityScale::Log,
            "bound" | "bound_finite" | "bound_box" | "mean" | "thompson" => UtilityScale::Signed,
            _ => UtilityScale::NonNegative,
        };
        assert_eq!(rule.scale(), scale, "{name}");
        assert_eq!(
            rule.is_expected_improvement(),
            ["improvement", "log_improvement"].contains(&name),
            "{name}"
        );
        assert_eq!(rule.handles_pending(), ["noisy", "thompson"].contains(&name), "{name}");
    }
    // A weight of e adds 1 to a logarithm, and multiplies a utility by e; the excess of 3 over 3 with equal values is tiny.
    let weighted = |scale| {
        let weights: Vec<Box<dyn Acquisition>> = vec![Box::new(Always(1.0))];
        weigh(Box::new(Always(3.0)), scale, weights, x.row(0), x.as_ref()).unwrap().value(&[0.1, 0.2])
    };
    assert_eq!(weighted(UtilityScale::Log), 4.0);
    assert_eq!(weighted(UtilityScale::NonNegative), 3.0 * 1.0_f64.exp());
    assert!((weighted(UtilityScale::Signed) - ((3e-8 * 2.0_f64.ln()).ln() + 1.0)).abs() < 1e-9);
    assert_eq!(AcquisitionKind::PosteriorMean.target(), ImprovementTarget::BestObserved);
    let fixed = AcquisitionKind::ExpectedImprovement(ImprovementTarget::Fixed(2.0));
    assert_eq!(fixed.target(), ImprovementTarget::Fixed(2.0));
}

#[test]
fn batches_keep_their_values() {
    let (_, posterior) = observed();
    let pending = points(2, 8);
    let batch = Gibbon::new(vec![-1.1, -1.4], 0.03).unwrap().beside(&posterior, pending.as_ref()).unwrap();
    check("gibbon_batch", &seen(&batch));
    let lipschitz = lipschitz_constant(&posterior, points(6, 9).as_ref()).unwrap();
    let penalties = LocalPenalties::new(&posterior, pending.as_ref(), -1.2, lipschitz).unwrap();
    check("penalties", &seen(&penalties));
    check("lipschitz", &[lipschitz]);
    let mut rng = Seed(3).stream("fantasies", 0);
    let conditioned = fantasies(&posterior, pending.as_ref(), 0.01, 4, &mut rng).unwrap();
    let each = || -> Vec<Box<dyn Acquisition + '_>> {
        let one = |posterior| built(AcquisitionKind::default(), posterior, -0.8);
        conditioned.iter().map(|posterior| one(posterior)).collect()
    };
    check("average", &seen(&Average::of(each()).unwrap()));
    check("average_of_logarithms", &seen(&Average::of_logarithms(each()).unwrap()));
    let cost = Analytic::new(&posterior, LogInverseCost::cooled(10.0, 2.0, 4.0).unwrap());
    check("cost", &seen(&cost));
    let one_shot =
        OneShotKnowledgeGradient::new(&posterior, 2, 3, 0.02, -0.9, &mut Seed(4).stream("one", 0)).unwrap();
    assert_eq!(one_shot.dim(), 10);
    let all = one_shot.completed(pending.as_ref(), points(20, 10).as_ref()).unwrap();
    let (mut value, mut gradient) = ([0.0], [0.0; 10]);
    let all = Points::from_flat(all, 10);
    assert!(one_shot.values_with_gradients_into(all.as_ref(), &mut value, &mut gradient));
    let found = [all.as_flat(), &value, &gradient, &[one_shot.value(all.row(0))]].concat();
    check("one_shot", &found);
}

#[test]
fn searches_keep_their_choices() {
    let (x, posterior) = observed();
    let (pool, joint) = (points(40, 11), &posterior as &dyn JointPosterior);
    let rng = |name: &str| Seed(6).stream(name, 0);
    let indices = |chosen: Vec<usize>| chosen.into_iter().map(|i| i as f64).collect::<Vec<f64>>();
    check("among", &indices(thompson_among(joint, pool.as_ref(), 16, &mut rng("among")).unwrap()));
    check(
        "prune_baseline",
        &indices(prune_baseline(joint, pool.as_ref(), 64, &mut rng("contenders")).unwrap()),
    );
    check("anchors", choose_anchors(joint, pool.as_ref(), 12, &mut rng("anchors")).unwrap().as_flat());
    check("minima_among", &minima_among(joint, pool.as_ref(), 8, &mut rng("minima")).unwrap());
    let gumbel = Gumbel::of(&posterior, pool.as_ref()).unwrap();
    check("gumbel", &[gumbel.location, gumbel.scale, gumbel.quantile(0.3)]);
    let search = PathSearch { raw: 32, climbs: 2 };
    let domain = Domain::new(vec![Variable::continuous(), Variable::stepped(5)]).unwrap();
    let found = minimizers_on(&posterior, &domain, x.as_ref(), &search, 3, &mut rng("on")).unwrap();
    check("minimisers", &found.iter().flat_map(|m| [m.x[0], m.x[1], m.value]).collect::<Vec<f64>>());
    assert_eq!(PathSearch::default(), PathSearch { raw: 512, climbs: 3 });
}
