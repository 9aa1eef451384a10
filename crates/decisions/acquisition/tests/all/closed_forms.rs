//! Small utilities and helpers by their closed forms, at their edges and with their defaults.

use thrifty_acquisition::{
    Acquisition, BernoulliEntropy, BernoulliVariance, ConditionalDraws, ConfidenceBound, ExpectedReduction,
    ExpectedUtility, ImprovementTarget, IntegratedBernoulli, KnowledgeGradient, LocalPenalties,
    LogBernoulliEntropy, LogBernoulliVariance, LogFeasibility, LogInverseCost, LookaheadGradient,
    LookaheadMoments, LookaheadUtility, MaxValueEntropySearch, PathSearch, PointState, RandomizedStraddle,
    RanjanImprovement, Robust, Schedule, Straddle, ThresholdField, Utility, choose_anchors,
    lipschitz_constant, minimizers_on, prune_baseline, thompson_among,
};
use thrifty_domain::{Domain, Points, PointsRef, Variable};
use thrifty_gp::{Gp, GpPosterior};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_prob::{cdf, log_cdf, pdf};
use thrifty_sampling::Seed;
use thrifty_surrogate::{Posterior, Prediction, lookahead};

/// A posterior whose mean is the point and whose standard deviation is given.
struct Given(f64);

impl Posterior for Given {
    fn dim(&self) -> usize {
        1
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        mean.copy_from_slice(x.as_flat());
        // Where the mean is negative everything is known.
        x.rows().zip(variance).for_each(|(x, slot)| *slot = if x[0] < 0.0 { 0.0 } else { self.0 * self.0 });
    }
}

fn process() -> (Points, GpPosterior<Scaled<Matern52>>) {
    let x = Points::from_rows(&[[0.1, 0.2], [0.8, 0.7], [0.4, 0.9], [0.6, 0.1], [0.3, 0.5]]).unwrap();
    let posterior = Gp::matern52(2).condition(x.as_ref(), &[1.0, -0.5, 0.7, 0.2, -0.1]).unwrap();
    (x, posterior)
}

#[test]
fn contenders_are_in_the_order_of_their_votes() {
    let (_, posterior) = process();
    let pool = Points::from_flat((0..60).map(|i| (f64::from(i) * 0.618_034).fract()).collect(), 2);
    let stream = || Seed(3).stream("draws", 0);
    let mut votes = vec![0; pool.len()];
    for index in thompson_among(&posterior, pool.as_ref(), 200, &mut stream()).unwrap() {
        votes[index] += 1;
    }
    let found = prune_baseline(&posterior, pool.as_ref(), 200, &mut stream()).unwrap();
    assert_eq!(found.len(), votes.iter().filter(|count| **count > 0).count());
    assert!(found.len() > 2 && found.iter().all(|i| votes[*i] > 0));
    assert!(found.windows(2).all(|pair| votes[pair[0]] >= votes[pair[1]]));

    // Anchors: these, of four draws each, and then by μ - 2σ.
    let best = prune_baseline(&posterior, pool.as_ref(), 4 * 25, &mut stream()).unwrap();
    let anchors = choose_anchors(&posterior, pool.as_ref(), 25, &mut stream()).unwrap();
    assert_eq!(anchors.len(), 25);
    assert!(best.len() < 20, "{}", best.len());
    for (anchor, i) in anchors.rows().zip(&best) {
        assert_eq!(anchor, pool.row(*i));
    }
    let bound = |x: &[f64]| {
        let Prediction { mean, variance } = posterior.predict(x);
        mean - 2.0 * variance.sqrt()
    };
    let rest: Vec<f64> = anchors.rows().skip(best.len()).map(bound).collect();
    assert!(rest.windows(2).all(|pair| pair[0] <= pair[1]), "{rest:?}");
    let is_anchor = |x: &[f64]| anchors.rows().any(|anchor| anchor == x);
    assert!(pool.rows().filter(|x| !is_anchor(x)).all(|x| bound(x) >= *rest.last().unwrap()));
    // All different, and no more than there are.
    let twice = Points::from_rows(&[[0.2, 0.2], [0.2, 0.2], [0.9, 0.9]]).unwrap();
    assert_eq!(choose_anchors(&posterior, twice.as_ref(), 9, &mut stream()).unwrap().len(), 2);
}

#[test]
fn simpsons_rule_has_an_odd_number_of_nodes_from_3() {
    let with = |count| ExpectedUtility::new(|v: f64| v * v).with_nodes(count);
    for count in [0, 1, 2, 4, 6, 8, 100] {
        assert!(with(count).is_err(), "{count}");
    }
    for count in [3, 5, 7, 9, 101] {
        assert!(with(count).is_ok(), "{count}");
    }
    // E[(μ + σZ)²] = μ² + σ², with slopes 2μ and 2σ; and what is known is known.
    let square = with(201).unwrap();
    let (value, by_mean, by_std_dev) = square.value_and_slopes(0.7, 1.3);
    assert!((value - 0.49 - 1.69).abs() < 1e-12 && (value - square.value(0.7, 1.3)).abs() < 1e-14);
    assert!((by_mean - 1.4).abs() < 1e-12 && (by_std_dev - 2.6).abs() < 1e-12);
    let (value, by_mean, by_std_dev) = square.value_and_slopes(3.0, 0.0);
    assert!(value == 9.0 && (by_mean - 6.0).abs() < 1e-6 && by_std_dev == 0.0);
    // A step of 1e-6 relative to large means.
    assert!((square.value_and_slopes(1e6, 0.0).1 - 2e6).abs() < 1e-2);
}

/// At a point of the baseline the residual variance is zero: the means are the draws, and the standard deviation has no gradient.
#[test]
fn nothing_is_left_of_a_point_of_the_baseline() {
    let (_, posterior) = process();
    let baseline = Points::from_rows(&[[0.15, 0.6], [0.7, 0.4], [0.9, 0.9]]).unwrap();
    let draws =
        ConditionalDraws::new(&posterior, baseline.as_ref(), 16, &mut Seed(1).stream("draws", 0)).unwrap();
    let look = lookahead(&posterior, baseline.as_ref(), 0.0);
    let ahead = |x: &[f64], covariance: &mut [f64]| {
        let (mut mean, mut variance) = ([0.0], [0.0]);
        look.moments_into(PointsRef::single(x), &mut mean, &mut variance, covariance);
        (mean[0], variance[0])
    };
    for at in 0..3 {
        let mut covariance = [0.0; 4];
        let (mean, variance) = ahead(baseline.row(at), &mut covariance);
        let mut means = [0.0; 16];
        let left = draws.means_into(LookaheadMoments { mean, variance, covariance: &covariance }, &mut means);
        assert_eq!(left.std_dev, 0.0);
        for (draw, mean) in means.iter().enumerate() {
            assert!((mean - draws.values(draw)[at]).abs() < 1e-7, "{at} {draw}");
        }
        let mut slopes = [9.0; 4];
        let of_moments = draws.slopes_into(&left, &[0.0; 16], 3.0, &mut slopes);
        assert_eq!((slopes, of_moments), ([0.0; 4], LookaheadGradient::default()));
    }
    // Elsewhere: E over draws is the mean, and the law of total variance holds.
    let mut covariance = [0.0; 4];
    let (mean, variance) = ahead(&[0.4, 0.3], &mut covariance);
    let many =
        ConditionalDraws::new(&posterior, baseline.as_ref(), 1024, &mut Seed(1).stream("draws", 0)).unwrap();
    let mut means = vec![0.0; 1024];
    let left = many.means_into(LookaheadMoments { mean, variance, covariance: &covariance }, &mut means);
    let average = means.iter().sum::<f64>() / 1024.0;
    let spread = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / 1024.0;
    assert!((average - mean).abs() < 0.01 && left.std_dev > 0.0);
    assert!((spread + left.std_dev.powi(2) - variance).abs() < 0.02 * variance, "{spread} {variance}");
}

/// E[max over lines] by Simpson's rule over what an observation shows.
#[test]
fn knowledge_gradients_are_expectations_over_what_is_observed() {
    let (_, posterior) = process();
    let noise = 0.02;
    // Anchors where the mean is high, so that other points are better to begin with.
    let anchors = Points::from_rows(&[[0.1, 0.2], [0.4, 0.9], [0.2, 0.05]]).unwrap();
    let look = lookahead(&posterior, anchors.as_ref(), noise);
    let best = look.means().iter().copied().fold(f64::INFINITY, f64::min);
    let mut ahead = 0;
    for at in [[0.8, 0.7], [0.3, 0.5], [0.1, 0.3], [0.95, 0.05], [0.45, 0.95]] {
        let (mut mean, mut variance, mut covariance) = ([0.0], [0.0], [0.0; 4]);
        look.moments_into(PointsRef::single(&at), &mut mean, &mut variance, &mut covariance);
        ahead += usize::from(mean[0] < best);
        for own in [true, false] {
            let lines: Vec<(f64, f64)> = (look.means().iter().copied().chain([mean[0]]))
                .zip(covariance.map(|c| c / variance[0].sqrt()))
                .take(if own { 4 } else { 3 })
                .collect();
            let least = |z: f64| lines.iter().map(|(m, s)| m + s * z).fold(f64::INFINITY, f64::min);
            let n = 20_000;
            let node = |i: i32| -8.0 + 16.0 * (f64::from(i) + 0.5) / f64::from(n);
            let expected =
                best - (0..n).map(|i| least(node(i)) * pdf(node(i))).sum::<f64>() * 16.0 / f64::from(n);
            let gradient = || {
                let all = KnowledgeGradient::new(&posterior, anchors.as_ref(), noise).unwrap();
                if own { all } else { all.among_anchors() }
            };
            let (found, log) = (gradient().value(&at), gradient().logarithm().value(&at));
            assert!((found - expected).abs() < 1e-6, "{at:?} {own}: {found} {expected}");
            assert!((log.exp() - found).abs() < 1e-9 * found.max(1e-3), "{at:?} {own}: {log} {found}");
        }
    }
    assert!(ahead >= 2, "{ahead} points are better than all anchors");
}

#[test]
fn fields_keep_what_is_near_and_count_what_they_drop() {
    // Standard deviation ½ and threshold 1: u = 2 (x - 1) is -2, -1, 0, 1, 3; the negative one is known and left out.
    let points = Points::from_flat(vec![0.0, 0.5, 1.0, 1.5, 2.5, -3.0], 1);
    let weights = [0.1, 0.2, 0.3, 0.15, 0.05, 0.2];
    let field = |weights| ThresholdField::new(&Given(0.5), points.as_ref(), weights, 1.0).unwrap();
    let all = field(Some(&weights));
    assert_eq!((all.len(), all.is_empty(), all.neglected()), (5, false, 0.0));
    let doubt = |u: f64| cdf(u) * cdf(-u);
    let u = [-2.0, -1.0, 0.0, 1.0, 3.0];
    let expected: f64 = u.iter().zip(weights).map(|(u, w)| w * doubt(*u)).sum();
    assert!((all.bernoulli_variance() - expected).abs() < 1e-15);
    let expected: f64 = u.iter().zip(weights).map(|(u, w)| w * cdf(-f64::abs(*u))).sum();
    assert!((all.misclassified() - expected).abs() < 1e-15);
    // At the limit is near.
    let near = all.clone().near(1.0);
    assert_eq!(near.points().as_flat(), [0.5, 1.0, 1.5]);
    assert_eq!(near.weights(), [0.2, 0.3, 0.15]);
    assert!((near.neglected() - 0.1 * doubt(2.0) - 0.05 * doubt(3.0)).abs() < 1e-15);
    // Further drops add up, and a limit that keeps all or none changes nothing.
    let nearer = near.clone().near(0.5);
    assert_eq!(nearer.points().as_flat(), [1.0]);
    let dropped = near.neglected() + (0.2 + 0.15) * doubt(1.0);
    assert!((nearer.neglected() - dropped).abs() < 1e-15);
    assert_eq!(all.clone().near(3.0), all);
    assert_eq!(nearer.clone().near(-1.0), nearer);
    // Evenly spread, with the weights of all.
    let two = all.clone().thinned(2);
    assert_eq!(two.points().as_flat(), [0.0, 1.0]);
    assert!((two.weights()[0] - 0.1 * 0.8 / 0.4).abs() < 1e-15 && (two.weights()[1] - 0.6).abs() < 1e-15);
    assert_eq!(all.clone().thinned(3).points().as_flat(), [0.0, 0.5, 1.5]);
    assert_eq!((all.clone().thinned(0), all.clone().thinned(5)), (all.clone(), all.clone()));
    // Equal weights are one over all points, known ones too.
    assert!(field(None).weights().iter().all(|weight| *weight == 1.0 / 6.0));
    for bad in [vec![0.1; 5], vec![-0.1; 6], vec![f64::NAN; 6]] {
        assert!(ThresholdField::new(&Given(0.5), points.as_ref(), Some(&bad), 1.0).is_err());
    }
    assert!(ThresholdField::new(&Given(0.5), points.as_ref(), Some(&[0.0; 6]), 1.0).is_ok());
    assert!(ThresholdField::new(&Given(0.5), points.as_ref(), None, f64::NAN).is_err());
}

#[test]
fn what_is_known_has_no_slopes() {
    let threshold = 0.3;
    let utilities: Vec<Box<dyn Utility>> = vec![
        Box::new(BernoulliVariance { threshold }),
        Box::new(LogBernoulliVariance { threshold }),
        Box::new(BernoulliEntropy { threshold }),
        Box::new(LogBernoulliEntropy { threshold }),
        Box::new(RanjanImprovement { threshold, alpha: 2.0 }),
        Box::new(MaxValueEntropySearch::new(vec![-1.0, -0.5]).unwrap()),
    ];
    for (i, utility) in utilities.iter().enumerate() {
        for mean in [-1.0, 0.3, 2.0] {
            let (value, by_mean, by_std_dev) = utility.value_and_slopes(mean, 0.0);
            let none = if i == 1 || i == 3 { f64::NEG_INFINITY } else { 0.0 };
            assert_eq!((value, by_mean, by_std_dev), (none, 0.0, 0.0), "{i} at {mean}");
            assert_eq!(utility.value(mean, 0.0), none);
        }
    }
}

/// More than all cannot be explained.
#[test]
fn what_is_explained_is_at_most_all() {
    for u in [-1.5, 0.0, 0.4] {
        let seen = PointState { standardized: u, std_dev: 1.0 };
        let all = IntegratedBernoulli::default().gain(seen, 1.0);
        assert_eq!(IntegratedBernoulli::default().gain(seen, 1.0 + 1e-12), all);
        assert_eq!(IntegratedBernoulli::default().gain(seen, 1.7), all);
        // All is the whole variance.
        assert!((all - cdf(u) * cdf(-u)).abs() < 1e-14);
        assert_eq!(IntegratedBernoulli::default().gain(seen, 0.0), 0.0);
        assert_eq!(IntegratedBernoulli::default().slope(seen, 1.0), 0.0);
    }
}

#[test]
fn straddles_fall_off_on_both_sides_of_the_threshold() {
    let straddle = Straddle { threshold: 1.0, kappa: 1.96 };
    assert!(
        (straddle.value(1.5, 2.0) - 3.42).abs() < 1e-12 && (straddle.value(0.5, 2.0) - 3.42).abs() < 1e-12
    );
    assert_eq!(straddle.value_and_slopes(1.5, 2.0).1, -1.0);
    assert_eq!(straddle.value_and_slopes(0.5, 2.0), (straddle.value(0.5, 2.0), 1.0, 1.96));
    assert_eq!(straddle.value_and_slopes(1.0, 2.0), (3.92, 0.0, 1.96));
    let random = RandomizedStraddle { threshold: 1.0, beta: 4.0 };
    assert_eq!(random.value_and_slopes(2.0, 1.0), (1.0, -1.0, 2.0));
    // Never below 0, and flat there.
    assert_eq!((random.value(4.0, 1.0), random.value_and_slopes(4.0, 1.0)), (0.0, (0.0, 0.0, 0.0)));
    assert_eq!(random.value_and_slopes(3.0, 1.0), (0.0, 0.0, 0.0));
    // χ² of two degrees: the mean is 2, the median 2 ln 2.
    let mut rng = Seed(1).stream("beta", 0);
    let mut betas: Vec<f64> = (0..4001).map(|_| RandomizedStraddle::drawn(0.0, &mut rng).beta).collect();
    betas.sort_by(f64::total_cmp);
    let mean = betas.iter().sum::<f64>() / 4001.0;
    assert!((mean - 2.0).abs() < 0.13 && (betas[2000] - 4_f64.ln()).abs() < 0.13 && betas[0] >= 0.0);
}

#[test]
fn what_starts_a_search_of_paths_is_of_the_domain() {
    let known = Points::from_flat(vec![0.1, 0.9], 1);
    let posterior = Gp::matern52(1).condition(known.as_ref(), &[0.0, 1.0]).unwrap();
    let domain = Domain::new(vec![Variable::stepped(4)]).unwrap();
    let none = Points::new(1);
    for seed in 0..20 {
        for raw in [1, 2] {
            let search = PathSearch { raw, climbs: 0 };
            let mut rng = Seed(seed).stream("paths", 0);
            for found in minimizers_on(&posterior, &domain, none.as_ref(), &search, 3, &mut rng).unwrap() {
                let mut snapped = found.x.clone();
                domain.snap(&mut snapped);
                assert_eq!(found.x, snapped, "seed {seed}, {raw} points");
            }
        }
    }
    assert_eq!(PathSearch::default(), PathSearch { raw: 512, climbs: 3 });
}

/// Srinivas et al. (2010), theorem 1: 2 ln(|D| t² π² / 6δ); Brochu et al. (2010): 2 ln(t^(d/2+2) π² / 3δ).
#[test]
fn schedules_are_those_of_their_papers() {
    let pi2 = std::f64::consts::PI.powi(2);
    let finite = Schedule::SrinivasFinite { points: 100.0, delta: 0.1 };
    assert!((finite.beta(3).unwrap() - 2.0 * (100.0 * 9.0 * pi2 / 0.6).ln()).abs() < 1e-12);
    let brochu = Schedule::Brochu { dim: 3, delta: 0.1 };
    assert!((brochu.beta(4).unwrap() - 2.0 * (4_f64.powf(3.5) * pi2 / 0.3).ln()).abs() < 1e-12);
    let logarithmic = Schedule::Logarithmic { scale: 2.0 };
    assert!((logarithmic.beta(4).unwrap() - 2.0 * 5_f64.ln()).abs() < 1e-12);
    assert_eq!(Schedule::Logarithmic { scale: 0.0 }.beta(9), Ok(0.0));
    for schedule in [finite, brochu, logarithmic] {
        assert_eq!(schedule.beta(0), schedule.beta(1));
        assert!(schedule.beta(2).unwrap() > schedule.beta(1).unwrap());
    }
    assert_eq!(Schedule::Constant { beta: 4.0 }.beta(7), Ok(4.0));
    assert_eq!(Schedule::Constant { beta: 0.0 }.beta(7), Ok(0.0));
    for bad in [
        Schedule::Constant { beta: -1e-9 },
        Schedule::Constant { beta: f64::INFINITY },
        Schedule::SrinivasFinite { points: 0.99, delta: 0.1 },
        Schedule::SrinivasFinite { points: 10.0, delta: 0.0 },
        Schedule::SrinivasFinite { points: 10.0, delta: 1.0 },
        Schedule::Brochu { dim: 2, delta: 1.0 },
        Schedule::Brochu { dim: 2, delta: 0.0 },
        Schedule::Logarithmic { scale: -1e-9 },
        Schedule::Logarithmic { scale: f64::NAN },
    ] {
        assert!(bad.beta(1).is_err(), "{bad:?}");
    }
    assert!(Schedule::SrinivasFinite { points: 1.0, delta: 0.999 }.beta(1).is_ok());
    assert_eq!(ConfidenceBound { beta: 4.0 }.value_and_slopes(0.5, 3.0), (5.5, -1.0, 2.0));
}

#[test]
fn costs_cool_from_1_to_0_as_a_budget_is_spent() {
    let cooled = |spent| LogInverseCost::cooled(10.0, 2.0, spent).unwrap().exponent();
    assert_eq!([0.0, 2.0, 4.0, 6.0, 10.0, 12.0].map(cooled), [1.0, 1.0, 0.75, 0.5, 0.0, 0.0]);
    assert_eq!(LogInverseCost::default().exponent(), 1.0);
    for (total, initial, spent) in [(2.0, 2.0, 0.0), (1.0, 2.0, 0.0), (3.0, -1.0, 0.0), (3.0, 1.0, -1.0)] {
        assert!(LogInverseCost::cooled(total, initial, spent).is_err());
    }
    assert!(LogInverseCost::cooled(1e-9, 0.0, 0.0).is_ok());
    assert!(LogInverseCost::new(-1e-9).is_err() && LogInverseCost::new(0.0).is_ok());
    let half = LogInverseCost::new(0.5).unwrap();
    assert_eq!(half.value_and_slopes(1.0, 2.0), (-1.5, -0.5, -1.0));
    assert_eq!(half.value(1.0, 2.0), -1.5);
}

#[test]
fn meeting_a_bound_is_enough() {
    let bound = LogFeasibility { threshold: 0.5 };
    assert_eq!(bound.value(0.5, 0.0), 0.0);
    assert_eq!(bound.value_and_slopes(0.2, 0.0), (0.0, 0.0, 0.0));
    assert_eq!(bound.value(0.500_001, 0.0), f64::NEG_INFINITY);
    assert!((bound.value(1.5, 2.0) - log_cdf(-0.5)).abs() < 1e-14);
}

/// ln Φ((L ‖x - c‖ - (m - M)⁺) / s), summed over running points.
#[test]
fn penalties_are_the_chance_that_a_ball_does_not_reach() {
    let pending = Points::from_flat(vec![0.4, 1.0, -2.0], 1);
    let penalties = LocalPenalties::new(&Given(0.5), pending.as_ref(), 0.3, 2.0).unwrap();
    let of = |x: f64, c: f64| log_cdf((2.0 * (x - c).abs() - (c - 0.3).max(0.0)) / 0.5);
    for x in [0.0, 0.4, 0.7, 3.0] {
        // The point at -2 is known and below the minimum: its ball is only itself.
        let expected = of(x, 0.4) + of(x, 1.0);
        assert!((penalties.value(&[x]) - expected).abs() < 1e-12, "{x}");
        let (mut value, mut slope) = ([0.0], [7.0]);
        assert!(penalties.values_with_gradients_into(PointsRef::single(&[x]), &mut value, &mut slope));
        assert!((value[0] - expected).abs() < 1e-12);
        if x != 0.4 {
            let step = 1e-6;
            let found = (penalties.value(&[x + step]) - penalties.value(&[x - step])) / (2.0 * step);
            assert!((slope[0] - found).abs() < 1e-5 * (1.0 + found.abs()), "{x}: {} {found}", slope[0]);
        }
    }
    assert_eq!(penalties.value(&[-2.0]), f64::NEG_INFINITY);
    for (minimum, lipschitz) in [(f64::NAN, 1.0), (0.0, 0.0), (0.0, -1.0), (0.0, f64::INFINITY)] {
        assert!(LocalPenalties::new(&Given(0.5), pending.as_ref(), minimum, lipschitz).is_err());
    }
    let (x, posterior) = process();
    let steepest = lipschitz_constant(&posterior, x.as_ref()).unwrap();
    let slope = |row: &[f64]| {
        let along = |k: usize| {
            let at = |step: f64| {
                let mut moved = row.to_vec();
                moved[k] += step;
                posterior.predict(&moved).mean
            };
            (at(1e-5) - at(-1e-5)) / 2e-5
        };
        along(0).hypot(along(1))
    };
    let expected = x.rows().map(slope).fold(0.0, f64::max);
    assert!((steepest / expected - 1.0).abs() < 1e-5, "{steepest} {expected}");
    assert!(lipschitz_constant(&Given(0.5), pending.as_ref()).is_err());
}

struct Constant(f64);

impl LookaheadUtility for Constant {
    fn value(&self, _: LookaheadMoments<'_>) -> f64 {
        self.0
    }

    fn value_and_slopes(
        &self,
        _: LookaheadMoments<'_>,
        of_covariance: &mut [f64],
    ) -> (f64, LookaheadGradient) {
        of_covariance.fill(5.0);
        (self.0, LookaheadGradient { mean: 6.0, variance: 7.0 })
    }
}

/// The larger of the utility and γ times the standard deviation of the function, which is the last covariance.
#[test]
fn a_robust_utility_is_at_least_a_share_of_the_std_dev() {
    let ahead = |own: &'static [f64; 2]| LookaheadMoments { mean: 0.0, variance: 9.0, covariance: own };
    let robust = |utility| Robust { utility: Constant(utility), gamma: 0.5 };
    let mut slopes = [0.0; 2];
    let (value, moments) = robust(0.2).value_and_slopes(ahead(&[1.0, 4.0]), &mut slopes);
    assert_eq!((value, slopes, moments), (1.0, [0.0, 0.125], LookaheadGradient::default()));
    assert_eq!(robust(0.2).value(ahead(&[1.0, 4.0])), 1.0);
    let (value, moments) = robust(1.0).value_and_slopes(ahead(&[1.0, 4.0]), &mut slopes);
    assert_eq!((value, slopes, moments), (1.0, [5.0, 5.0], LookaheadGradient { mean: 6.0, variance: 7.0 }));
    assert_eq!(robust(3.0).value(ahead(&[1.0, 4.0])), 3.0);
    let (value, _) = robust(-1.0).value_and_slopes(ahead(&[1.0, 0.0]), &mut slopes);
    assert_eq!((value, slopes), (0.0, [0.0, 0.0]));
}

#[test]
fn thresholds_are_what_their_names_say() {
    let (observed, means) = ([3.0, 1.0, 5.0], [2.5, 1.5, 4.0]);
    assert_eq!(ImprovementTarget::Fixed(0.7).value(&observed, &means), 0.7);
    assert_eq!(ImprovementTarget::BestObserved.value(&observed, &means), 1.0);
    assert_eq!(ImprovementTarget::BestMean.value(&observed, &means), 1.5);
    assert_eq!(ImprovementTarget::BestWithMargin { xi: 0.25 }.value(&observed, &means), 0.0);
    assert_eq!(ImprovementTarget::BestWithMargin { xi: 0.25 }.value(&[2.0], &[2.0]), 2.0);
    assert_eq!(ImprovementTarget::BestWithMargin { xi: 0.25 }.value(&[], &[]), f64::INFINITY);
    assert_eq!(ImprovementTarget::BestObserved.value(&[], &[]), f64::INFINITY);
}
