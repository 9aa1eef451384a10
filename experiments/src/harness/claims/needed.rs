//! The least number of replications with which a claim can hold.

use super::rate::Rate;
use super::{Kind, LEVEL, Location, Test};

/// Replications beyond which a rate is not searched.
const MOST: usize = 10_000;

/// Least number of replications, of each method where samples are independent, with which the best outcome shows the claim as one of a family
/// of `size`; none within 10,000.
///
/// ```text
/// signs and signed ranks: 2⁻ⁿ ≤ level / size      rank sums: n! n! / (2n)! ≤ level / size
/// rates: some k of n successes rejects at level / size that the rate is outside
/// ```
///
/// A mean tested by Student's t needs two, because nothing bounds its p-value from below.
pub(super) fn needed(kind: Kind, test: Test, size: usize) -> Option<usize> {
    let level = LEVEL / size.max(1) as f64;
    match test {
        Test::Exact => Some(1),
        Test::Student => Some(2),
        Test::SignFlip | Test::SignedRank => first(|n| 0.5_f64.powi(n as i32) <= level),
        Test::RankSum => {
            let mut least = 1.0;
            first(|n| {
                least *= n as f64 / (2.0 * (2 * n - 1) as f64);
                least <= level
            })
        }
        Test::Binomial => first(|n| rate_can_hold(kind, n, level)),
    }
}

fn first(mut is_enough: impl FnMut(usize) -> bool) -> Option<usize> {
    (1..=MOST).find(|n| is_enough(*n))
}

/// True if some number of successes among `n` trials rejects both ends of the region.
fn rate_can_hold(kind: Kind, n: usize, level: f64) -> bool {
    let (low, high) = kind.region();
    let trial = |successes: usize| Rate { successes, trials: n };
    if !high.is_finite() {
        return !low.is_finite() || trial(n).above(low) <= level;
    }
    if !low.is_finite() {
        return trial(0).below(high) <= level;
    }
    // The lower end is rejected from some count on: the first such count rejects the upper end the most.
    let (mut few, mut many) = (0, n + 1);
    while many - few > 1 {
        let middle = usize::midpoint(few, many);
        if trial(middle).above(low) <= level { many = middle } else { few = middle }
    }
    many <= n && trial(many).below(high) <= level
}

#[cfg(test)]
mod tests {
    use super::super::{Claim, Family, Rule, Sample, Verdict};
    use super::*;

    /// Verdict of a family of claims whose outcomes are the best that there can be.
    fn best(kind: Kind, test: Test, size: usize, n: usize) -> Verdict {
        let sample = |i: usize| 1.0 + i as f64 / 100.0;
        let sample = match (test, kind) {
            (Test::RankSum, _) => Sample::Independent {
                own: (0..n).map(sample).collect(),
                other: (0..n).map(|i| 9.0 + sample(i)).collect(),
            },
            (Test::Binomial, Kind::RateBetween(..)) => {
                let all = |successes| judged(kind, test, size, &Sample::Count { successes, trials: n });
                let holds = (0..=n).any(|successes| all(successes) == Verdict::Holds);
                return if holds { Verdict::Holds } else { Verdict::Inconclusive };
            }
            (Test::Binomial, _) => Sample::Count { successes: n, trials: n },
            _ => Sample::Gains((0..n).map(sample).collect()),
        };
        judged(kind, test, size, &sample)
    }

    fn judged(kind: Kind, test: Test, size: usize, sample: &Sample) -> Verdict {
        let mut family = Family::new(Rule::All);
        (0..size).for_each(|i| family.push(Claim::new(i.to_string(), kind, test, 1), sample.clone()));
        family.judge().unwrap().verdict()
    }

    #[test]
    fn a_claim_can_hold_with_the_needed_number_and_not_with_one_less() {
        let cases = [
            (Kind::Superior, Test::SignFlip),
            (Kind::Superior, Test::SignedRank),
            (Kind::NotInferior { margin: 0.1 }, Test::SignedRank),
            (Kind::Superior, Test::RankSum),
            (Kind::RateAtLeast(0.5), Test::Binomial),
            (Kind::RateAtLeast(0.9), Test::Binomial),
            (Kind::RateBetween(0.2, 0.9), Test::Binomial),
        ];
        for (kind, test) in cases {
            for size in [1, 2, 7] {
                let n = needed(kind, test, size).unwrap();
                assert_eq!(best(kind, test, size, n), Verdict::Holds, "{kind:?} {test:?} {size} {n}");
                assert_ne!(best(kind, test, size, n - 1), Verdict::Holds, "{kind:?} {test:?} {size} {n}");
            }
        }
    }

    #[test]
    fn numbers_are_those_of_the_formulas() {
        let needed_for = |kind, test| needed(kind, test, 1);
        // Five pairs cannot do: 2⁻⁵ = 0.031.
        assert_eq!(needed_for(Kind::Superior, Test::SignFlip), Some(6));
        assert_eq!(needed(Kind::Superior, Test::SignedRank, 2), Some(7));
        // 4! 4! / 8! = 0.014, 3! 3! / 6! = 0.05.
        assert_eq!(needed_for(Kind::Superior, Test::RankSum), Some(4));
        // 0.9³⁶ = 0.0225, 0.9³⁵ = 0.0250316.
        assert_eq!(needed_for(Kind::RateAtLeast(0.9), Test::Binomial), Some(36));
        assert_eq!(needed_for(Kind::RateAtLeast(1.0), Test::Binomial), None);
        assert_eq!(needed_for(Kind::Superior, Test::Student), Some(2));
        assert_eq!(needed_for(Kind::EqualTo { value: 0.0, tolerance: 1.0 }, Test::Exact), Some(1));
    }
}
