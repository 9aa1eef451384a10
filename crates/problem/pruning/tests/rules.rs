//! Decisions of each pruner on curves written by hand, laws, and bad settings.

use proptest::prelude::*;
use thrifty_pruning::{
    Both, HyperbandPruner, MedianPruner, PatiencePruner, PercentilePruner, PrunerKind,
    SuccessiveHalvingPruner, ThresholdPruner, WilcoxonPruner, signed_rank,
};
use thrifty_sampling::Seed;
use thrifty_study::{Curve, Direction, Pruner, TrialId};

const NAN: f64 = f64::NAN;

/// Reports from step 1 on.
fn steps(values: &[f64]) -> Vec<(u64, f64)> {
    (1..).zip(values.iter().copied()).collect()
}

fn curve(id: u64, reports: &[(u64, f64)], objective: Option<f64>) -> Curve<'_> {
    Curve { id: TrialId(id), reports, objective }
}

/// Decision on the last of the values, beside measured trials.
fn decision(pruner: &impl Pruner, own: &[f64], others: &[Vec<f64>]) -> bool {
    pruner.validate().unwrap();
    let own = steps(own);
    let others: Vec<_> = others.iter().map(|values| steps(values)).collect();
    let others: Vec<_> = (0..)
        .zip(&others)
        .map(|(id, reports)| curve(id, reports, reports.last().map(|report| report.1)))
        .collect();
    pruner.should_prune(curve(99, &own, None), &others, Seed(0))
}

#[test]
fn the_median_at_the_step_is_the_bound() {
    let others: Vec<Vec<f64>> = [5.0, 1.0, 3.0, 2.0, 4.0].iter().map(|value| vec![9.0, *value]).collect();
    let median = MedianPruner::default();
    assert!(!decision(&median, &[7.0, 3.0], &others), "the median goes on");
    assert!(decision(&median, &[7.0, 3.1], &others));
    assert!(!decision(&median, &[2.0, 3.1], &others), "its best value counts");
    assert!(decision(&median, &[NAN, NAN], &others), "NaN is worst");
    assert!(!decision(&median, &[7.0, 3.1], &others[1..]), "four trials are too few");
    assert!(!decision(&median, &[9.0, 9.0, 9.0], &others), "nobody has a third step");
    let nan = vec![vec![NAN]; 5];
    assert!(!decision(&median, &[1e300], &nan) && !decision(&median, &[NAN], &nan));
    assert!(!decision(&median, &[], &others) && !decision(&median, &[1.0], &[]));
}

#[test]
fn percentiles_bound_from_both_ends() {
    let others: Vec<Vec<f64>> = (1..=5).map(|value| vec![f64::from(value)]).collect();
    for (percentile, bound) in [(0.0, 1.0), (25.0, 2.0), (60.0, 3.4), (100.0, 5.0)] {
        let pruner = PercentilePruner::new(percentile);
        assert!(!decision(&pruner, &[bound], &others), "{percentile}");
        assert!(decision(&pruner, &[bound + 1e-9], &others), "{percentile}");
    }
}

#[test]
fn trials_that_were_not_measured_do_not_count_for_the_median() {
    let reports = steps(&[1.0]);
    let others: Vec<Curve<'_>> = (0..5).map(|id| curve(id, &reports, None)).collect();
    let own = steps(&[2.0]);
    assert!(!MedianPruner::default().should_prune(curve(9, &own, None), &others, Seed(0)));
}

#[test]
fn warmup_and_interval_choose_the_steps() {
    let others = vec![vec![0.0; 9]; 5];
    let median = MedianPruner { warmup_steps: 3, interval: 2, ..MedianPruner::default() };
    let stops: Vec<bool> = (1..=9).map(|count| decision(&median, &vec![1.0; count], &others)).collect();
    assert_eq!(stops, [false, false, true, false, true, false, true, false, true]);
    // The first report in an interval, wherever it is in it.
    let own = [(1, 1.0), (6, 1.0)];
    let others = [(6, 0.0)];
    let others: Vec<Curve<'_>> = (0..5).map(|id| curve(id, &others, Some(0.0))).collect();
    assert!(median.should_prune(curve(9, &own, None), &others, Seed(0)));
}

#[test]
fn a_rung_lets_one_in_eta_pass() {
    let halving = SuccessiveHalvingPruner { min_steps: 2, factor: 3, skipped: 0 };
    let others: Vec<Vec<f64>> = (1..=5).map(|value| vec![0.0, f64::from(value)]).collect();
    // Six at the rung: two go on.
    assert!(!decision(&halving, &[0.0, 1.5], &others) && !decision(&halving, &[0.0, 0.5], &others));
    assert!(!decision(&halving, &[0.0, 2.0], &others), "equal to the second");
    assert!(decision(&halving, &[0.0, 2.1], &others));
    assert!(!decision(&halving, &[9.0], &others), "before the rung");
    assert!(!decision(&halving, &[0.0, 1.0, 9.0], &others), "after the rung, before the next");
    assert!(!decision(&halving, &[0.0, 9.0], &[]), "the first to reach a rung");
    // Of two one goes on.
    assert!(decision(&halving, &[0.0, 1.1], &others[..1]) && !decision(&halving, &[0.0, 0.9], &others[..1]));
    assert!(decision(&halving, &[0.0, NAN], &others[..1]));
}

#[test]
fn rungs_are_the_first_step_times_powers_of_the_factor() {
    let others = vec![vec![0.0; 40]; 3];
    for (factor, skipped, rungs) in
        [(2, 0, &[2, 4, 8, 16, 32][..]), (3, 0, &[2, 6, 18]), (4, 0, &[2, 8, 32]), (3, 2, &[18])]
    {
        let halving = SuccessiveHalvingPruner { min_steps: 2, factor, skipped };
        let stops = |last: &usize| decision(&halving, &vec![1.0; *last], &others);
        assert_eq!((1..=40).filter(stops).collect::<Vec<_>>(), rungs, "factor {factor}, skipped {skipped}");
    }
}

/// The default rungs of successive halving, as documented: steps 1, 3, 9 and 27.
#[test]
fn rungs_are_powers_of_three_by_default() {
    let others = vec![vec![0.0; 30]; 3];
    let stops = |last: &usize| decision(&SuccessiveHalvingPruner::default(), &vec![1.0; *last], &others);
    assert_eq!((1..=30).filter(stops).collect::<Vec<_>>(), [1, 3, 9, 27]);
}

#[test]
fn a_report_beyond_a_rung_counts_for_it() {
    let halving = SuccessiveHalvingPruner { min_steps: 2, factor: 3, skipped: 0 };
    let reports = [[(1, 0.0), (7, 1.0)], [(1, 0.0), (9, 2.0)], [(1, 0.0), (6, 3.0)]];
    let others: Vec<Curve<'_>> = (0..).zip(&reports).map(|(id, reports)| curve(id, reports, None)).collect();
    let own = [(1, 0.0), (8, 1.5)];
    assert!(
        halving.should_prune(curve(9, &own, None), &others, Seed(0)),
        "four at rungs 2 and 6, one goes on"
    );
    let best = [(1, 0.0), (8, 0.5)];
    assert!(!halving.should_prune(curve(9, &best, None), &others, Seed(0)));
    let skipped = SuccessiveHalvingPruner { skipped: 2, ..halving };
    assert!(!skipped.should_prune(curve(9, &own, None), &others, Seed(0)), "the first rung is 18");
    let huge = SuccessiveHalvingPruner { min_steps: u64::MAX, factor: u64::MAX, skipped: u32::MAX };
    assert!(!huge.should_prune(curve(9, &own, None), &others, Seed(0)));
}

/// A first step of 0, which validation refuses and a pruner on its own reads as 1.
#[test]
fn the_first_rung_is_at_step_one_at_least() {
    let halving = SuccessiveHalvingPruner { min_steps: 0, factor: 3, skipped: 0 };
    let better = [(0, 0.0), (1, 0.0)];
    let others = [curve(0, &better, Some(0.0))];
    let own = [(0, 9.0), (1, 9.0)];
    let stops = |count: usize| halving.should_prune(curve(9, &own[..count], None), &others, Seed(0));
    assert!(!stops(1), "step 0 is before the first rung");
    assert!(stops(2), "step 1 is the first rung");
}

#[test]
fn brackets_have_the_shares_of_hyperband() {
    let hyperband = HyperbandPruner::new(81);
    assert_eq!(hyperband.last_bracket(), 4);
    // Li et al. (2018), Table 1: 81, 34, 15, 8, 5 configurations.
    let counts = [81.0, 34.0, 15.0, 8.0, 5.0];
    let n = 20_000;
    let mut found = [0.0; 5];
    for id in 0..n {
        found[hyperband.bracket(Seed(3), TrialId(id)) as usize] += 1.0;
    }
    for (found, count) in found.iter().zip(counts) {
        let share: f64 = count / 143.0;
        let error = (share * (1.0 - share) / n as f64).sqrt();
        assert!((found / n as f64 - share).abs() < 4.0 * error, "{found} for {share}");
    }
    assert_eq!(HyperbandPruner { min_steps: 3, max_steps: 80, factor: 3 }.last_bracket(), 2);
    assert_eq!(HyperbandPruner::new(1).last_bracket(), 0);
    // Trials that end before the first rung are all of one bracket.
    let short = HyperbandPruner { min_steps: 5, max_steps: 3, factor: 3 };
    assert_eq!((short.last_bracket(), short.bracket(Seed(3), TrialId(7))), (0, 0));
}

#[test]
fn trials_compete_within_their_bracket() {
    let hyperband = HyperbandPruner::new(9);
    let seed = Seed(5);
    let bracket = |id| hyperband.bracket(seed, TrialId(id));
    let ids = |wanted| (0..).filter(move |id| bracket(*id) == wanted);
    let better = [(1, 0.0)];
    let own = [(1, 1.0)];
    let running = curve(ids(0).next().unwrap(), &own, None);
    let outside: Vec<Curve<'_>> = ids(1).take(9).map(|id| curve(id, &better, None)).collect();
    assert!(!hyperband.should_prune(running, &outside, seed));
    let inside: Vec<Curve<'_>> = ids(0).skip(1).take(1).map(|id| curve(id, &better, None)).collect();
    assert!(hyperband.should_prune(running, &inside, seed));
    // Bracket 1 begins at step 3.
    let later = curve(ids(1).next().unwrap(), &own, None);
    assert!(!hyperband.should_prune(later, &outside[1..], seed));
}

/// Trials that make all R steps are measured in every bracket, also the worst of ten; a step before R they may stop.
#[test]
fn no_trial_of_hyperband_stops_at_its_last_step() {
    let (hyperband, seed) = (HyperbandPruner::new(9), Seed(5));
    let (better, own) = (steps(&[0.0; 9]), steps(&[1.0; 9]));
    for bracket in 0..=hyperband.last_bracket() {
        let mut ids = (0..).filter(|id| hyperband.bracket(seed, TrialId(*id)) == bracket);
        let running = ids.next().unwrap();
        let others: Vec<_> = ids.take(9).map(|id| curve(id, &better, Some(0.0))).collect();
        let stops =
            |reports: &[(u64, f64)]| hyperband.should_prune(curve(running, reports, None), &others, seed);
        assert!(!stops(&own), "bracket {bracket}");
        assert!(!stops(&[(10, 1.0)]), "bracket {bracket}: beyond its last step");
        assert_eq!(stops(&[(8, 1.0)]), bracket < 2, "bracket {bracket}: before its last step");
    }
}

#[test]
fn patience_ends_without_a_gain() {
    let patience = PatiencePruner { patience: 2, min_gain: 0.125 };
    let decide = |values: &[f64]| decision(&patience, values, &[]);
    assert!(!decide(&[1.0, 2.0]) && decide(&[1.0, 2.0, 2.0]) && decide(&[1.0, 1.0, 1.0]));
    assert!(decide(&[1.0, 0.95, 0.9]), "a small gain is none");
    assert!(!decide(&[1.0, 0.95, 0.875]) && !decide(&[1.0, 0.8, 0.9]));
    assert!(decide(&[NAN, NAN, NAN]) && !decide(&[NAN, NAN, 1.0]) && decide(&[1.0, NAN, NAN]));
    assert!(decision(&PatiencePruner::new(1), &[1.0, 1.0], &[]));
    assert!(!decision(&PatiencePruner::new(1), &[1.0, 1.0 - 1e-15], &[]));
    assert!(decision(&PatiencePruner::new(1), &[f64::NEG_INFINITY; 2], &[]));
}

/// Reports as many as the patience, with nothing before them: too few to stop, even where no loss is finite.
#[test]
fn patience_needs_a_report_before_the_recent_ones() {
    for patience in 1..4 {
        let pruner = PatiencePruner::new(patience);
        for value in [NAN, f64::INFINITY, 1.0] {
            assert!(!decision(&pruner, &vec![value; patience], &[]), "{patience} reports of {value}");
            assert!(
                decision(&pruner, &vec![value; patience + 1], &[]),
                "one more than {patience} of {value}"
            );
        }
    }
}

#[test]
fn thresholds_are_inclusive_and_nan_is_outside() {
    let threshold = ThresholdPruner { lower: 0.0, upper: 1.0, warmup_steps: 2 };
    let decide = |values: &[f64]| decision(&threshold, values, &[]);
    assert!(!decide(&[9.0]) && !decide(&[9.0, 1.0]) && !decide(&[9.0, 0.0]));
    assert!(decide(&[0.5, 1.1]) && decide(&[0.5, -0.1]) && decide(&[0.5, NAN]));
    let default = ThresholdPruner::default();
    assert!(decision(&default, &[NAN], &[]) && decision(&default, &[f64::INFINITY], &[]));
    assert!(!decision(&default, &[-1e308], &[]));
}

/// The first report of a trial at step 0, which the default bounds judge too: they have no warm-up.
#[test]
fn default_thresholds_hold_from_step_zero() {
    let stops = |value| ThresholdPruner::default().should_prune(curve(9, &[(0, value)], None), &[], Seed(0));
    assert!(stops(NAN) && stops(f64::INFINITY) && stops(f64::NEG_INFINITY), "not finite");
    assert!(!stops(0.0) && !stops(f64::MAX) && !stops(f64::MIN), "finite");
}

#[test]
fn folds_are_compared_with_the_best_trial() {
    let best = vec![0.1, 0.2, 0.3, 0.4, 0.5];
    let worse: Vec<f64> = best.iter().map(|value| value + 0.01).collect();
    let pruner = WilcoxonPruner::default();
    let others = [vec![9.0; 5], best.clone(), vec![8.0; 5]];
    // The fewest signs at 0.1 are four: 1/16.
    assert!(!decision(&pruner, &worse[..3], &others) && decision(&pruner, &worse[..4], &others));
    assert!(!decision(&pruner, &best, &others), "equal folds");
    let better: Vec<f64> = best.iter().map(|value| value - 0.01).collect();
    assert!(!decision(&pruner, &better, &others));
    assert!(!decision(&pruner, &worse, &[]), "no trial was measured");
    assert!(decision(&pruner, &[NAN; 4], &others));
    // A large gain on one fold outweighs small losses in the mean.
    let lucky = [0.11, 0.21, 0.31, 0.41, -3.0];
    assert!(!decision(&pruner, &lucky, &others));
    // Folds in another order are the same folds.
    let shuffled: Vec<(u64, f64)> = [4, 2, 5, 1].map(|fold| (fold, worse[fold as usize - 1])).to_vec();
    let reports = steps(&best);
    assert!(pruner.should_prune(curve(9, &shuffled, None), &[curve(0, &reports, Some(0.3))], Seed(0)));
}

/// Two folds are enough by default; their equal signs have p = 1/4, which a level above it lets count.
#[test]
fn two_folds_are_compared_if_the_level_lets_them() {
    let others = [vec![0.1, 0.2, 0.3]];
    let stops = |level, curve: &[f64]| {
        decision(&WilcoxonPruner { level, ..WilcoxonPruner::default() }, curve, &others)
    };
    assert!(stops(0.3, &[0.2, 0.4]), "two worse folds at 0.3");
    assert!(!stops(0.2, &[0.2, 0.4]), "two worse folds at 0.2");
    assert!(!stops(0.6, &[0.2]), "one worse fold, which has p = 1/2");
}

#[test]
fn two_pruners_must_agree() {
    let both = Both(PatiencePruner::new(1), MedianPruner::default());
    let others = vec![vec![0.0; 3]; 5];
    assert!(!decision(&both, &[2.0, 1.0], &others), "it improves");
    assert!(decision(&both, &[1.0, 2.0], &others));
    assert!(!decision(&both, &[1.0, 2.0], &others[1..]), "too few trials");
    assert!(Both(PatiencePruner::new(0), MedianPruner::default()).validate().is_err());
    let nowhere = PercentilePruner::new(200.0);
    assert!(Both(PatiencePruner::new(1), nowhere).validate().is_err());
}

#[test]
fn bad_settings_are_named() {
    let error = |pruner: &dyn Pruner| pruner.validate().unwrap_err().to_string();
    let cases: [(&dyn Pruner, &str); 11] = [
        (
            &PercentilePruner::new(NAN),
            "pruner percentile: percentile is NaN, expected a number from 0 to 100",
        ),
        (&PercentilePruner::new(101.0), "percentile is 101"),
        (&MedianPruner { interval: 0, ..MedianPruner::default() }, "pruner median: interval is 0"),
        (&SuccessiveHalvingPruner { factor: 1, ..SuccessiveHalvingPruner::default() }, "factor is 1"),
        (&SuccessiveHalvingPruner { min_steps: 0, ..SuccessiveHalvingPruner::default() }, "min_steps is 0"),
        (&HyperbandPruner::new(0), "pruner hyperband: max_steps is 0"),
        (&PatiencePruner { patience: 1, min_gain: -1.0 }, "min_gain is -1"),
        (&ThresholdPruner { lower: 2.0, upper: 1.0, warmup_steps: 0 }, "lower is 2"),
        (&ThresholdPruner { lower: 2.0, upper: NAN, warmup_steps: 0 }, "upper is NaN, expected a number"),
        (&ThresholdPruner { lower: NAN, upper: 1.0, warmup_steps: 0 }, "lower is NaN"),
        (&WilcoxonPruner { level: 0.0, startup_steps: 2 }, "level is 0"),
    ];
    for (pruner, expected) in cases {
        assert!(error(pruner).contains(expected), "{}", error(pruner));
    }
}

/// P(W ≥ w) for four untied differences: 16 signs, sums 0 to 10.
#[test]
fn signed_ranks_have_the_tabled_distribution() {
    let counts = [1, 1, 1, 2, 2, 2, 2, 2, 1, 1, 1];
    for signs in 0..16_u32 {
        let differences: Vec<f64> = (1..=4)
            .map(|rank| if signs >> (rank - 1) & 1 == 1 { f64::from(rank) } else { -f64::from(rank) })
            .collect();
        let sum: f64 = differences.iter().filter(|d| **d > 0.0).sum();
        let tail: i32 = counts[sum as usize..].iter().sum();
        assert_eq!(signed_rank(&differences), f64::from(tail) / 16.0);
    }
    // Equal differences share a rank; a zero takes one and has no sign.
    assert_eq!(signed_rank(&[1.0, 1.0]), 0.25);
    assert_eq!(signed_rank(&[1.0, -1.0]), 0.75);
    assert_eq!(signed_rank(&[0.0, 1.0, 2.0]), 0.25);
    assert_eq!((signed_rank(&[0.0, 0.0]), signed_rank(&[NAN])), (1.0, 1.0));
    assert_eq!(signed_rank(&[f64::INFINITY, f64::INFINITY, -1e-300]), 0.25);
}

/// Differences of one size have one rank, their mean: the test is that of the signs, whose positive ones are binomial. Of three signs two
/// or more are positive with probability 4/8, of four three or more with probability 5/16.
#[test]
fn equal_differences_are_judged_by_their_signs() {
    for differences in [[1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]] {
        assert_eq!(signed_rank(&differences), 0.5, "{differences:?}");
    }
    for differences in [[2.5, 2.5, 2.5, -2.5], [-2.5, 2.5, 2.5, 2.5]] {
        assert_eq!(signed_rank(&differences), 5.0 / 16.0, "{differences:?}");
    }
}

proptest! {
    /// Scale changes nothing, and with the signs turned the tails add up to 1 and the probability of the statistic.
    #[test]
    fn signed_ranks_are_a_distribution(differences in prop::collection::vec(-50_i32..50, 0..140), exponent in -12..12) {
        let values: Vec<f64> = differences.iter().copied().map(f64::from).collect();
        let p = signed_rank(&values);
        prop_assert!((0.0..=1.0).contains(&p));
        let scaled: Vec<f64> = values.iter().map(|value| value * 2_f64.powi(exponent)).collect();
        prop_assert_eq!(signed_rank(&scaled), p);
        let turned: Vec<f64> = values.iter().map(|value| -value).collect();
        prop_assert!(p + signed_rank(&turned) >= 1.0 - 1e-12);
        let better: Vec<f64> = values.iter().map(|value| value + 200.0).collect();
        prop_assert!(signed_rank(&better) <= p + 1e-12);
    }

    /// No order of the others, and no increasing change of all values, changes what a pruner by ranks decides.
    #[test]
    fn pruners_by_rank_do_not_depend_on_scale_or_order(
        values in prop::collection::vec(prop::collection::vec(-20_i32..20, 1..12), 1..12),
        own in prop::collection::vec(-20_i32..20, 1..12),
        turn in 0_usize..12,
    ) {
        let float = |values: &Vec<i32>| values.iter().copied().map(f64::from).collect::<Vec<f64>>();
        let others: Vec<Vec<f64>> = values.iter().map(float).collect();
        let own = float(&own);
        // Exact in both directions, so that equal values stay equal.
        let change = |values: &Vec<f64>| values.iter().map(|value| 8.0 * value + 1024.0).collect::<Vec<f64>>();
        let changed: Vec<Vec<f64>> = others.iter().map(change).collect();
        let mut turned = others.clone();
        turned.rotate_left(turn % others.len());
        let halving = SuccessiveHalvingPruner { factor: 2, ..SuccessiveHalvingPruner::default() };
        let median = MedianPruner { startup_trials: 2, ..MedianPruner::default() };
        for pruner in [&halving as &dyn Pruner, &median] {
            let decide = |own: &Vec<f64>, others: &Vec<Vec<f64>>| {
                let own = steps(own);
                let others: Vec<_> = others.iter().map(|values| steps(values)).collect();
                let others: Vec<_> = (0..).zip(&others).map(|(id, r)| curve(id, r, Some(0.0))).collect();
                pruner.should_prune(curve(99, &own, None), &others, Seed(0))
            };
            let decided = decide(&own, &others);
            prop_assert_eq!(decide(&change(&own), &changed), decided);
            prop_assert_eq!(decide(&own, &turned), decided);
        }
    }

    /// A trial that is at least as good everywhere is never stopped where a worse one is not.
    #[test]
    fn a_better_curve_is_not_stopped_sooner(
        values in prop::collection::vec(prop::collection::vec(-20_i32..20, 9), 1..12),
        own in prop::collection::vec(-20_i32..20, 1..9),
    ) {
        let others: Vec<Vec<f64>> = values.iter().map(|v| v.iter().copied().map(f64::from).collect()).collect();
        let own: Vec<f64> = own.iter().copied().map(f64::from).collect();
        let better: Vec<f64> = own.iter().map(|value| value - 1.0).collect();
        let halving = SuccessiveHalvingPruner { factor: 2, ..SuccessiveHalvingPruner::default() };
        prop_assert!(!decision(&halving, &better, &others) || decision(&halving, &own, &others));
        let median = MedianPruner { startup_trials: 2, ..MedianPruner::default() };
        prop_assert!(!decision(&median, &better, &others) || decision(&median, &own, &others));
    }
}

#[test]
fn settings_are_read_with_their_defaults() {
    let read = |text: &str| serde_json::from_str::<PrunerKind>(text);
    let defaults = [
        (r#"{"pruner": "median"}"#, PrunerKind::Median(MedianPruner::default())),
        (
            r#"{"pruner": "percentile", "percentile": 25}"#,
            PrunerKind::Percentile(PercentilePruner::new(25.0)),
        ),
        (
            r#"{"pruner": "successive_halving", "factor": 4}"#,
            PrunerKind::SuccessiveHalving(SuccessiveHalvingPruner { factor: 4, ..Default::default() }),
        ),
        (r#"{"pruner": "hyperband", "max_steps": 50}"#, PrunerKind::Hyperband(HyperbandPruner::new(50))),
        (r#"{"pruner": "patience"}"#, PrunerKind::Patience(PatiencePruner::new(5))),
        (r#"{"pruner": "threshold"}"#, PrunerKind::Threshold(ThresholdPruner::default())),
        (r#"{"pruner": "wilcoxon"}"#, PrunerKind::Wilcoxon(WilcoxonPruner::default())),
    ];
    for (text, expected) in defaults {
        let found = read(text).unwrap();
        assert_eq!(found, expected);
        assert_eq!(read(&serde_json::to_string(&found).unwrap()).unwrap(), expected);
        found.validate().unwrap();
    }
    for (text, part) in [
        (r#"{"pruner": "hyperband"}"#, "max_steps"),
        (r#"{"pruner": "median", "warmup": 3}"#, "unknown field `warmup`"),
        (r#"{"pruner": "mean"}"#, "unknown variant `mean`"),
        (r#"{"warmup_steps": 3}"#, "pruner"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    // The catalogue decides as its pruner.
    let others = vec![vec![0.0]; 5];
    let kind = read(r#"{"pruner": "median", "startup_trials": 6}"#).unwrap();
    assert!(!decision(&kind, &[1.0], &others) && decision(&MedianPruner::default(), &[1.0], &others));
}

#[test]
fn bounds_of_a_maximised_value_are_those_of_the_user() {
    let bounds = ThresholdPruner { lower: 0.2, upper: 1.0, warmup_steps: 0 };
    let losses = PrunerKind::Threshold(bounds).directed(Direction::Maximize);
    for (value, stops) in [(0.1, true), (0.2, false), (0.9, false), (1.1, true), (NAN, true)] {
        assert_eq!(decision(&losses, &[-value], &[]), stops, "{value}");
        let minimised = PrunerKind::Threshold(bounds).directed(Direction::Minimize);
        assert_eq!(decision(&minimised, &[value], &[]), stops, "{value}");
    }
    let default = ThresholdPruner::default();
    assert_eq!(default.directed(Direction::Maximize), default);
}
