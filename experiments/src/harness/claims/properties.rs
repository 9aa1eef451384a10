//! Laws of the tests: levels under the null, intervals that agree with p-values, corrections.

use proptest::prelude::*;

use super::sign_flip::sign_flip;
use super::signed_rank::SignedRank;
use super::student::Student;
use super::{Claim, Family, Kind, Location, Rule, Sample, Test, Verdict};
use crate::harness::stats::holm;

fn gains(most: usize) -> impl Strategy<Value = Vec<f64>> {
    // Halves, so that ties and zeros come.
    prop::collection::vec((-8_i32..=8).prop_map(|v| f64::from(v) / 2.0), 1..most)
}

/// Every sign pattern is as likely when the median is 0: the share of patterns with p ≤ level is at most the level.
fn is_valid(sizes: &[f64], p: impl Fn(&[f64]) -> f64) -> Result<(), TestCaseError> {
    let all = 1_u32 << sizes.len();
    let flipped = |signs: u32| -> Vec<f64> {
        sizes.iter().enumerate().map(|(i, d)| if signs >> i & 1 == 1 { -d } else { *d }).collect()
    };
    let mut found: Vec<f64> = (0..all).map(|signs| p(&flipped(signs))).collect();
    found.sort_by(f64::total_cmp);
    for (i, p) in found.iter().enumerate() {
        prop_assert!((i + 1) as f64 / f64::from(all) <= p + 1e-12, "p {p} comes too often");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn p_values_are_at_least_uniform_under_the_null(sizes in gains(8)) {
        is_valid(&sizes, |d| sign_flip(d).above(0.0))?;
        is_valid(&sizes, |d| sign_flip(d).below(0.0))?;
        is_valid(&sizes, |d| SignedRank::new(d).above(0.0))?;
        is_valid(&sizes, |d| SignedRank::new(d).below(0.0))?;
    }

    #[test]
    fn intervals_agree_with_p_values(values in prop::collection::vec(-5.0..5.0_f64, 2..14), bound in -6.0..6.0_f64) {
        let tests: [Box<dyn Location>; 3] =
            [Box::new(sign_flip(&values)), Box::new(SignedRank::new(&values)), Box::new(Student::new(&values))];
        for test in tests {
            let (low, high) = test.interval(0.025);
            if bound < low - 1e-9 { prop_assert!(test.above(bound) <= 0.025); }
            if bound > low + 1e-9 { prop_assert!(test.above(bound) > 0.025); }
            if bound > high + 1e-9 { prop_assert!(test.below(bound) <= 0.025); }
            if bound < high - 1e-9 { prop_assert!(test.below(bound) > 0.025); }
        }
    }

    #[test]
    fn p_values_rise_with_the_bound(values in gains(12), a in -5.0..5.0_f64, step in 0.0..3.0_f64) {
        let tests: [Box<dyn Location>; 2] = [Box::new(sign_flip(&values)), Box::new(Student::new(&values))];
        for test in tests {
            prop_assert!(test.above(a) <= test.above(a + step) + 1e-12);
            prop_assert!(test.below(a) + 1e-12 >= test.below(a + step));
        }
    }

    #[test]
    fn swapping_the_methods_swaps_the_verdict(values in gains(20), which in 0..3_usize) {
        let test = [Test::SignFlip, Test::SignedRank, Test::Student][which];
        let judge = |sign: f64| {
            let claim = Claim::new("a", Kind::Superior, test, 1);
            let sample = Sample::Gains(values.iter().map(|v| sign * v).collect());
            Family::new(Rule::All).with(claim, sample).judge().unwrap().verdict()
        };
        let swapped = match judge(1.0) {
            Verdict::Holds => Verdict::DoesNotHold,
            Verdict::DoesNotHold => Verdict::Holds,
            Verdict::Inconclusive => Verdict::Inconclusive,
        };
        prop_assert_eq!(judge(-1.0), swapped);
    }

    #[test]
    fn a_larger_margin_never_hurts(values in gains(14), margin in 0.0..2.0_f64, more in 0.0..2.0_f64) {
        let judge = |margin| {
            let claim = Claim::new("a", Kind::NotInferior { margin }, Test::SignFlip, 1);
            Family::new(Rule::All).with(claim, Sample::Gains(values.clone())).judge().unwrap().findings()[0].clone()
        };
        let (small, large) = (judge(margin), judge(margin + more));
        prop_assert!(large.p_for <= small.p_for + 1e-12 && large.p_against + 1e-12 >= small.p_against);
    }

    #[test]
    fn holm_is_between_bonferroni_and_none(p in prop::collection::vec(0.0..=1.0_f64, 1..12), level in 0.001..0.2_f64) {
        let corrected = holm(&p);
        for (p_value, corrected) in p.iter().zip(&corrected) {
            prop_assert!(corrected >= p_value);
            // What Bonferroni rejects Holm rejects; what Holm rejects is significant alone.
            prop_assert!(p_value * p.len() as f64 > level || *corrected <= level);
            prop_assert!(*corrected > level || *p_value <= level);
        }
    }

    #[test]
    fn a_claim_never_holds_and_fails(successes in 0_usize..60, more in 0_usize..60, low in 0.05..0.9_f64, wide in 0.0..0.5_f64) {
        let trials = successes + more;
        let claim = Claim::new("a", Kind::RateBetween(low, (low + wide).min(0.99)), Test::Binomial, 0);
        let sample = Sample::Count { successes, trials };
        let finding = Family::new(Rule::All).with(claim, sample).judge().unwrap().findings()[0].clone();
        prop_assert!(finding.p_for > 0.025 || finding.p_against > 0.025);
        prop_assert!((0.0..=1.0).contains(&finding.p_for) && (0.0..=1.0).contains(&finding.p_against));
    }
}
