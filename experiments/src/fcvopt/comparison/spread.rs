//! Spread of the fits of a run over folds and configurations.

use std::collections::{BTreeMap, BTreeSet};

use thrifty_cv::FoldQuery;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::History;

use super::{Curve, Method};
use crate::fcvopt::learners::listed::coincide;
use crate::harness::stats::quantile;
use crate::harness::{Table, number};

/// Spread of the fits of a run over folds and configurations.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Spread {
    /// Share of the fits that the most asked fold has.
    pub(super) largest_share: f64,
    /// Configurations asked.
    pub(super) configurations: f64,
    /// Folds of the recommended configuration that were asked.
    pub(super) folds_of_best: f64,
}

impl Spread {
    /// A recommendation may be the configuration up to rounding.
    ///
    /// # Errors
    /// [`SpaceError`] for a configuration that is not of the space.
    pub(super) fn of(
        space: &Space,
        history: &History<FoldQuery>,
        best: Option<&Config>,
    ) -> Result<Self, SpaceError> {
        let (mut fits, mut configurations) = (BTreeMap::<usize, usize>::new(), BTreeSet::new());
        let mut folds_of_best = BTreeSet::new();
        let best = best.map(|best| space.encode(best)).transpose()?;
        for FoldQuery { config, fold, .. } in history.trials().iter().map(|trial| &trial.query) {
            *fits.entry(*fold).or_default() += 1;
            configurations.insert(config.to_string());
            if let Some(best) = &best
                && coincide(best, &space.encode(config)?)
            {
                folds_of_best.insert(*fold);
            }
        }
        Ok(Self {
            largest_share: fits.values().max().map_or(0.0, |most| *most as f64 / history.len() as f64),
            configurations: configurations.len() as f64,
            folds_of_best: folds_of_best.len() as f64,
        })
    }
}

/// Medians over replications, by method.
pub(super) fn table(name: &str, methods: &[Method], curves: &[&[Curve]]) -> Table {
    let row = |(method, curves): (&Method, &&[Curve])| {
        let median =
            |pick: fn(&Curve) -> f64| number(quantile(&curves.iter().map(pick).collect::<Vec<f64>>(), 0.5));
        vec![
            method.name.into(),
            median(|c| c.spread.largest_share),
            median(|c| c.spread.configurations),
            median(|c| c.spread.folds_of_best),
        ]
    };
    Table {
        name: format!("spread-{name}"),
        caption: format!(
            "{name}: share of the fits that the most asked fold has, configurations asked, and folds of the recommended \
             configuration that were asked, at the end; medians over replications."
        ),
        header: ["method", "most asked fold", "configurations", "folds of the best"]
            .map(String::from)
            .to_vec(),
        rows: methods.iter().zip(curves).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;
    use thrifty_study::{Trial, TrialId};

    use super::*;

    #[test]
    fn fits_are_counted_by_fold_and_configuration() {
        let config = |x: f64| {
            let mut config = Config::new();
            config.insert("x", x);
            config
        };
        let trial = |(at, (x, fold)): (usize, (f64, usize))| {
            Trial::new(TrialId(at as u64), FoldQuery { config: config(x), repeat: 0, fold }, None)
        };
        let asked = [(0.1, 2), (0.2, 2), (0.1, 0), (0.1, 2), (0.3, 1)];
        let history = History::from_trials(asked.into_iter().enumerate().map(trial).collect(), Seed(0));
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let of = |history: &History<FoldQuery>, best: Option<f64>| {
            Spread::of(&space, history, best.map(config).as_ref()).unwrap()
        };
        let expected = Spread { largest_share: 0.6, configurations: 3.0, folds_of_best: 2.0 };
        assert_eq!(of(&history, Some(0.1)), expected);
        assert_eq!(of(&history, Some(0.1 + 1e-15)), expected, "up to rounding");
        assert_eq!(of(&history, Some(0.15)), Spread { folds_of_best: 0.0, ..expected });
        assert_eq!(of(&history, None), Spread { folds_of_best: 0.0, ..expected });
        assert_eq!(of(&History::from_trials(Vec::new(), Seed(0)), None), Spread::default());
        assert!(Spread::of(&space, &history, Some(&Config::new())).is_err());
    }
}
