//! F1 of several methods on several problems.

use crate::harness::claims::{Claim, ClaimError, Family, Finding, Kind, Rule, Sample, Test};
use crate::harness::stats::mean_and_std_dev;

/// F1 of several methods on several problems; replication i of each is paired with that of the others.
pub struct Results {
    pub cases: Vec<&'static str>,
    pub methods: Vec<&'static str>,
    /// By case, method, replication and number of evaluations.
    pub f1: Vec<Vec<Vec<Vec<f64>>>>,
    /// By case and method: mean seconds of a run.
    pub seconds: Vec<Vec<f64>>,
    /// Replications that were declared.
    pub planned: usize,
}

impl Results {
    /// F1 by replication after k chosen evaluations.
    pub fn at(&self, case: usize, method: usize, k: usize) -> Vec<f64> {
        self.f1[case][method].iter().map(|curve| curve[k]).collect()
    }

    /// Mean and standard error of that.
    pub fn mean(&self, case: usize, method: usize, k: usize) -> (f64, f64) {
        let values = self.at(case, method, k);
        let (mean, std_dev) = mean_and_std_dev(&values);
        (mean, std_dev / (values.len() as f64).sqrt())
    }

    pub fn method(&self, name: &str) -> usize {
        self.methods.iter().position(|method| *method == name).unwrap_or(0)
    }

    /// "The F1 of one method is higher than that of another" on every problem, corrected over the problems.
    pub fn on_problems(&self, own: &str, other: &str, k: usize) -> Result<Vec<Finding>, ClaimError> {
        let (own, other) = (self.method(own), self.method(other));
        let mut family = Family::new(Rule::All);
        for case in 0..self.cases.len() {
            let (claim, sample) = self.claim(Kind::Superior, case, own, other, k)?;
            family.push(claim, sample);
        }
        Ok(family.judge()?.findings().to_vec())
    }

    /// Comparisons of every method with one on one problem, corrected over the methods; none for the one itself.
    pub fn against(&self, case: usize, other: &str, k: usize) -> Result<Vec<Option<Finding>>, ClaimError> {
        let other = self.method(other);
        let mut family = Family::new(Rule::All);
        for m in (0..self.methods.len()).filter(|m| *m != other) {
            let (claim, sample) = self.claim(Kind::Superior, case, m, other, k)?;
            family.push(claim, sample);
        }
        let mut found: Vec<Option<Finding>> = family.judge()?.findings().iter().cloned().map(Some).collect();
        found.insert(other, None);
        Ok(found)
    }

    /// A claim about the F1 of two methods after k chosen evaluations.
    pub fn claim(
        &self,
        kind: Kind,
        case: usize,
        own: usize,
        other: usize,
        k: usize,
    ) -> Result<(Claim, Sample), ClaimError> {
        let (ours, theirs) = (self.at(case, own, k), self.at(case, other, k));
        let name = format!(
            "{}: F1 of {} against {} at {k}",
            self.cases[case], self.methods[own], self.methods[other]
        );
        // A higher F1 is better: F1 less the other's is the gain.
        let sample = Sample::losses(&name, &theirs, &ours)?;
        Ok((Claim::new(name, kind, Test::SignedRank, self.planned), sample))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Results {
        let curves =
            |lift: f64| (0..30).map(|i| vec![0.5 + lift * f64::from(1 + i) / 100.0]).collect::<Vec<_>>();
        Results {
            cases: vec!["one"],
            methods: vec!["a", "b", "c"],
            f1: vec![vec![curves(0.0), curves(1.0), curves(0.0)]],
            seconds: vec![vec![0.0; 3]],
            planned: 30,
        }
    }

    #[test]
    fn what_is_always_better_is_found() {
        let results = results();
        let found = results.against(0, "a", 0).unwrap();
        assert!(found[0].is_none() && found[1].as_ref().unwrap().holds());
        assert_eq!(found[2].as_ref().unwrap().two_sided(), 1.0);
        assert!((found[1].as_ref().unwrap().effect - 0.155).abs() < 1e-12);
        assert!(results.on_problems("a", "b", 0).unwrap()[0].fails());
        assert_eq!(results.mean(0, 2, 0), (0.5, 0.0));
    }

    /// Fewer replications than declared show nothing, even of a method that is always better.
    #[test]
    fn fewer_replications_than_planned_decide_nothing() {
        let results = Results { planned: 31, ..results() };
        let found = results.on_problems("b", "a", 0).unwrap();
        assert!(!found[0].holds() && !found[0].fails() && found[0].p_for < 1e-4);
    }
}
