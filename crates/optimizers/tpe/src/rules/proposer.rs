//! Proposal of the next configuration.

use thrifty_sampling::Stream;

use crate::density::masses::KnownMasses;
use crate::history::coding::Coding;
use crate::history::table::Table;
use crate::rules::blocks::Block;
use crate::rules::cost::LogCost;
use crate::rules::good_bad_split::GoodBadSplit;
use crate::rules::score::{Model, Scores};
use crate::{Branching, ConstraintPolicy, Estimator, TpeError, TpeSettings};

/// Draws until a candidate is on the branch of the first.
const REJECTIONS: usize = 64;

/// The best of some candidates, with the logarithms of both densities there.
pub(crate) struct Proposal {
    /// Internal values, NaN where a parameter is not active.
    pub(crate) values: Vec<f64>,
    pub(crate) log_l: f64,
    pub(crate) log_g: f64,
    /// The share of good trials.
    pub(crate) good: f64,
}

/// Makes proposals from trials; what it learns of a block stays for the next proposal.
pub(crate) struct Proposer<'a> {
    coding: &'a Coding,
    table: &'a Table,
    settings: &'a TpeSettings,
    blocks: &'a [Block],
    /// By the first block with the same conditions.
    partings: Vec<Option<Vec<GoodBadSplit>>>,
    models: Vec<Option<Vec<Model>>>,
    costs: Vec<Option<LogCost>>,
    /// By block and model.
    masses: Masses,
}

/// Masses of kernels that the last proposals computed, by block, model and side.
pub(crate) type Masses = Vec<Vec<[Vec<KnownMasses>; 2]>>;

impl<'a> Proposer<'a> {
    pub(crate) fn new(
        coding: &'a Coding,
        table: &'a Table,
        settings: &'a TpeSettings,
        blocks: &'a [Block],
        mut masses: Masses,
    ) -> Self {
        let none = blocks.len();
        let (partings, models) = ((0..none).map(|_| None).collect(), (0..none).map(|_| None).collect());
        let costs = (0..none).map(|_| None).collect();
        masses.resize_with(none, Vec::new);
        Self { coding, table, settings, blocks, partings, models, costs, masses }
    }

    /// The masses for the next proposer.
    pub(crate) fn into_masses(self) -> Masses {
        self.masses
    }

    /// Draws candidates block by block and keeps the best of each.
    ///
    /// # Errors
    /// As [`Estimator::fit`].
    pub(crate) fn propose(&mut self, rng: &mut Stream) -> Result<Proposal, TpeError> {
        let mut proposal =
            Proposal { values: vec![f64::NAN; self.coding.len()], log_l: 0.0, log_g: 0.0, good: 0.0 };
        for (at, Block { parameters, .. }) in self.blocks.iter().enumerate() {
            if !parameters.iter().any(|index| self.may_be_active(*index, &proposal.values, parameters)) {
                continue;
            }
            self.learn(at)?;
            let models = self.models[at].as_deref().unwrap_or_default();
            let points = self.candidates(parameters, models, &proposal.values, rng);
            let cost = self.costs[at].as_ref();
            let mut scores = Scores::of(models, &points, self.settings.candidates, cost.is_some());
            if let Some(cost) = cost {
                let dimensions: Vec<_> =
                    parameters.iter().map(|index| &self.coding.parameters[*index].dimension).collect();
                cost.subtract(&dimensions, &points, scores.values_mut());
            }
            let best = scores.best();
            for (d, index) in parameters.iter().enumerate() {
                proposal.values[*index] = points[best * parameters.len() + d];
            }
            proposal.log_l += scores.log_l[best];
            proposal.log_g += scores.log_g[best];
            proposal.good = models[0].share;
        }
        Ok(proposal)
    }

    /// The densities of a block, if they are not there yet.
    fn learn(&mut self, at: usize) -> Result<(), TpeError> {
        if self.models[at].is_some() {
            return Ok(());
        }
        let (table, settings, Block { parameters, like }) = (self.table, self.settings, &self.blocks[at]);
        let partings = self.partings[*like].get_or_insert_with(|| {
            let mut partings = vec![GoodBadSplit::by_rank(table, settings, parameters)];
            if settings.constraints == ConstraintPolicy::Product {
                let counts = (0..table.len()).map(|row| table.constraints(row).len());
                let count = counts.max().unwrap_or(0);
                partings
                    .extend((0..count).map(|j| GoodBadSplit::by_constraint(table, settings, parameters, j)));
            }
            partings
        });
        let masses = &mut self.masses[at];
        masses.resize_with(partings.len(), Default::default);
        let model = |(parting, masses): (&GoodBadSplit, &mut _)| {
            let [good, bad] = parting.densities(table, self.coding, parameters, settings, masses)?;
            Ok(Model { good, bad, share: parting.share })
        };
        self.costs[at] = LogCost::fit(table, self.coding, parameters, settings);
        self.models[at] = Some(partings.iter().zip(masses).map(model).collect::<Result<_, _>>()?);
        Ok(())
    }

    /// Draws of a block's parameters from the good densities, each model's in turn.
    fn candidates(&self, block: &[usize], models: &[Model], before: &[f64], rng: &mut Stream) -> Vec<f64> {
        let count = self.settings.candidates;
        let drawn = self.settings.branching == Branching::Drawn;
        let branching: Vec<usize> =
            block.iter().copied().filter(|index| drawn && self.coding.parameters[*index].decides).collect();
        let mut points: Vec<f64> = Vec::with_capacity(count * block.len());
        let mut first: Option<Vec<f64>> = None;
        for candidate in 0..count {
            let good = &models[candidate % models.len()].good;
            let mut values = self.draw(block, good, before, rng);
            if let Some(first) = &first {
                // All are on the branch of the first: draws given that, by rejection.
                let same =
                    |values: &[f64]| branching.iter().all(|i| values[*i].to_bits() == first[*i].to_bits());
                for _ in 0..REJECTIONS {
                    if same(&values) {
                        break;
                    }
                    values = self.draw(block, good, before, rng);
                }
                if !same(&values) {
                    values.clone_from(first);
                }
            } else if !branching.is_empty() {
                first = Some(values.clone());
            }
            points.extend(block.iter().map(|index| values[*index]));
        }
        points
    }

    /// A draw of a block's parameters that are active.
    fn draw(&self, block: &[usize], density: &Estimator, before: &[f64], rng: &mut Stream) -> Vec<f64> {
        let kernel = density.draw_kernel(rng);
        let mut values = before.to_vec();
        for (d, index) in block.iter().enumerate() {
            if self.coding.is_active(*index, &values) {
                let given = self.coding.given_value(*index);
                values[*index] = given.unwrap_or_else(|| density.draw(d, kernel, rng));
            }
        }
        values
    }

    /// True if a parameter is active, or may become so by others of its block.
    fn may_be_active(&self, index: usize, values: &[f64], block: &[usize]) -> bool {
        let conditions = &self.coding.parameters[index].conditions;
        conditions
            .iter()
            .all(|(parent, allowed)| block.contains(parent) || allowed.contains(&values[*parent]))
    }
}
