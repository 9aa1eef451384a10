//! Finding of the replications about one claim.

use super::{Claim, LEVEL, Verdict};

/// Result of a claim with the evidence for its verdict.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Finding {
    pub claim: String,
    pub kind: String,
    pub test: &'static str,
    pub n: usize,
    pub planned: usize,
    /// Least number of replications, of each of two independent samples, with which the claim can hold in its family; none within
    /// 10,000.
    pub needed: Option<usize>,
    /// Estimate: a mean or median gain, a value, a rate.
    pub effect: f64,
    /// 95 % interval of the effect.
    pub interval: (f64, f64),
    /// p-value of the hypothesis that the claim is false, corrected for the family.
    pub p_for: f64,
    /// p-value of the hypothesis that the claim is true, corrected for the family.
    pub p_against: f64,
    /// Smallest distance from the boundary of the claim that these replications show with a power of 80 %.
    pub detectable: f64,
}

impl Finding {
    /// Without evidence yet.
    pub(super) fn new(claim: &Claim, n: usize) -> Self {
        Self {
            claim: claim.name.clone(),
            kind: claim.kind.text(),
            test: claim.test.name(),
            n,
            planned: claim.planned,
            needed: Some(1),
            effect: f64::NAN,
            interval: (f64::NEG_INFINITY, f64::INFINITY),
            p_for: 1.0,
            p_against: 1.0,
            detectable: f64::INFINITY,
        }
    }

    pub(super) fn of_nothing(claim: &Claim) -> Self {
        Self::new(claim, 0)
    }

    /// True if there are fewer replications than the claim needs to hold, so that it cannot.
    pub fn is_too_small(&self) -> bool {
        self.needed.is_none_or(|needed| self.n < needed) && self.p_for > LEVEL
    }

    /// Holds or does not hold on evidence, from at least the replications that were declared.
    pub fn verdict(&self) -> Verdict {
        if self.n == 0 || self.n < self.planned {
            Verdict::Inconclusive
        } else if self.p_for <= LEVEL {
            Verdict::Holds
        } else if self.p_against <= LEVEL {
            Verdict::DoesNotHold
        } else {
            Verdict::Inconclusive
        }
    }

    /// p-value of no difference, of a claim of superiority.
    pub fn two_sided(&self) -> f64 {
        (2.0 * self.p_for.min(self.p_against)).min(1.0)
    }

    /// Mean or median gain with its 95 % interval, as tables show it.
    pub fn effect_text(&self) -> String {
        let [effect, low, high] = [self.effect, self.interval.0, self.interval.1].map(crate::harness::number);
        format!("{effect} [{low}, {high}]")
    }

    /// Direction of a claim of superiority of a method with smaller losses.
    pub fn direction(&self) -> &'static str {
        match self.verdict() {
            Verdict::Holds => "lower",
            Verdict::DoesNotHold => "higher",
            Verdict::Inconclusive => "no difference",
        }
    }

    pub fn holds(&self) -> bool {
        self.verdict() == Verdict::Holds
    }

    pub fn fails(&self) -> bool {
        self.verdict() == Verdict::DoesNotHold
    }
}
