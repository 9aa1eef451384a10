//! Variants of the Bayesian optimiser on development problems.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thrifty_bo::{BayesianOptimizer, BoSettings, GpSurrogate, InitialDesign};
use thrifty_hybrid::{Hybrid, HybridSettings};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space};
use thrifty_study::{History, MaxTrials, Optimizer, Schedule, Study};
use thrifty_surrogate::Surrogate;
use thrifty_testbed::Problem;
use thrifty_trust_region::{TrustRegionOptimizer, TrustRegionSettings};

use super::development::Development;
use super::problems::Kind;
use crate::error::ExperimentError;
use crate::harness::ablation::{self, Grid, Groups, NOTE};
use crate::harness::replicate::{Run, study_with_history};
use crate::harness::{Replications, Report, RunContext};

/// Variant of the Bayesian optimiser.
#[derive(Clone)]
pub struct Variant {
    pub name: &'static str,
    pub model: Arc<dyn Surrogate>,
    pub settings: BoSettings,
    pub search: Search,
    /// Number of trials that run at a time.
    pub workers: usize,
    pub design: Design,
}

/// Initial design of a variant.
#[derive(Clone, Copy)]
pub enum Design {
    /// Two Sobol points for each parameter, at most a tenth of the evaluations, or 16 where that is less.
    Shared,
    /// Two Sobol points for each parameter, at most so many.
    AtMost(usize),
    /// Made for a space, a number of evaluations and the seed of a replication. An automatic one goes by the number of evaluations.
    Made(fn(&Space, usize, Seed) -> InitialDesign),
}

/// Search of a variant for the next configuration.
#[derive(Clone)]
pub enum Search {
    /// The optimiser's own.
    Whole,
    /// The optimiser's own, and exploration around it.
    Hybrid(HybridSettings),
    /// A trust region, in place of the optimiser and its settings.
    Region(TrustRegionSettings),
}

impl Variant {
    /// Variant of the optimiser alone.
    pub fn new(name: &'static str, model: impl Surrogate + 'static, settings: BoSettings) -> Self {
        Self {
            name,
            model: Arc::new(model),
            settings,
            search: Search::Whole,
            workers: 1,
            design: Design::Shared,
        }
    }

    /// Variant of the default optimiser with another initial design.
    pub fn designed(name: &'static str, design: fn(&Space, usize, Seed) -> InitialDesign) -> Self {
        Self {
            design: Design::Made(design),
            ..Self::new(name, GpSurrogate::default(), BoSettings::default())
        }
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
        let (names, labels) = (self.names(), self.labels());
        let finals = self.finals(context, replications)?;
        let Groups { tables, numbers, judgement } =
            Groups::judge(groups, &names, &labels, &finals, replications.planned)?;
        Ok(Report {
            judgement,
            numbers,
            settings: self.settings(replications, settings),
            notes: vec![NOTE.into()],
            tables,
            figures: Vec::new(),
        })
    }

    pub fn names(self) -> Vec<&'static str> {
        self.variants.iter().map(|variant| variant.name).collect()
    }

    pub fn labels(self) -> Vec<String> {
        self.kinds.iter().map(|kind| kind.label()).collect()
    }

    /// Final regrets of all runs.
    pub fn finals(
        self,
        context: &RunContext,
        replications: Replications,
    ) -> Result<Grid<f64>, ExperimentError> {
        let one = |k: usize, v: usize, i: usize| Ok(self.run(context, (k, v, i))?.last_regret());
        ablation::finals((self.id, context), &self.names(), &self.labels(), replications.run, one)
    }

    /// Ends of all runs; `end` makes one of the problem and the trials of a replication.
    pub fn ends<T: Serialize + DeserializeOwned + Send>(
        self,
        context: &RunContext,
        replications: Replications,
        end: impl Fn(&Development, &History<Config>) -> Result<T, ExperimentError> + Sync,
    ) -> Result<Grid<T>, ExperimentError> {
        let one = |k: usize, v: usize, i: usize| {
            let problem = self.problem(context, (k, i))?;
            let (_, history) = self.study(context, &problem, (k, v, i))?;
            end(&problem, &history)
        };
        ablation::ends((self.id, context), &self.names(), &self.labels(), replications.run, one)
    }

    /// Numbers of replications and evaluations for a report, beside settings of an experiment's own.
    pub fn settings(self, replications: Replications, own: &[(&str, &str)]) -> BTreeMap<String, String> {
        let evaluations =
            format!("{}, of them a Sobol design of 2 d, at most {}", self.evaluations, self.largest_design());
        let of_all = [("replications", replications.run.to_string()), ("evaluations", evaluations)];
        let own = own.iter().map(|&(name, value)| (name, value.to_owned()));
        of_all.into_iter().chain(own).map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Replication `i` of variant `v` on problem `k`, after a Sobol design.
    ///
    /// With noisy evaluations the best trial is unknown: the last regret is that of the recommendation.
    pub fn run(self, context: &RunContext, (k, v, i): (usize, usize, usize)) -> Result<Run, ExperimentError> {
        let problem = self.problem(context, (k, i))?;
        let (mut run, history) = self.study(context, &problem, (k, v, i))?;
        if self.kinds[k].is_noisy()
            && let Some(best) = self.optimizer(context, &problem, (k, v, i))?.recommend(&history)?
            && let Some(last) = run.regret.last_mut()
        {
            *last = problem.regret(&best.config)?;
        }
        if let Some(last) = run.regret.last_mut() {
            *last = last.max(self.kinds[k].least_regret());
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
        let variant = &self.variants[v];
        match &variant.search {
            Search::Whole => {
                self.run_to_end(self.optimizer(context, problem, (k, v, i))?, context, problem, (k, v, i))
            }
            Search::Hybrid(settings) => {
                let hybrid = Hybrid::new(self.optimizer(context, problem, (k, v, i))?)
                    .with_settings(settings.clone())?;
                self.run_to_end(hybrid, context, problem, (k, v, i))
            }
            Search::Region(settings) => {
                let settings = TrustRegionSettings {
                    initial: self.initial(context, problem, (k, v, i)),
                    ..settings.clone()
                };
                let region = TrustRegionOptimizer::new(problem.space().clone()).with_settings(settings)?;
                self.run_to_end(region, context, problem, (k, v, i))
            }
        }
    }

    /// A study by an optimiser, run to its end. Of `workers` trials at a time the oldest ends before the next one is asked.
    fn run_to_end(
        self,
        optimizer: impl Optimizer<Query = Config>,
        context: &RunContext,
        problem: &Development,
        (k, v, i): (usize, usize, usize),
    ) -> Result<(Run, History<Config>), ExperimentError> {
        let variant = &self.variants[v];
        let study = Study::new(optimizer, self.seed(context, (k, i)))
            .with_stop(MaxTrials(self.evaluations))
            .with_schedule(Schedule::Window(variant.workers));
        study_with_history(variant.name, problem, study, i)
    }

    /// The initial design of a variant on the problem of replication `i`.
    fn initial(
        self,
        context: &RunContext,
        problem: &Development,
        (k, v, i): (usize, usize, usize),
    ) -> InitialDesign {
        let space = problem.space();
        let at_most = |most: usize| InitialDesign::Sobol((2 * space.dim()).min(most));
        match self.variants[v].design {
            Design::Shared => at_most(self.largest_design()),
            Design::AtMost(most) => at_most(most),
            Design::Made(make) => make(space, self.evaluations, self.seed(context, (k, i))),
        }
    }

    fn largest_design(self) -> usize {
        (self.evaluations / 10).max(16)
    }

    fn seed(self, context: &RunContext, (k, i): (usize, usize)) -> Seed {
        context.seed_of(self.id, k, i)
    }

    fn optimizer(
        self,
        context: &RunContext,
        problem: &Development,
        (k, v, i): (usize, usize, usize),
    ) -> Result<BayesianOptimizer, ExperimentError> {
        let variant = &self.variants[v];
        let initial = self.initial(context, problem, (k, v, i));
        Ok(BayesianOptimizer::new(problem.space().clone())
            .with_surrogate(Arc::clone(&variant.model))
            .with_settings(BoSettings {
                initial,
                budget: Some(self.evaluations),
                ..variant.settings.clone()
            })?)
    }
}

#[cfg(test)]
mod tests {
    use thrifty_bo::GpSurrogate;

    use super::*;

    /// A trust region begins with the design of the optimiser that it stands for, and goes on in its own way.
    #[test]
    fn a_region_shares_the_design_alone() {
        let whole = Variant::new("whole", GpSurrogate::default(), BoSettings::default());
        let region = Variant { search: Search::Region(TrustRegionSettings::default()), ..whole.clone() };
        let (kinds, variants) = ([Kind::Pits { dim: 2 }], [whole, region]);
        let studies = Studies { id: "test", kinds: &kinds, variants: &variants, evaluations: 10 };
        let context = RunContext::default();
        let problem = studies.problem(&context, (0, 0)).unwrap();
        let asked = |v: usize| -> Vec<Config> {
            let (_, history) = studies.study(&context, &problem, (0, v, 0)).unwrap();
            history.trials().iter().map(|trial| trial.query.clone()).collect()
        };
        let (whole, region) = (asked(0), asked(1));
        assert_eq!(whole[..4], region[..4]);
        assert_ne!(whole[4..], region[4..]);
    }
}
