//! Convergence of a tuned learner: its definition, and the reference by which it is judged.

use crate::harness::runs::lossless_numbers;

/// Weight of the share of trees in the score: our guess for "minimises computation complexity".
pub const PENALTY: f64 = 0.01;
/// Largest number of trees.
pub const MOST: i64 = 150;
/// Random starts before the first turn.
pub const STARTS: usize = 3;
/// Turns after the starts.
pub const TURNS: usize = 20;
/// A recommendation is good if its reference score is within this of the best: less than the standard deviation of one evaluation of
/// the forest over seeds.
pub const GOOD: f64 = 0.0025;

/// Numbers of trees whose accuracy is known from many fresh learners.
pub const GRID: [u16; 14] = [1, 2, 3, 5, 8, 12, 18, 25, 35, 50, 70, 100, 125, 150];

/// Cross-validated accuracy at the numbers of trees of [`GRID`], mean over fresh learners and folds; linear between.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    accuracy: Vec<f64>,
}

impl Reference {
    /// Reference of accuracies by number of trees, one for each of [`GRID`].
    pub fn new(accuracy: Vec<f64>) -> Self {
        assert_eq!(accuracy.len(), GRID.len(), "one accuracy for each number of trees");
        Self { accuracy }
    }

    /// Accuracy of so many trees.
    pub fn accuracy(&self, trees: f64) -> f64 {
        let at = GRID.iter().position(|known| f64::from(*known) >= trees).unwrap_or(GRID.len() - 1);
        let Some(before) = at.checked_sub(1) else { return self.accuracy[0] };
        let (low, high) = (f64::from(GRID[before]), f64::from(GRID[at]));
        let share = ((trees - low) / (high - low)).clamp(0.0, 1.0);
        self.accuracy[before] + share * (self.accuracy[at] - self.accuracy[before])
    }

    /// Accuracy less the penalty for trees.
    pub fn score(&self, trees: f64) -> f64 {
        self.accuracy(trees) - PENALTY * trees / MOST as f64
    }

    /// Number of trees of the best score, and the score. It is at a known number, because both terms are linear between.
    pub fn best(&self) -> (f64, f64) {
        let scored = GRID.iter().map(|trees| (f64::from(*trees), self.score(f64::from(*trees))));
        scored.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((f64::NAN, f64::NAN))
    }

    fn is_good(&self, trees: f64) -> bool {
        self.score(trees) >= self.best().1 - GOOD
    }
}

/// One run: what was evaluated, in order, the starts first.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Tuned {
    #[serde(with = "lossless_numbers")]
    pub trees: Vec<f64>,
    /// Minus the score; infinite for an evaluation that failed.
    #[serde(with = "lossless_numbers")]
    pub losses: Vec<f64>,
    pub seconds: f64,
}

impl Tuned {
    /// Recommended number of trees after so many turns: that of the best score observed so far.
    pub fn recommended(&self, turn: usize) -> f64 {
        let so_far = self.losses.len().min(STARTS + turn);
        let best = (0..so_far).min_by(|&a, &b| self.losses[a].total_cmp(&self.losses[b]));
        best.map_or(f64::NAN, |at| self.trees[at])
    }

    /// Turn of convergence: the first turn from which on the recommended number of trees has a reference score within [`GOOD`] of the best
    /// until the last turn; 0 for the starts, and [`TURNS`] + 1 where it is not good at the last turn.
    ///
    /// A method that has stopped by itself keeps its recommendation. So the turn means the same for every method, whether it stops or
    /// not, and no property of the method's own model enters.
    pub fn convergence(&self, reference: &Reference) -> usize {
        let bad = (0..=TURNS).rev().find(|turn| !reference.is_good(self.recommended(*turn)));
        bad.map_or(0, |turn| turn + 1)
    }

    /// Evaluations after the starts.
    pub fn evaluations(&self) -> usize {
        self.losses.len().saturating_sub(STARTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0.8 at one tree, 0.87 from 35 trees on: best at 35.
    fn reference() -> Reference {
        Reference::new(
            GRID.iter().map(|t| 0.8 + 0.07 * f64::from(*t).ln().min(35_f64.ln()) / 35_f64.ln()).collect(),
        )
    }

    fn tuned(trials: &[(f64, f64)]) -> Tuned {
        let (trees, losses) = trials.iter().copied().unzip();
        Tuned { trees, losses, seconds: 0.0 }
    }

    #[test]
    fn the_reference_is_linear_between_its_numbers() {
        let reference = reference();
        let (trees, score) = reference.best();
        assert!(trees == 35.0 && (score - (0.87 - 0.01 * 35.0 / 150.0)).abs() < 1e-12, "{trees} {score}");
        let between = reference.accuracy(30.0);
        assert!((between - 0.5 * (reference.accuracy(25.0) + reference.accuracy(35.0))).abs() < 1e-12);
        assert_eq!(reference.accuracy(1.0), 0.8);
        assert!((reference.accuracy(150.0) - 0.87).abs() < 1e-12);
    }

    #[test]
    fn convergence_is_the_turn_from_which_on_the_recommendation_stays_good() {
        let reference = reference();
        let starts = [(1.0, -0.80), (2.0, -0.81), (3.0, -0.82)];
        let with = |turns: &[(f64, f64)]| tuned(&[&starts, turns].concat()).convergence(&reference);
        assert_eq!(with(&[(35.0, -0.87)]), 1);
        assert_eq!(with(&[(5.0, -0.83), (40.0, -0.86)]), 2);
        // Good, then a lucky evaluation of a bad number, then good again.
        assert_eq!(with(&[(35.0, -0.87), (1.0, -0.88), (40.0, -0.89)]), 3);
        // Never good, or not at the end; one that fails changes nothing.
        assert_eq!(with(&[]), TURNS + 1);
        assert_eq!(with(&[(35.0, -0.87), (2.0, -0.9)]), TURNS + 1);
        assert_eq!(with(&[(35.0, -0.87), (2.0, f64::INFINITY)]), 1);
        assert_eq!(tuned(&[(35.0, -0.87), (1.0, -0.8), (2.0, -0.8)]).convergence(&reference), 0);
    }

    #[test]
    fn a_run_without_evaluations_never_converges() {
        let none = tuned(&[]);
        assert!(none.recommended(3).is_nan());
        assert_eq!((none.convergence(&reference()), none.evaluations()), (TURNS + 1, 0));
    }
}
