use crate::coding::Coding;
use crate::table::Table;
use crate::{Dimension, Estimator, Layout, Observed, SplitScope, TpeError, TpeSettings};

/// One question on which trials part: good and bad ones.
#[derive(Debug, Clone)]
pub(crate) struct Criterion {
    /// Of each trial.
    side: Vec<Side>,
    /// The good ones' share.
    pub(crate) share: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Good,
    Bad,
    Neither,
}

impl Criterion {
    /// Trials parted by their rank, among those on which one of the parameters of `block` is active if the scope is
    /// their own.
    pub(crate) fn by_rank(table: &Table, settings: &TpeSettings, block: &[usize]) -> Self {
        let counts =
            |row: &&u32| settings.scope == SplitScope::AllTrials || table.is_active(**row as usize, block);
        let ranking: Vec<u32> = table.ranking().iter().filter(counts).copied().collect();
        let losses: Vec<f64> = ranking.iter().map(|row| table.loss(*row as usize)).collect();
        let good = settings.split.good(&losses);
        let mut criterion = Self::new(table, settings, good, losses.len());
        for (at, row) in ranking.iter().enumerate() {
            criterion.side[*row as usize] = if at < good { Side::Good } else { Side::Bad };
        }
        criterion
    }

    /// Trials parted by whether they meet constraint `index`: at least as many good ones as by rank, the least
    /// violating if need be.
    pub(crate) fn by_constraint(table: &Table, settings: &TpeSettings, index: usize) -> Self {
        let violation = |row: &usize| table.constraints(*row).get(index).map(|c| c.max(0.0));
        let mut rows: Vec<(f64, usize)> =
            (0..table.len()).filter_map(|row| Some((violation(&row)?, row))).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let losses: Vec<f64> = rows.iter().map(|(violation, _)| *violation).collect();
        let feasible = rows.iter().filter(|(violation, _)| *violation == 0.0).count();
        let good = settings.split.good(&losses).max(feasible).min(rows.len());
        let mut criterion = Self::new(table, settings, good, rows.len());
        for (at, (_, row)) in rows.into_iter().enumerate() {
            criterion.side[row] = if at < good { Side::Good } else { Side::Bad };
        }
        criterion
    }

    fn new(table: &Table, settings: &TpeSettings, good: usize, all: usize) -> Self {
        let running = settings.pending == crate::PendingPolicy::AsBad;
        let start = |row| if running && table.is_running(row) { Side::Bad } else { Side::Neither };
        let share = if all == 0 { 0.5 } else { good as f64 / all as f64 };
        Self { side: (0..table.len()).map(start).collect(), share }
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
    ) -> Result<[Estimator; 2], TpeError> {
        let dimensions: Vec<Dimension> =
            block.iter().map(|index| coding.parameters[*index].dimension.clone()).collect();
        let mut place = vec![u32::MAX; table.len()];
        let mut rows: [Vec<u32>; 2] = Default::default();
        for (row, side) in self.side.iter().enumerate() {
            let at = match side {
                Side::Good => 0,
                Side::Bad => 1,
                Side::Neither => continue,
            };
            // A trial speaks of a block when any of its parameters is active.
            if table.is_active(row, block) {
                place[row] = rows[at].len() as u32;
                rows[at].push(row as u32);
            }
        }
        let losses = rows
            .each_ref()
            .map(|rows| rows.iter().map(|row| table.loss(*row as usize)).collect::<Vec<f64>>());
        let worst = losses[1].iter().copied().fold(f64::INFINITY, f64::min);
        let estimate = |at: usize, wanted: Side| {
            let lists: Vec<(Vec<f64>, Vec<u32>)> = block
                .iter()
                .map(|index| {
                    let column = &table.columns[*index];
                    let values = rows[at].iter().map(|row| column.values[*row as usize]).collect();
                    let mine = |row: &&u32| self.side[**row as usize] == wanted;
                    let order = column.order.iter().filter(mine).map(|row| place[*row as usize]).collect();
                    (values, order)
                })
                .collect();
            let observed: Vec<Observed<'_>> =
                lists.iter().map(|(values, order)| Observed::sorted(values, order)).collect();
            let weights = settings.weights.of(&losses[at], (wanted == Side::Good).then_some(worst));
            Estimator::fit(&dimensions, &observed, &weights, &settings.kernels, Layout::Compact)
        };
        Ok([estimate(0, Side::Good)?, estimate(1, Side::Bad)?])
    }
}
