//! Claims that are judged together.

use super::{Claim, ClaimError, Finding, LEVEL, Sample, Verdict};
use crate::harness::stats::holm;
use crate::harness::{Table, number};

/// Claims whose p-values are corrected for their number (Holm, 1979), on each side.
#[derive(Debug, Clone)]
pub struct Family {
    pub rule: Rule,
    claims: Vec<(Claim, Sample)>,
}

impl Family {
    pub fn new(rule: Rule) -> Self {
        Self { rule, claims: Vec::new() }
    }

    /// Adds a claim with its observations.
    pub fn with(mut self, claim: Claim, sample: Sample) -> Self {
        self.push(claim, sample);
        self
    }

    pub fn push(&mut self, claim: Claim, sample: Sample) {
        self.claims.push((claim, sample));
    }

    /// Tests every claim.
    ///
    /// # Errors
    /// [`ClaimError`] when a sample does not fit its claim.
    pub fn judge(&self) -> Result<Judgement, ClaimError> {
        let size = self.claims.len();
        let mut findings: Vec<Finding> =
            self.claims.iter().map(|(claim, sample)| claim.test(sample, size)).collect::<Result<_, _>>()?;
        let correct = |pick: fn(&Finding) -> f64| holm(&findings.iter().map(pick).collect::<Vec<f64>>());
        let (p_for, p_against) = (correct(|f| f.p_for), correct(|f| f.p_against));
        for (finding, (p_for, p_against)) in findings.iter_mut().zip(p_for.into_iter().zip(p_against)) {
            (finding.p_for, finding.p_against) = (p_for, p_against);
        }
        let verdicts: Vec<Verdict> = findings.iter().map(Finding::verdict).collect();
        let p_against = against(self.rule, &findings);
        Ok(Judgement { verdict: combine(self.rule, &verdicts), p_against, findings })
    }
}

/// Number of claims of a family that must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Every one.
    All,
    /// At least so many.
    AtLeast(usize),
}

/// Three-valued logic: a rule is broken when too few claims are left that could still hold.
fn combine(rule: Rule, verdicts: &[Verdict]) -> Verdict {
    let count = |which: Verdict| verdicts.iter().filter(|verdict| **verdict == which).count();
    let needed = match rule {
        Rule::All => verdicts.len(),
        Rule::AtLeast(count) => count,
    };
    if verdicts.is_empty() || verdicts.len() < needed {
        Verdict::Inconclusive
    } else if verdicts.len() - count(Verdict::DoesNotHold) < needed {
        Verdict::DoesNotHold
    } else if count(Verdict::Holds) >= needed {
        Verdict::Holds
    } else {
        Verdict::Inconclusive
    }
}

/// p-value of the hypothesis that the rule is kept: that of the claim whose refutation breaks it.
fn against(rule: Rule, findings: &[Finding]) -> f64 {
    // Too few replications refute nothing.
    let decides = |f: &Finding| f.n > 0 && f.n >= f.planned && f.verdict() != Verdict::Holds;
    let mut p: Vec<f64> = findings.iter().map(|f| if decides(f) { f.p_against } else { 1.0 }).collect();
    p.sort_by(f64::total_cmp);
    let spare = match rule {
        Rule::All => 0,
        Rule::AtLeast(count) => findings.len().saturating_sub(count),
    };
    p.get(spare).copied().unwrap_or(1.0)
}

/// Verdict of an experiment with the findings that it rests on.
#[derive(Debug, Clone)]
pub struct Judgement {
    verdict: Verdict,
    /// p-value of the hypothesis that the claim as a whole is true.
    p_against: f64,
    findings: Vec<Finding>,
}

impl Judgement {
    /// Every one of these must hold. Each has been corrected for itself; that one of them is refuted is corrected for their number
    /// (Bonferroni), because each could be refuted by chance.
    pub fn all(parts: Vec<Self>) -> Self {
        let least = parts.iter().map(|part| part.p_against).fold(1.0, f64::min);
        let p_against = (parts.len() as f64 * least).min(1.0);
        let verdict = if !parts.is_empty() && parts.iter().all(|part| part.verdict == Verdict::Holds) {
            Verdict::Holds
        } else if p_against <= LEVEL {
            Verdict::DoesNotHold
        } else {
            Verdict::Inconclusive
        };
        Self { verdict, p_against, findings: parts.into_iter().flat_map(|part| part.findings).collect() }
    }

    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// In the order of the claims.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    pub fn count(&self, verdict: Verdict) -> usize {
        self.findings.iter().filter(|finding| finding.verdict() == verdict).count()
    }

    /// Numbers of claims behind the verdict, in a line.
    pub fn reason(&self) -> String {
        let (all, holding) = (self.findings.len(), self.count(Verdict::Holds));
        let mut reason = format!("{holding} of {all} claims hold");
        for (count, what) in [
            (self.count(Verdict::DoesNotHold), "refuted"),
            (self.count(Verdict::Inconclusive), "undecided"),
            (
                self.findings.iter().filter(|finding| finding.is_too_small()).count(),
                "with too few replications",
            ),
        ] {
            if count > 0 {
                reason += &format!(", {count} {what}");
            }
        }
        reason
    }

    /// One row per claim.
    pub fn table(&self) -> Table {
        let needed = |f: &Finding| f.needed.map_or("more than 10,000".into(), |needed| needed.to_string());
        let row = |f: &Finding| {
            vec![
                f.claim.clone(),
                f.kind.clone(),
                f.test.to_owned(),
                if f.n < f.planned { format!("{} of {}", f.n, f.planned) } else { f.n.to_string() },
                if f.is_too_small() { format!("{}, too few", needed(f)) } else { needed(f) },
                number(f.effect),
                format!("[{}, {}]", number(f.interval.0), number(f.interval.1)),
                number(f.p_for),
                number(f.p_against),
                number(f.detectable),
                f.verdict().to_string(),
            ]
        };
        let header = [
            "claim",
            "kind",
            "test",
            "n",
            "needed",
            "effect",
            "95 %",
            "p for",
            "p against",
            "detectable",
            "verdict",
        ];
        Table {
            name: "claims".into(),
            caption: "Claims, declared before the runs. p for: of the hypothesis that the claim is false; p against: that it is \
                      true; both one-sided, after Holm over the family, at a level of 2.5 %. Needed: the least n with which the claim can hold. Detectable: the distance from the \
                      boundary of the claim that is shown with a probability of 80 %."
                .into(),
            header: header.map(String::from).to_vec(),
            rows: self.findings.iter().map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Test};
    use super::*;

    fn superior(test: Test, planned: usize, gains: &[f64]) -> Finding {
        let claim = Claim::new("a", Kind::Superior, test, planned);
        let family = Family::new(Rule::All).with(claim, Sample::Gains(gains.to_vec()));
        family.judge().unwrap().findings()[0].clone()
    }

    /// A method is made worse by a known amount: each test finds the direction, and too few runs find none.
    #[test]
    fn a_worse_method_is_found_in_both_directions() {
        let good: Vec<f64> = (0..12).map(|i| 1.0 + f64::from(i % 5)).collect();
        let worse: Vec<f64> = good.iter().enumerate().map(|(i, g)| g + 0.5 + 0.1 * (i % 3) as f64).collect();
        let better = Sample::losses("", &good, &worse).unwrap();
        let Sample::Gains(gains) = better else { panic!("paired losses are gains") };
        let losses: Vec<f64> = gains.iter().map(|g| -g).collect();
        for test in [Test::SignFlip, Test::SignedRank, Test::Student] {
            assert_eq!(superior(test, 12, &gains).verdict(), Verdict::Holds, "{test:?}");
            assert_eq!(superior(test, 12, &losses).verdict(), Verdict::DoesNotHold, "{test:?}");
            assert_eq!(superior(test, 12, &[0.0; 12]).verdict(), Verdict::Inconclusive, "{test:?}");
            assert_eq!(superior(test, 13, &gains).verdict(), Verdict::Inconclusive, "{test:?}");
            assert_eq!(superior(test, 1, &gains[..1]).verdict(), Verdict::Inconclusive, "{test:?}");
            assert_eq!(superior(test, 0, &[]).verdict(), Verdict::Inconclusive, "{test:?}");
        }
        let claim = Claim::new("a", Kind::Superior, Test::RankSum, 12);
        let far = Sample::Independent { own: good.clone(), other: good.iter().map(|g| g + 4.0).collect() };
        let near = Sample::Independent { own: good.iter().map(|g| g + 4.0).collect(), other: good.clone() };
        let judge = |sample| Family::new(Rule::All).with(claim.clone(), sample).judge().unwrap().verdict();
        assert_eq!((judge(far), judge(near)), (Verdict::Holds, Verdict::DoesNotHold));
    }

    #[test]
    fn margins_and_tolerances() {
        let judge = |kind, values: &[f64]| {
            let claim = Claim::new("a", kind, Test::Student, 6);
            Family::new(Rule::All).with(claim, Sample::Gains(values.to_vec())).judge().unwrap().verdict()
        };
        let near = [-0.11, -0.09, -0.1, -0.12, -0.08, -0.1];
        assert_eq!(judge(Kind::Superior, &near), Verdict::DoesNotHold);
        assert_eq!(judge(Kind::NotInferior { margin: 0.2 }, &near), Verdict::Holds);
        assert_eq!(judge(Kind::NotInferior { margin: 0.05 }, &near), Verdict::DoesNotHold);
        assert_eq!(judge(Kind::NotInferior { margin: 0.1 }, &near), Verdict::Inconclusive);
        assert_eq!(judge(Kind::EqualTo { value: -0.1, tolerance: 0.05 }, &near), Verdict::Holds);
        assert_eq!(judge(Kind::EqualTo { value: 0.1, tolerance: 0.05 }, &near), Verdict::DoesNotHold);
        assert_eq!(judge(Kind::EqualTo { value: -0.1, tolerance: 0.005 }, &near), Verdict::Inconclusive);
    }

    #[test]
    fn rates_need_enough_trials() {
        let judge = |kind, successes, trials| {
            let claim = Claim::new("a", kind, Test::Binomial, trials);
            let sample = Sample::Count { successes, trials };
            Family::new(Rule::All).with(claim, sample).judge().unwrap().verdict()
        };
        assert_eq!(judge(Kind::RateAtLeast(0.9), 20, 20), Verdict::Inconclusive);
        assert_eq!(judge(Kind::RateAtLeast(0.9), 36, 36), Verdict::Holds);
        assert_eq!(judge(Kind::RateAtLeast(0.9), 12, 20), Verdict::DoesNotHold);
        assert_eq!(judge(Kind::RateBetween(0.4, 0.6), 500, 1000), Verdict::Holds);
        assert_eq!(judge(Kind::RateBetween(0.4, 0.6), 700, 1000), Verdict::DoesNotHold);
        assert_eq!(judge(Kind::RateBetween(0.0, 0.6), 0, 1000), Verdict::Holds);
    }

    #[test]
    fn exact_numbers_are_in_or_out() {
        let judge = |values: &[f64]| {
            let family = Family::new(Rule::All)
                .with(Claim::exact("printed", 1.0, 1e-3), Sample::Values(values.to_vec()));
            family.judge().unwrap()
        };
        assert_eq!(judge(&[1.0005, 0.9995]).verdict(), Verdict::Holds);
        let off = judge(&[1.0005, 0.99]);
        assert_eq!((off.verdict(), off.findings()[0].effect), (Verdict::DoesNotHold, 0.99));
        assert_eq!(judge(&[]).verdict(), Verdict::Inconclusive);
    }

    #[test]
    fn families_correct_and_combine() {
        use Verdict::{DoesNotHold as No, Holds as Yes, Inconclusive as Open};
        assert_eq!(combine(Rule::All, &[Yes, Yes]), Yes);
        assert_eq!(combine(Rule::All, &[Yes, Open]), Open);
        assert_eq!(combine(Rule::All, &[Open, No]), No);
        assert_eq!(combine(Rule::AtLeast(1), &[Yes, No]), Yes);
        assert_eq!(combine(Rule::AtLeast(2), &[Yes, No]), No);
        assert_eq!(combine(Rule::AtLeast(2), &[Yes, No, Open]), Open);
        assert_eq!(combine(Rule::All, &[]), Open);
        assert_eq!(combine(Rule::AtLeast(3), &[Yes, Yes]), Open);
        // Six of one sign: p = 1/64 alone, 2/64 among two.
        let claim = || Claim::new("a", Kind::Superior, Test::SignFlip, 6);
        let six = || Sample::Gains(vec![1.0; 6]);
        let judgement = Family::new(Rule::All).with(claim(), six()).with(claim(), six()).judge().unwrap();
        assert_eq!((judgement.findings()[0].p_for, judgement.verdict()), (1.0 / 32.0, Open));
        assert_eq!(Family::new(Rule::All).with(claim(), six()).judge().unwrap().verdict(), Yes);
        assert_eq!(Judgement::all(vec![Family::new(Rule::All).judge().unwrap(), judgement]).verdict(), Open);
    }

    /// A refutation at 1/64 stands alone, and not as the one among eleven families that chance would give.
    #[test]
    fn refutations_are_corrected_for_the_number_of_families() {
        let part = |gain: f64| {
            let claim = Claim::new("a", Kind::Superior, Test::SignFlip, 6);
            Family::new(Rule::All).with(claim, Sample::Gains(vec![gain; 6])).judge().unwrap()
        };
        assert_eq!(Judgement::all(vec![part(-1.0)]).verdict(), Verdict::DoesNotHold);
        let eleven: Vec<Judgement> = (0..11).map(|i| part(if i == 0 { -1.0 } else { 1.0 })).collect();
        assert_eq!(eleven[0].verdict(), Verdict::DoesNotHold);
        assert_eq!(Judgement::all(eleven).verdict(), Verdict::Inconclusive);
        // Two of three must hold: one refutation breaks nothing, two do.
        let of = |gains: [f64; 3]| {
            let claim = || Claim::new("a", Kind::Superior, Test::SignFlip, 12);
            let family = gains.iter().fold(Family::new(Rule::AtLeast(2)), |family, gain| {
                family.with(claim(), Sample::Gains(vec![*gain; 12]))
            });
            Judgement::all(vec![family.judge().unwrap()]).verdict()
        };
        assert_eq!([of([1.0, 1.0, -1.0]), of([1.0, -1.0, -1.0])], [Verdict::Holds, Verdict::DoesNotHold]);
    }

    #[test]
    fn bad_samples_are_named() {
        let judge = |sample| {
            let claim = Claim::new("bo on Branin", Kind::Superior, Test::SignFlip, 3);
            Family::new(Rule::All).with(claim, sample).judge().unwrap_err().to_string()
        };
        assert_eq!(
            judge(Sample::Gains(vec![1.0, f64::NAN])),
            "claim \"bo on Branin\": replication 1 is NaN, expected a finite number"
        );
        assert!(judge(Sample::Count { successes: 1, trials: 2 }).contains("does not take counts"));
        let unpaired = Sample::losses("b", &[1.0], &[1.0, 2.0]).unwrap_err();
        assert_eq!(unpaired.to_string(), "claim \"b\": 1 replications against 2, expected pairs");
        let infinite = Sample::losses("b", &[1.0, f64::INFINITY], &[1.0, f64::INFINITY]).unwrap_err();
        assert!(matches!(infinite, ClaimError::NonFinite { replication: 1, .. }));
    }
}
