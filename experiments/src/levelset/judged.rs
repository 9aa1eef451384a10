use crate::harness::stats::{holm, mean_and_std_dev, wilcoxon};

/// F1 of several methods on several problems; replication i of each is paired with that of the others.
pub struct Results {
    pub cases: Vec<&'static str>,
    pub methods: Vec<&'static str>,
    /// By case, method, replication and number of evaluations.
    pub f1: Vec<Vec<Vec<Vec<f64>>>>,
    /// By case and method: mean seconds of a run.
    pub seconds: Vec<Vec<f64>>,
}

/// How one method compares with another on one problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Duel {
    /// Mean of the differences of F1: above 0 the first is better.
    pub difference: f64,
    /// Standard error of the mean.
    pub error: f64,
    /// Of the paired Wilcoxon test, corrected or not.
    pub p: f64,
}

impl Duel {
    pub fn of(own: &[f64], other: &[f64]) -> Self {
        let differences: Vec<f64> = own.iter().zip(other).map(|(a, b)| a - b).collect();
        let (difference, std_dev) = mean_and_std_dev(&differences);
        let error = std_dev / (differences.len() as f64).sqrt();
        Self { difference, error, p: wilcoxon(own, other) }
    }

    pub fn is_better(&self) -> bool {
        self.difference > 0.0 && self.p < 0.05
    }

    pub fn is_worse(&self) -> bool {
        self.difference < 0.0 && self.p < 0.05
    }
}

/// The same duels with p corrected for their number.
pub fn corrected(mut duels: Vec<Duel>) -> Vec<Duel> {
    let p = holm(&duels.iter().map(|duel| duel.p).collect::<Vec<f64>>());
    duels.iter_mut().zip(p).for_each(|(duel, p)| duel.p = p);
    duels
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

    /// One method against another on every problem, corrected over the problems.
    pub fn on_problems(&self, own: &str, other: &str, k: usize) -> Vec<Duel> {
        let (own, other) = (self.method(own), self.method(other));
        let duel = |case| Duel::of(&self.at(case, own, k), &self.at(case, other, k));
        corrected((0..self.cases.len()).map(duel).collect())
    }

    /// Every method against one, on one problem, corrected over the methods; the one itself has p = 1.
    pub fn against(&self, case: usize, other: &str, k: usize) -> Vec<Duel> {
        let other = self.method(other);
        let base = self.at(case, other, k);
        let others: Vec<usize> = (0..self.methods.len()).filter(|m| *m != other).collect();
        let duels = corrected(others.iter().map(|m| Duel::of(&self.at(case, *m, k), &base)).collect());
        let mut all = vec![Duel { difference: 0.0, error: 0.0, p: 1.0 }; self.methods.len()];
        others.into_iter().zip(duels).for_each(|(m, duel)| all[m] = duel);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_always_better_is_found() {
        let curves =
            |lift: f64| (0..30).map(|i| vec![0.5 + lift * f64::from(1 + i) / 100.0]).collect::<Vec<_>>();
        let results = Results {
            cases: vec!["one"],
            methods: vec!["a", "b", "c"],
            f1: vec![vec![curves(0.0), curves(1.0), curves(0.0)]],
            seconds: vec![vec![0.0; 3]],
        };
        let duels = results.against(0, "a", 0);
        assert!(duels[1].is_better() && !duels[1].is_worse() && duels[0].p == 1.0 && duels[2].p == 1.0);
        assert!((duels[1].difference - 0.155).abs() < 1e-12);
        assert!(results.on_problems("a", "b", 0)[0].is_worse());
        assert_eq!(results.mean(0, 2, 0), (0.5, 0.0));
    }
}
