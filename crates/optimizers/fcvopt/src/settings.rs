use thrifty_acquisition::{Rule, Schedule};
use thrifty_bo::{InitialDesign, Maximiser};

/// Which folds the initial design evaluates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitialFolds {
    /// All folds in turn, in random order: each as often as the others.
    #[default]
    Balanced,
    /// Each at random.
    Random,
    /// Two folds in turn, so that configurations can be compared on the same fold.
    Two,
}

/// How the fold of a chosen configuration is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoldRule {
    /// The one that leaves the least variance of the true loss there, exactly. Source: `FCVOpt`.
    #[default]
    LeastVariance,
    /// At random.
    Random,
    /// In turn.
    RoundRobin,
}

/// How fractional cross-validation works.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct FractionalSettings {
    /// Folds of a repeat, at least 2.
    pub folds: usize,
    /// Repeats of the cross-validation: the folds of all are taken as alike.
    pub repeats: usize,
    /// What is evaluated before there is a model, one fold each.
    pub initial: InitialDesign,
    /// Which folds that are.
    pub initial_folds: InitialFolds,
    /// The acquisition on the true loss.
    pub rule: Rule,
    /// The fold of what it chose.
    pub fold: FoldRule,
    /// How the acquisition is maximised.
    pub maximiser: Maximiser,
}

/// A setting that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value}, expected {expected}")]
pub struct SettingError {
    /// Which.
    pub name: &'static str,
    /// Its value.
    pub value: usize,
    /// What would do.
    pub expected: &'static str,
}

impl FractionalSettings {
    /// The paper's: lower confidence bound of width κ = 2, the fold of least variance, balanced folds in a Sobol design.
    #[must_use]
    pub fn new(folds: usize) -> Self {
        Self {
            folds,
            repeats: 1,
            initial: InitialDesign::Automatic,
            initial_folds: InitialFolds::default(),
            rule: Rule::ConfidenceBound(Schedule::Constant { beta: 4.0 }),
            fold: FoldRule::default(),
            maximiser: Maximiser::default(),
        }
    }

    /// Whether every setting makes sense.
    ///
    /// # Errors
    /// [`SettingError`] names the first that does not.
    pub fn validate(&self) -> Result<(), SettingError> {
        if self.folds < 2 {
            return Err(SettingError { name: "folds", value: self.folds, expected: "at least 2" });
        }
        if self.repeats == 0 {
            return Err(SettingError { name: "repeats", value: 0, expected: "at least 1" });
        }
        Ok(())
    }

    /// Folds over all repeats.
    pub(crate) fn all_folds(&self) -> usize {
        self.folds * self.repeats
    }
}
