//! Variants of the Bayesian optimiser on development problems.

use std::collections::BTreeMap;
use std::sync::Arc;

use thrifty_bo::{BayesianOptimizer, BoSettings, InitialDesign};
use thrifty_hybrid::{Hybrid, HybridSettings};
use thrifty_sampling::Seed;
use thrifty_space::Config;
use thrifty_study::{History, MaxTrials, Optimizer};
use thrifty_surrogate::Surrogate;
use thrifty_testbed::Problem;

use super::development::Development;
use super::problems::Kind;
use crate::error::ExperimentError;
use crate::harness::ablation::{self, Ablation, NOTE};
use crate::harness::claims::Judgement;
use crate::harness::replicate::{Run, study_with_history};
use crate::harness::{Replications, Report, RunContext, Table};

/// Variant of the Bayesian optimiser.
#[derive(Clone)]
pub struct Variant {
    pub name: &'static str,
    pub model: Arc<dyn Surrogate>,
    pub settings: BoSettings,
    /// Exploration around it, by a hybrid.
    pub hybrid: Option<HybridSettings>,
}

impl Variant {
    /// Variant without a hybrid.
    pub fn new(name: &'static str, model: impl Surrogate + 'static, settings: BoSettings) -> Self {
        Self { name, model: Arc::new(model), settings, hybrid: None }
    }
}

/// Studies of one experiment.
#[derive(Clone, Copy)]
pub struct Studies<'a> {
    /// Name of the experiment, from which its seeds are made.
    pub id: &'static str,
    pub kinds: &'a [Kind],
    pub variants: &'a [Variant],
    pub evaluations: usize,
}

impl Studies<'_> {
    /// Report of the first variant against each of the others, over `replications` of all problems.
    ///
    /// `settings` are names and values of the report beside the numbers of replications and evaluations.
    pub fn compare(
        self,
        context: &RunContext,
        replications: Replications,
        settings: &[(&str, &str)],
    ) -> Result<Report, ExperimentError> {
        self.compare_groups(context, replications, &[("variants", self.kinds.len())], settings)
    }

    /// [`Studies::compare`] with claims of their own for each group of problems: its name, and how many of the problems it has.
    pub fn compare_groups(
        self,
        context: &RunContext,
        replications: Replications,
        groups: &[(&str, usize)],
        settings: &[(&str, &str)],
    ) -> Result<Report, ExperimentError> {
        let names: Vec<&str> = self.variants.iter().map(|variant| variant.name).collect();
        let labels: Vec<String> = self.kinds.iter().map(|kind| kind.label()).collect();
        let one = |k: usize, v: usize, i: usize| self.run(context, (k, v, i));
        let finals = ablation::finals((self.id, context), &names, &labels, replications.run, one)?;
        let (mut tables, mut numbers, mut judgements, mut first) =
            (Vec::new(), BTreeMap::new(), Vec::new(), 0);
        for &(group, count) in groups {
            let own = first..first + count;
            first += count;
            let found = Ablation::judge(&names, &labels[own.clone()], &finals[own], replications.planned)?;
            let prefix = if groups.len() > 1 { format!("{group}: ") } else { String::new() };
            numbers.extend(found.numbers.into_iter().map(|(name, value)| (prefix.clone() + &name, value)));
            tables.push(Table { name: group.into(), ..found.table });
            judgements.push(found.judgement);
        }
        let evaluations =
            format!("{}, of them a Sobol design of 2 d, at most {}", self.evaluations, self.largest_design());
        let of_all = [("replications", replications.run.to_string()), ("evaluations", evaluations)];
        let own = settings.iter().map(|&(name, value)| (name, value.to_owned()));
        Ok(Report {
            judgement: Judgement::all(judgements),
            numbers,
            settings: of_all.into_iter().chain(own).map(|(name, value)| (name.to_owned(), value)).collect(),
            notes: vec![NOTE.into()],
            tables,
            figures: Vec::new(),
        })
    }

    /// Replication `i` of variant `v` on problem `k`, after a Sobol design.
    ///
    /// With noisy evaluations the best trial is unknown: the last regret is that of the recommendation.
    pub fn run(self, context: &RunContext, (k, v, i): (usize, usize, usize)) -> Result<Run, ExperimentError> {
        let problem = self.problem(context, (k, i))?;
        let (mut run, history) = self.study(context, &problem, (k, v, i))?;
        if self.kinds[k].is_noisy()
            && let Some(best) = self.optimizer(&problem, v)?.recommend(&history)?
            && let Some(last) = run.regret.last_mut()
        {
            *last = problem.regret(&best.config)?;
        }
        Ok(run)
    }

    /// Problem `k` of replication `i`, which all variants share.
    pub fn problem(
        self,
        context: &RunContext,
        (k, i): (usize, usize),
    ) -> Result<Development, ExperimentError> {
        self.kinds[k].problem(self.seed(context, (k, i)))
    }

    /// Replication `i` of variant `v` on problem `k`, and its trials.
    pub fn study(
        self,
        context: &RunContext,
        problem: &Development,
        (k, v, i): (usize, usize, usize),
    ) -> Result<(Run, History<Config>), ExperimentError> {
        let (variant, seed) = (&self.variants[v], self.seed(context, (k, i)));
        let (optimizer, stop) = (self.optimizer(problem, v)?, MaxTrials(self.evaluations));
        let Some(settings) = &variant.hybrid else {
            return study_with_history(variant.name, problem, optimizer, seed, i, stop);
        };
        let hybrid = Hybrid::new(optimizer).with_settings(settings.clone())?;
        study_with_history(variant.name, problem, hybrid, seed, i, stop)
    }

    /// Number of trials of the initial design: two for each parameter, of many parameters a tenth of the evaluations.
    fn design(self, dim: usize) -> usize {
        (2 * dim).min(self.largest_design())
    }

    fn largest_design(self) -> usize {
        (self.evaluations / 10).max(16)
    }

    fn seed(self, context: &RunContext, (k, i): (usize, usize)) -> Seed {
        Seed(context.seed).child(self.id, (i * 100 + k) as u64)
    }

    fn optimizer(self, problem: &Development, v: usize) -> Result<BayesianOptimizer, ExperimentError> {
        let variant = &self.variants[v];
        let initial = InitialDesign::Sobol(self.design(problem.space().dim()));
        Ok(BayesianOptimizer::new(problem.space().clone())
            .with_surrogate(Arc::clone(&variant.model))
            .with_settings(BoSettings { initial, ..variant.settings.clone() })?)
    }
}
