//! Good/bad splits of trials.

use crate::density::masses::KnownMasses;
use crate::history::coding::Coding;
use crate::history::observed::List;
use crate::history::table::Table;
use crate::{
    Dimension, Estimator, Layout, Observed, PendingPolicy, SideWeights, SplitScope, TpeError, TpeSettings,
};

/// Good/bad split of the trials in which at least one parameter of the block is active.
#[derive(Debug, Clone)]
pub(crate) struct GoodBadSplit {
    /// Side of each trial: its place on its side, with [`BAD`] added on the bad one; or [`NEITHER`].
    tags: Vec<u32>,
    counts: [usize; 2],
    weights: [SideWeights; 2],
    /// The good ones' share.
    pub(crate) share: f64,
}

const BAD: u32 = 1 << 31;
const NEITHER: u32 = u32::MAX;

/// True for a trial that counts in the split of a block.
fn is_in_scope(table: &Table, settings: &TpeSettings, block: &[usize], row: usize) -> bool {
    settings.scope == SplitScope::AllTrials || table.is_active(row, block)
}

impl GoodBadSplit {
    /// By rank; among those on which one of the parameters of `block` is active if the scope is their own.
    pub(crate) fn by_rank(table: &Table, settings: &TpeSettings, block: &[usize]) -> Self {
        let counts = |row: &u32| is_in_scope(table, settings, block, *row as usize);
        let ranking: Vec<u32> = table.ranking().iter().copied().filter(counts).collect();
        let losses: Vec<f64> = ranking.iter().map(|row| table.loss(*row as usize)).collect();
        let good = settings.split.good(&losses);
        Self::new(table, settings, block, &ranking, good)
    }

    /// By whether they meet constraint `index`: at least as many good ones as by rank, the least violating if need
    /// be. Of the same trials as [by rank](Self::by_rank).
    pub(crate) fn by_constraint(
        table: &Table,
        settings: &TpeSettings,
        block: &[usize],
        index: usize,
    ) -> Self {
        let violation = |row: &usize| table.constraints(*row).get(index).map(|c| c.max(0.0));
        let rows = (0..table.len()).filter(|row| is_in_scope(table, settings, block, *row));
        let mut rows: Vec<(f64, u32)> = rows.filter_map(|row| Some((violation(&row)?, row as u32))).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let feasible = rows.iter().filter(|(violation, _)| *violation == 0.0).count();
        // A target is a loss and none of a violation.
        let good = settings.split.good_by_rank(rows.len()).max(feasible);
        let order: Vec<u32> = rows.into_iter().map(|(_, row)| row).collect();
        Self::new(table, settings, block, &order, good)
    }

    /// The first `good` of the order are good.
    fn new(table: &Table, settings: &TpeSettings, block: &[usize], order: &[u32], good: usize) -> Self {
        let mut tags = vec![NEITHER; table.len()];
        for (at, row) in order.iter().enumerate() {
            tags[*row as usize] = if at < good { 0 } else { BAD };
        }
        if settings.pending == PendingPolicy::AsBad {
            table.running().iter().for_each(|row| tags[*row] = BAD);
        }
        let mut losses: [Vec<f64>; 2] = Default::default();
        for (row, tag) in tags.iter_mut().enumerate() {
            if *tag == NEITHER {
                continue;
            }
            if table.is_active(row, block) {
                let side = &mut losses[usize::from(*tag == BAD)];
                *tag |= side.len() as u32;
                side.push(table.loss(row));
            } else {
                *tag = NEITHER;
            }
        }
        let best_bad = losses[1].iter().copied().fold(f64::INFINITY, f64::min);
        let weights =
            [settings.weights.of(&losses[0], Some(best_bad)), settings.weights.of(&losses[1], None)];
        let share = if order.is_empty() { 0.5 } else { good as f64 / order.len() as f64 };
        Self { tags, counts: losses.map(|side| side.len()), weights, share }
    }

    /// Densities of the good and of the bad trials over some parameters.
    ///
    /// # Errors
    /// As [`Estimator::fit`].
    pub(crate) fn densities(
        &self,
        table: &Table,
        coding: &Coding,
        block: &[usize],
        settings: &TpeSettings,
        masses: &mut [Vec<KnownMasses>; 2],
    ) -> Result<[Estimator; 2], TpeError> {
        let dimensions: Vec<Dimension> =
            block.iter().map(|index| coding.parameters[*index].dimension.clone()).collect();
        let mut observed: [Vec<Observed>; 2] = Default::default();
        for index in block {
            let both = self.observed(
                table,
                *index,
                matches!(coding.parameters[*index].dimension, Dimension::Numeric(_)),
            );
            observed.iter_mut().zip(both).for_each(|(side, one)| side.push(one));
        }
        let [good, bad] = observed;
        let [of_good, of_bad] = masses;
        let fit = |observed, weights, masses: &mut Vec<KnownMasses>| {
            masses.resize_with(dimensions.len(), KnownMasses::default);
            Estimator::fit_knowing(&dimensions, observed, weights, &settings.kernels, Layout::Compact, masses)
        };
        Ok([fit(good, &self.weights[0], of_good)?, fit(bad, &self.weights[1], of_bad)?])
    }

    /// Observations of a parameter on either side: one pass over the trials, sorted as they are.
    fn observed(&self, table: &Table, index: usize, is_number: bool) -> [Observed; 2] {
        let column = &table.columns[index];
        if !is_number {
            let mut values = self.counts.map(|count| vec![f64::NAN; count]);
            for (tag, value) in self.tags.iter().zip(&column.values) {
                if *tag != NEITHER {
                    values[(tag >> 31) as usize][(tag & !BAD) as usize] = *value;
                }
            }
            return values.map(|values| Observed(List::Choices(values)));
        }
        let mut latent = self.counts.map(|count| Vec::with_capacity(count + 1));
        let mut order = self.counts.map(Vec::with_capacity);
        for row in &column.order {
            let tag = self.tags[*row as usize];
            if tag != NEITHER {
                let side = (tag >> 31) as usize;
                latent[side].push(column.latent[*row as usize]);
                order[side].push(tag & !BAD);
            }
        }
        let [good, bad] = latent;
        let [good_order, bad_order] = order;
        let numbers = |count, latent, order| Observed(List::Numbers { count, latent, order });
        [numbers(self.counts[0], good, good_order), numbers(self.counts[1], bad, bad_order)]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use thrifty_space::{Config, Space};
    use thrifty_study::{History, Measurement, Outcome, Trial, TrialId};

    use super::*;
    use crate::Split;

    /// Trials with a loss and one constraint each.
    fn table(space: &Space, settings: &TpeSettings, trials: &[(f64, f64)]) -> (Coding, Table) {
        let coding = Coding::new(space, &BTreeMap::new(), settings.grid_ends).unwrap();
        let trial = |(loss, constraint): &(f64, f64)| {
            let mut query = Config::new();
            query.insert("x0", 0.5);
            let outcome: Outcome = Measurement {
                objectives: vec![*loss],
                constraints: vec![*constraint],
                ..Measurement::default()
            }
            .into();
            Trial::new(TrialId(0), query, Some(outcome))
        };
        let history = History::from_trials(trials.iter().map(trial).collect(), thrifty_sampling::Seed(0));
        let mut table = Table::new(space, &coding, &[], settings).unwrap();
        table.follow(space, &coding, &history, settings).unwrap();
        (coding, table)
    }

    /// The share of a constraint's good side is that of the feasible trials, or that of the split by rank if it is larger.
    #[test]
    fn the_share_of_a_constraint_is_that_of_the_feasible() {
        let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        let settings = TpeSettings::recommended();
        let share = |constraints: &[f64]| {
            let trials: Vec<(f64, f64)> = constraints.iter().map(|c| (1.0, *c)).collect();
            let (_, table) = table(&space, &settings, &trials);
            let parting = GoodBadSplit::by_constraint(&table, &settings, &[0], 0);
            assert_eq!(parting.counts[0] + parting.counts[1], constraints.len());
            assert_eq!(parting.share, parting.counts[0] as f64 / constraints.len() as f64);
            parting.share
        };
        assert_eq!(share(&[-1.0, 0.5, 0.0, 2.0]), 0.5);
        assert_eq!(share(&[-1.0, -0.5, 0.0, 2.0]), 0.75);
        assert_eq!(share(&[-1.0; 7]), 1.0);
        // None is feasible: the least violating are good, as many as by rank.
        let by_rank = settings.split.good(&[1.0; 20]);
        assert!(by_rank > 0);
        assert_eq!(share(&[1.0; 20]), by_rank as f64 / 20.0);
    }

    /// A target of the loss says nothing of a violation: the feasible ones are good, whatever the target is.
    #[test]
    fn a_target_is_not_one_of_violations() {
        let space = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        for loss in [-1e6, 0.7, 1e6] {
            let settings = TpeSettings { split: Split::Target { loss }, ..TpeSettings::recommended() };
            let good = |trials: &[(f64, f64)]| {
                let (_, table) = table(&space, &settings, trials);
                GoodBadSplit::by_constraint(&table, &settings, &[0], 0).counts[0]
            };
            assert_eq!(good(&[(0.0, 0.5), (0.0, -1.0), (0.0, 0.0), (0.0, 2.0)]), 2, "{loss}");
            assert_eq!(good(&[(0.0, 0.5), (0.0, 0.6)]), 1, "{loss}");
        }
    }
}
