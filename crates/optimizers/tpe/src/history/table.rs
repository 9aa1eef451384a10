//! Sorted columns of all trials, a cache over the history.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use thrifty_space::{Config, Space};
use thrifty_study::{History, Lineage, OptimizerError, Outcome, Trial};

use crate::history::coding::Coding;
use crate::history::pareto::front_keys;
use crate::history::ranking::{Class, Key, Ranking};
use crate::history::row::{Row, State};
use crate::{Dimension, FailurePolicy, PendingPolicy, Split, StartupCount, TpeError, TpeSettings};

/// All trials as columns, kept sorted: a cache over the history.
///
/// A trial costs 20 bytes a parameter here, and some 90 once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    /// Trials that came before the history.
    known: usize,
    /// The history that it follows.
    lineage: Option<Lineage>,
    pub(crate) columns: Vec<TableColumn>,
    rows: Vec<Row>,
    /// `None` where a trial is not counted.
    keys: Vec<Option<Key>>,
    running: Vec<usize>,
    ranking: Ranking,
    /// Configurations asked of which no active parameter is continuous, by the bits of their values, with the number of their trials.
    /// Failures that have nothing to do with the configuration do not count.
    asked: HashMap<Box<[u64]>, usize>,
    /// Parameters that are continuous.
    continuous: Vec<usize>,
    has_many_objectives: bool,
    /// Trials that were pruned or measured with a finite loss.
    finished: usize,
    /// Numbers of objectives and constraints of the trials measured.
    shape: Option<Shape>,
}

/// Numbers of objectives and constraints.
#[derive(Debug, Clone, Copy)]
struct Shape {
    objectives: usize,
    /// Unset while there are only imported trials, which have none.
    constraints: Option<usize>,
}

/// One parameter of all trials.
#[derive(Debug, Clone, Default)]
pub(crate) struct TableColumn {
    /// Internal values; NaN where not active.
    pub(crate) values: Vec<f64>,
    /// Values of numbers on the latent scale.
    pub(crate) latent: Vec<f64>,
    /// Rows by the latent value; empty for choices.
    pub(crate) order: Vec<u32>,
}

impl Table {
    pub(crate) fn new(
        space: &Space,
        coding: &Coding,
        known: &[(Config, f64)],
        settings: &TpeSettings,
    ) -> Result<Self, OptimizerError> {
        let is_continuous = |index: &usize| matches!(&coding.parameters[*index].dimension, Dimension::Numeric(axis) if axis.grid.is_none());
        let mut table = Self {
            columns: vec![TableColumn::default(); coding.len()],
            continuous: (0..coding.len()).filter(is_continuous).collect(),
            ..Self::default()
        };
        for (index, (config, loss)) in known.iter().enumerate() {
            let values = coding
                .encode(space, config)
                .map_err(|error| OptimizerError::failed(format!("encoding known trial {index}"), error))?;
            table.push(&values, Row::imported(*loss), coding, settings);
        }
        table.known = known.len();
        table.shape = (!known.is_empty()).then_some(Shape { objectives: 1, constraints: None });
        Ok(table)
    }

    /// Brings the table up to the history.
    ///
    /// # Errors
    /// [`OptimizerError`] names a trial that is not of the space, or whose number of objectives or constraints is not
    /// that of the trials before it.
    pub(crate) fn follow(
        &mut self,
        space: &Space,
        coding: &Coding,
        history: &History<Config>,
        settings: &TpeSettings,
    ) -> Result<(), OptimizerError> {
        // Before anything is changed: what follows must not stop half way.
        self.shape = self.shape_with(history, settings.split)?;
        self.lineage = Some(history.lineage());
        // An outcome is final: running trials alone can have changed.
        for row in std::mem::take(&mut self.running) {
            let Some(trial) = history.trials().get(row - self.known) else { continue };
            if trial.outcome.is_none() {
                self.running.push(row);
                continue;
            }
            if self.keys[row].is_some() {
                self.ranking.remove(row as u32);
            }
            self.rows[row] = Row::of(trial);
            if self.rows[row].state == State::Unrelated {
                self.forget(row);
            }
            self.rank(row, settings);
        }
        for trial in history.trials().get(self.rows.len() - self.known..).unwrap_or_default() {
            let values = coding
                .encode(space, &trial.query)
                .map_err(|error| OptimizerError::failed(format!("encoding trial {}", trial.id.0), error))?;
            self.push(&values, Row::of(trial), coding, settings);
        }
        if self.has_many_objectives {
            self.rank_fronts()?;
        }
        if matches!(
            settings.pending,
            PendingPolicy::LiarMean | PendingPolicy::LiarBest | PendingPolicy::LiarWorst
        ) {
            self.rank_liars(settings);
        }
        Ok(())
    }

    /// Numbers of objectives and constraints with the trials that were measured since.
    fn shape_with(&self, history: &History<Config>, split: Split) -> Result<Option<Shape>, OptimizerError> {
        let told = self.running.iter().filter_map(|row| history.trials().get(row - self.known));
        let new = history.trials().get(self.rows.len() - self.known..).unwrap_or_default();
        let mut shape = self.shape;
        for trial in told.chain(new) {
            let Some(measured) = trial.outcome.as_ref().and_then(Outcome::measurement) else { continue };
            let found = (measured.objectives.len(), measured.constraints.len());
            let expected = shape.map_or(found.0, |shape| shape.objectives);
            let constraints = shape.and_then(|shape| shape.constraints).unwrap_or(found.1);
            let id = trial.id.0;
            let error = if found.0 != expected {
                Some(TpeError::ObjectiveCount { trial: id, found: found.0, expected })
            } else if found.1 != constraints {
                Some(TpeError::ConstraintCount { trial: id, found: found.1, expected: constraints })
            } else {
                match split {
                    Split::Target { loss } if expected > 1 => {
                        Some(TpeError::TargetOfMany { loss, objectives: expected })
                    }
                    _ => None,
                }
            };
            if let Some(error) = error {
                return Err(OptimizerError::failed(format!("reading trial {id}"), error));
            }
            shape = Some(Shape { objectives: expected, constraints: Some(constraints) });
        }
        Ok(shape)
    }

    /// True if the table is about other trials than the history: more of them, or one with another configuration or
    /// another outcome.
    ///
    /// A history of the same lineage has the same trials; outcomes may be concealed again, though. Any other is compared trial
    /// by trial.
    pub(crate) fn is_of_another(&self, history: &History<Config>) -> bool {
        let rows = &self.rows[self.known..];
        if self.lineage == Some(history.lineage()) && rows.len() <= history.len() {
            let seen =
                |(row, trial): (&Row, &Trial<Config>)| trial.outcome.is_some() || row.state == State::Running;
            return !rows.iter().zip(history.trials()).all(seen);
        }
        let same = |(row, trial): (&Row, &Trial<Config>)| row.may_be_of(trial);
        rows.len() > history.len() || !rows.iter().zip(history.trials()).all(same)
    }

    fn push(&mut self, values: &[f64], trial: Row, coding: &Coding, settings: &TpeSettings) {
        let row = self.rows.len() as u32;
        for ((column, coded), &value) in self.columns.iter_mut().zip(&coding.parameters).zip(values) {
            column.values.push(value);
            if let Dimension::Numeric(axis) = &coded.dimension {
                let latent = if axis.grid.is_some() { axis.latent(value) } else { value };
                column.latent.push(latent);
                if !value.is_nan() {
                    // After its equals, which are earlier trials.
                    let at = column.order.partition_point(|other| column.latent[*other as usize] <= latent);
                    column.order.insert(at, row);
                }
            }
        }
        if self.may_be_repeated(values) && trial.state != State::Unrelated {
            *self.asked.entry(bits(values)).or_insert(0) += 1;
        }
        if trial.state == State::Running {
            self.running.push(row as usize);
        }
        self.rows.push(trial);
        self.keys.push(None);
        self.rank(row as usize, settings);
    }

    /// Takes a trial out of those asked: its configuration may be asked again, unless another trial has it too.
    fn forget(&mut self, row: usize) {
        let values: Vec<f64> = self.columns.iter().map(|column| column.values[row]).collect();
        if let Entry::Occupied(mut trials) = self.asked.entry(bits(&values)) {
            *trials.get_mut() -= 1;
            if *trials.get() == 0 {
                trials.remove();
            }
        }
    }

    fn rank(&mut self, row: usize, settings: &TpeSettings) {
        let Row { state, constraints, .. } = &self.rows[row];
        // A row is ranked as running at most once, and as finished at most once.
        self.finished += usize::from(state.is_finished());
        let violation: f64 = constraints.iter().map(|c| c.max(0.0)).sum();
        self.keys[row] = match state {
            State::Running if settings.pending == PendingPolicy::AsInfinite => Some(Key::LOST),
            State::Running | State::Unrelated => None,
            State::Lost if settings.failures == FailurePolicy::Ignore => None,
            State::Lost => Some(Key::LOST),
            State::Pruned(step, last) => {
                Some(Key { class: Class::Pruned, value: -(*step as f64), tie: *last })
            }
            State::Measured(_) if violation > 0.0 => {
                Some(Key { class: Class::Infeasible, value: violation, tie: 0.0 })
            }
            State::Measured(objectives) => {
                self.has_many_objectives |= objectives.len() > 1;
                Some(Key::of_loss(objectives.first().copied().unwrap_or(f64::INFINITY)))
            }
        };
        self.ranking.insert(row as u32, &self.keys);
    }

    /// Several objectives: a trial's front stands for its loss.
    fn rank_fronts(&mut self) -> Result<(), OptimizerError> {
        let (rows, objectives): (Vec<usize>, Vec<&[f64]>) =
            self.feasible().map(|(row, objectives, _)| (row, objectives)).unzip();
        let keys = front_keys(&objectives)
            .map_err(|error| OptimizerError::failed("ranking trials of several objectives", error))?;
        for (row, key) in rows.into_iter().zip(keys) {
            self.keys[row] = Some(key);
        }
        self.ranking = Ranking::default();
        for row in 0..self.rows.len() as u32 {
            self.ranking.insert(row, &self.keys);
        }
        Ok(())
    }

    /// The trials that were measured and break no constraint: row, objectives, and the value of the key.
    fn feasible(&self) -> impl Iterator<Item = (usize, &[f64], f64)> {
        (0..self.rows.len()).filter_map(|row| {
            let key = self.keys[row].filter(|key| key.class == Class::Feasible)?;
            Some((row, self.objectives(row)?, key.value))
        })
    }

    /// Running trials get the best, mean or worst key of those that were measured and are feasible: a loss, or a front.
    fn rank_liars(&mut self, settings: &TpeSettings) {
        let losses: Vec<f64> = self.feasible().map(|(_, _, value)| value).collect();
        let lie = match settings.pending {
            _ if losses.is_empty() => return,
            PendingPolicy::LiarBest => losses.iter().copied().fold(f64::INFINITY, f64::min),
            PendingPolicy::LiarWorst => losses.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            _ => losses.iter().sum::<f64>() / losses.len() as f64,
        };
        for &row in &self.running {
            self.ranking.remove(row as u32);
            self.keys[row] = Some(Key::of_loss(lie));
            self.ranking.insert(row as u32, &self.keys);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Trials that count towards the start.
    pub(crate) fn started(&self, count: StartupCount) -> usize {
        match count {
            StartupCount::Finished => self.finished,
            StartupCount::Asked => self.len(),
        }
    }

    pub(crate) fn ranking(&self) -> &[u32] {
        self.ranking.order()
    }

    /// Loss of a trial for the split and the weights; may be infinite.
    pub(crate) fn loss(&self, row: usize) -> f64 {
        match self.keys[row] {
            Some(Key { class: Class::Feasible, value, .. }) => value,
            _ => f64::INFINITY,
        }
    }

    /// True if a trial has a value for one of the parameters.
    pub(crate) fn is_active(&self, row: usize, parameters: &[usize]) -> bool {
        parameters.iter().any(|index| !self.columns[*index].values[row].is_nan())
    }

    /// Trials without an outcome.
    pub(crate) fn running(&self) -> &[usize] {
        &self.running
    }

    /// True if a trial gave a measurement.
    pub(crate) fn objectives(&self, row: usize) -> Option<&[f64]> {
        match &self.rows[row].state {
            State::Measured(objectives) => Some(objectives),
            _ => None,
        }
    }

    pub(crate) fn constraints(&self, row: usize) -> &[f64] {
        &self.rows[row].constraints
    }

    /// Cost that a measurement has.
    pub(crate) fn cost(&self, row: usize) -> Option<f64> {
        self.rows[row].cost
    }

    /// True if a configuration was asked of which no active parameter is continuous.
    pub(crate) fn is_repeat(&self, values: &[f64]) -> bool {
        self.may_be_repeated(values) && self.asked.contains_key(&bits(values))
    }

    /// True if no parameter that is active in a configuration is continuous.
    fn may_be_repeated(&self, values: &[f64]) -> bool {
        self.continuous.iter().all(|index| values[*index].is_nan())
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.len()
    }
}

fn bits(values: &[f64]) -> Box<[u64]> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use thrifty_sampling::Seed;
    use thrifty_study::{Measurement, TrialId};

    use super::*;

    /// Trials of one parameter with outcomes.
    fn trials<const N: usize>(outcomes: [Option<Outcome>; N]) -> Vec<Trial<Config>> {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let trial = |(i, outcome): (usize, Option<Outcome>)| {
            Trial::new(TrialId(0), space.decode(&[i as f64 / N as f64]), outcome)
        };
        outcomes.into_iter().enumerate().map(trial).collect()
    }

    fn measured(objectives: &[f64], constraint: f64) -> Outcome {
        let (objectives, constraints) = (objectives.to_vec(), vec![constraint]);
        Measurement { objectives, constraints, ..Measurement::default() }.into()
    }

    /// The losses of all rows after a table has followed the histories.
    fn losses(pending: PendingPolicy, histories: &[Vec<Trial<Config>>]) -> Vec<f64> {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let settings = TpeSettings { pending, ..TpeSettings::default() };
        let coding = Coding::new(&space, &BTreeMap::new(), settings.grid_ends).unwrap();
        let mut table = Table::new(&space, &coding, &[], &settings).unwrap();
        for trials in histories {
            let history = History::from_trials(trials.clone(), Seed(1));
            table.follow(&space, &coding, &history, &settings).unwrap();
        }
        (0..table.len()).map(|row| table.loss(row)).collect()
    }

    #[test]
    fn lies_are_losses_of_feasible_trials() {
        let history = trials([
            Some(measured(&[3.0], -1.0)),
            Some(measured(&[-50.0], 1.0)),
            None,
            Some(measured(&[1.0], 0.0)),
            Some(measured(&[90.0], 0.5)),
        ]);
        for (pending, lie) in
            [(PendingPolicy::LiarBest, 1.0), (PendingPolicy::LiarMean, 2.0), (PendingPolicy::LiarWorst, 3.0)]
        {
            let found = losses(pending, std::slice::from_ref(&history));
            assert_eq!(found, [3.0, f64::INFINITY, lie, 1.0, f64::INFINITY], "{pending:?}");
        }
    }

    /// The front of each trial, whatever stood for running ones when the table saw them last.
    #[test]
    fn lies_do_not_shift_the_fronts_of_others() {
        let first = trials([
            Some(measured(&[0.0, 3.0], 0.0)),
            None,
            Some(measured(&[3.0, 4.0], 0.0)),
            None,
            None,
            None,
        ]);
        let mut then = first.clone();
        then[4].outcome = Some(measured(&[3.0, 0.0], 0.0));
        then[5].outcome = Some(measured(&[9.0, 9.0], 0.0));
        for (pending, lie) in
            [(PendingPolicy::LiarBest, 0.0), (PendingPolicy::LiarMean, 0.75), (PendingPolicy::LiarWorst, 2.0)]
        {
            let found = losses(pending, &[first.clone(), then.clone()]);
            assert_eq!(found, [0.0, lie, 1.0, lie, 0.0, 2.0], "{pending:?}");
        }
    }

    /// A history that the table follows: its own as it is, with a trial that runs, and another where an outcome or a trial is missing.
    #[test]
    fn a_table_knows_the_history_that_it_follows() {
        let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
        let settings = TpeSettings::default();
        let coding = Coding::new(&space, &BTreeMap::new(), settings.grid_ends).unwrap();
        let trial =
            |(x, outcome): (f64, Option<Outcome>)| Trial::new(TrialId(0), space.decode(&[x]), outcome);
        let trials: Vec<Trial<Config>> =
            [(0.2, Some(1.0.into())), (0.5, None), (0.9, Some(2.0.into()))].map(trial).into();
        let history = History::from_trials(trials.clone(), Seed(1));
        let mut table = Table::new(&space, &coding, &[], &settings).unwrap();
        table.follow(&space, &coding, &history, &settings).unwrap();
        assert!(!table.is_of_another(&history), "its own");
        assert!(!table.is_of_another(&History::from_trials(trials.clone(), Seed(1))), "the same trials");
        assert!(table.is_of_another(&History::from_trials(trials[..2].to_vec(), Seed(1))), "a trial less");
        let mut concealed = trials;
        concealed[0].outcome = None;
        assert!(table.is_of_another(&History::from_trials(concealed, Seed(1))), "an outcome less");
    }
}
