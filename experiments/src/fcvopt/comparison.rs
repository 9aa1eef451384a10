//! Methods compared on folds, charged in model fits.

mod spread;
mod tables;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use thrifty_sampling::Seed;
use thrifty_study::{Next, Study};

use self::spread::Spread;
use super::methods::{Method, Setup, YARDSTICK};
use super::problem::FoldProblem;
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Finding, Judgement, Kind, Rule, Sample, Test};
use crate::harness::replicate::in_parallel;
use crate::harness::runs::lossless_numbers;
use crate::harness::stats::quantile;
use crate::harness::{Figure, JobName, Replications, Report, RunContext, Runs, Table, pairwise};

/// Every method on every problem, charged in model fits. The first method is the one under test.
pub struct FoldComparison<'a> {
    /// Names random numbers and the progress bar.
    pub id: &'static str,
    pub context: &'a RunContext,
    /// Identification of the data.
    pub data: String,
    /// Measure of the regret of a problem: above the least true loss, or above 0 where that is unknown.
    pub measure: &'static str,
    pub problems: Vec<String>,
    pub methods: &'a [Method],
    pub replications: Replications,
    pub fits: usize,
    /// Model fits that a column of the tables stands for.
    pub columns: Vec<usize>,
    /// Claim about the regret at the end against a method, if any.
    pub claim: fn(&str) -> Option<Kind>,
    /// Claims after so many fits already, judged together with those at the end.
    pub early: Option<EarlyClaims>,
}

/// A number of model fits, and the claim about the regret after them against a method, if any.
pub type EarlyClaims = (usize, fn(&str) -> Option<Kind>);

/// Result of a comparison.
pub struct Outcome {
    pub tables: Vec<Table>,
    pub figures: Vec<Figure>,
    pub numbers: BTreeMap<String, f64>,
    pub judgement: Judgement,
}

impl Outcome {
    /// The report, with the settings that all comparisons have.
    pub fn report(self, [replications, fits, folds]: [usize; 3], notes: Vec<String>) -> Report {
        Report {
            judgement: self.judgement,
            numbers: self.numbers,
            settings: [("replications", replications), ("model fits", fits), ("folds", folds)]
                .map(|(name, value)| (name.to_owned(), value.to_string()))
                .into(),
            notes,
            tables: self.tables,
            figures: self.figures,
        }
    }
}

/// Meaning of the verdict.
pub const NOTE: &str = "Claims are about the regret of the first method at the end against each other one, on every problem, by \
    signed ranks over replications. A method that is not run to the end is compared where it ended.";

/// Regrets after so many fits; a run without a recommendation yet counts as infinite, one that has ended stays.
#[derive(serde::Serialize, serde::Deserialize)]
struct Curve {
    fits: Vec<usize>,
    #[serde(with = "lossless_numbers")]
    regrets: Vec<f64>,
    /// Seconds of a fit: of the method's own work, and of the evaluation.
    own_seconds: f64,
    evaluation_seconds: f64,
    #[serde(flatten)]
    spread: Spread,
}

impl Curve {
    fn at(&self, fits: usize) -> f64 {
        let known = self.fits.iter().zip(&self.regrets).rev().find(|(at, _)| **at <= fits);
        known.map_or(f64::INFINITY, |(_, regret)| *regret)
    }
}

/// Every fifth fit up to 50, every tenth up to 100, then every twenty-fifth; and the last one.
fn is_looked_at(fit: usize, end: usize) -> bool {
    let every = match fit {
        ..51 => 5,
        51..101 => 10,
        _ => 25,
    };
    fit == end || fit.is_multiple_of(every)
}

fn race(
    problem: &dyn FoldProblem,
    method: &Method,
    seed: Seed,
    fits: usize,
    python: &[PathBuf],
) -> Result<Curve, ExperimentError> {
    let setup = Setup { space: problem.space().clone(), folds: problem.folds(), fits, seed, python };
    let mut optimizer = (method.make)(setup)?;
    if let Some(list) = problem.listed() {
        optimizer = optimizer.on_list(list);
    }
    let mut study = Study::new(optimizer, seed);
    let (mut looked, mut regrets, mut seconds) = (Vec::new(), Vec::new(), (0.0, 0.0));
    let end = fits.min(method.cap);
    while study.history().len() < end {
        let mut batch = Vec::with_capacity(method.batch);
        while batch.len() < method.batch && study.history().len() < end {
            let began = Instant::now();
            let Next::Evaluate(trial) = study.ask()? else { break };
            seconds.0 += began.elapsed().as_secs_f64();
            batch.push(trial);
        }
        if batch.is_empty() {
            break;
        }
        for trial in batch {
            let began = Instant::now();
            let loss = problem.loss(&trial.query, &mut seed.stream("noise", trial.id.0))?;
            seconds.1 += began.elapsed().as_secs_f64();
            study.tell(trial.id, loss)?;
            let fit = trial.id.0 as usize + 1;
            if is_looked_at(fit, end) {
                let regret = study.recommend()?.map(|best| problem.regret(&best.config)).transpose()?;
                looked.push(fit);
                regrets.push(regret.unwrap_or(f64::INFINITY));
            }
        }
    }
    // A method may stop before its fits are spent: its last recommendation is that of the end.
    let told = study.history().len();
    if looked.last().copied().unwrap_or(0) < told {
        let regret = study.recommend()?.map(|best| problem.regret(&best.config)).transpose()?;
        looked.push(told);
        regrets.push(regret.unwrap_or(f64::INFINITY));
    }
    let asked = study.history().len().max(1) as f64;
    let (own_seconds, evaluation_seconds) = (seconds.0 / asked, seconds.1 / asked);
    let best = study.recommend()?.map(|best| best.config);
    let spread =
        Spread::of(problem.space(), study.history(), best.as_ref()).map_err(ExperimentError::failed)?;
    Ok(Curve { fits: looked, regrets, own_seconds, evaluation_seconds, spread })
}

/// Curves of one problem, by method.
struct OnProblem<'a> {
    name: &'a str,
    curves: Vec<&'a [Curve]>,
}

impl OnProblem<'_> {
    fn regrets(&self, method: usize, fits: usize) -> Vec<f64> {
        self.curves[method].iter().map(|curve| curve.at(fits)).collect()
    }

    fn median(&self, method: usize, fits: usize) -> f64 {
        quantile(&self.regrets(method, fits), 0.5)
    }
}

impl FoldComparison<'_> {
    /// `problem` makes the problem of this index for a replication's seed.
    pub fn run(
        &self,
        problem: impl Fn(usize, Seed) -> Result<Box<dyn FoldProblem>, ExperimentError> + Sync,
    ) -> Result<Outcome, ExperimentError> {
        let seed = |k: usize, i: usize| Seed(self.context.seed).child(self.id, (1000 * k + i) as u64);
        let pairs: Vec<(usize, usize)> =
            (0..self.problems.len()).flat_map(|k| (0..self.replications.run).map(move |i| (k, i))).collect();
        let problems = in_parallel(self.id, &pairs, |&(k, i)| problem(k, seed(k, i)))?;
        let jobs: Vec<(usize, usize, usize)> = (0..self.problems.len())
            .flat_map(|k| (0..self.methods.len()).map(move |m| (k, m)))
            .flat_map(|(k, m)| (0..self.replications.run).map(move |i| (k, m, i)))
            .collect();
        let name =
            |&(k, m, i): &(usize, usize, usize)| JobName::new(&self.problems[k], self.methods[m].name, i);
        let lines = Runs::new(self.id, self.context).data(self.data.clone());
        let curves: Vec<Curve> = lines.collect(&jobs, name, |&(k, m, i)| {
            let problem = &*problems[k * self.replications.run + i];
            race(problem, &self.methods[m], seed(k, i), self.fits, &self.context.python)
        })?;
        let (mut tables, mut figures) = (vec![self.overview(&curves)], Vec::new());
        let (mut numbers, mut judgements) = (BTreeMap::new(), Vec::new());
        for (name, curves) in
            self.problems.iter().zip(curves.chunks(self.methods.len() * self.replications.run))
        {
            let own = OnProblem { name, curves: curves.chunks(self.replications.run).collect() };
            let found = self.findings(&own)?;
            judgements.push(self.judge(&own)?);
            self.numbers(&own, &mut numbers);
            tables.push(self.table(&own, &found));
            tables.push(self.times(name, &own.curves));
            tables.push(spread::table(name, self.methods, &own.curves));
            figures.push(self.figure(name, &own.curves)?);
        }
        Ok(Outcome { tables, figures, numbers, judgement: Judgement::all(judgements) })
    }

    /// Model fits after which a method has ended.
    fn end(&self, method: usize) -> usize {
        self.fits.min(self.methods[method].cap)
    }

    /// Regrets of the first method and of another after so many fits.
    fn after(own: &OnProblem<'_>, method: usize, fits: usize) -> [Vec<f64>; 2] {
        let mut both = [own.regrets(0, fits), own.regrets(method, fits)];
        pairwise::finite(&mut both);
        both
    }

    fn judge(&self, own: &OnProblem<'_>) -> Result<Judgement, ClaimError> {
        let mut family = Family::new(Rule::All);
        for (m, method) in self.methods.iter().enumerate().skip(1) {
            let end = (self.claim)(method.name).map(|kind| (self.end(m), String::new(), kind));
            let early = self.early.and_then(|(fits, claim)| {
                let kind = claim(method.name)?;
                Some((fits.min(self.end(m)), format!(" after {fits} fits"), kind))
            });
            for (fits, when, kind) in end.into_iter().chain(early) {
                let [ours, theirs] = Self::after(own, m, fits);
                let name = format!("{}: {} against {}{when}", own.name, self.methods[0].name, method.name);
                let sample = Sample::losses(&name, &ours, &theirs)?;
                family.push(Claim::new(name, kind, Test::SignedRank, self.replications.planned), sample);
            }
        }
        family.judge()
    }

    /// "The first is lower" for every other method, for the table.
    fn findings(&self, own: &OnProblem<'_>) -> Result<Vec<Finding>, ClaimError> {
        let mut family = Family::new(Rule::All);
        for (m, method) in self.methods.iter().enumerate().skip(1) {
            let [ours, theirs] = Self::after(own, m, self.end(m));
            let sample = Sample::losses(method.name, &ours, &theirs)?;
            family.push(
                Claim::new(method.name, Kind::Superior, Test::SignedRank, self.replications.planned),
                sample,
            );
        }
        Ok(family.judge()?.findings().to_vec())
    }

    /// The number of fits after which the median of a method is at most that of the yardstick at the end.
    fn fits_to_yardstick(&self, own: &OnProblem<'_>, method: usize) -> Option<usize> {
        let yardstick = self.methods.iter().position(|m| m.name == YARDSTICK)?;
        let target = own.median(yardstick, self.fits);
        let end = self.end(method);
        let mut looked = (1..=end).filter(|fit| is_looked_at(*fit, end));
        looked.find(|fit| own.median(method, *fit) <= target)
    }

    fn numbers(&self, own: &OnProblem<'_>, numbers: &mut BTreeMap<String, f64>) {
        for (m, method) in self.methods.iter().enumerate() {
            let median = own.median(m, self.end(m));
            numbers.insert(format!("{}: median regret at the end: {}", own.name, method.name), median);
            if let Some(reached) = self.fits_to_yardstick(own, m) {
                numbers
                    .insert(format!("{}: fits to the yardstick: {}", own.name, method.name), reached as f64);
            }
        }
    }
}

#[cfg(test)]
mod tests;
