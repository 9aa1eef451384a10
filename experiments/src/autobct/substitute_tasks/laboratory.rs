//! Runs and sweeps of all substitute tasks.

use std::sync::OnceLock;

use thrifty_autobct::Controls;
use thrifty_domain::Points;
use thrifty_sampling::Seed;

use super::bench::{Bench, Look, Run, Unit};
use super::priors::Appendix;
use super::stand_in::StandIn;
use super::{EXPERIMENT, Finding, Named, Swept};
use crate::error::ExperimentError;
use crate::harness::stats::quantile;
use crate::harness::{JobName, Replications, RunContext, Runs};

/// Stand-ins with the benches of this process: the reference of a stand-in is trained before its first job.
pub struct Laboratory<'a> {
    stand_ins: &'a [StandIn],
    unit: Unit,
    seed: Seed,
    benches: Vec<OnceLock<Bench<'a>>>,
}

/// A policy with its name and its runs per stand-in.
struct Policy {
    name: &'static str,
    look: Look,
    runs: usize,
}

/// Two exact trainings ahead, and in full what else the source has for as many controls: three ahead of one control, two on the fly of
/// rate and batch.
fn policies(context: &RunContext, stand_in: &StandIn) -> Vec<Policy> {
    let runs = context.replications(1, 10).run;
    let mut policies =
        vec![Policy { name: "two ahead", look: Look::Exact(2), runs: replications(context, stand_in).run }];
    let other = match (stand_in.controls, stand_in.appendix) {
        (1, _) => Some(Policy { name: "three ahead", look: Look::Exact(3), runs }),
        (_, Appendix::D4(_)) => Some(Policy { name: "two on the fly", look: Look::OnTheFly, runs }),
        _ => None,
    };
    policies.extend(other.filter(|_| context.pick(false, true)));
    policies
}

impl<'a> Laboratory<'a> {
    pub fn new(stand_ins: &'a [StandIn], unit: Unit, seed: Seed) -> Self {
        Self { stand_ins, unit, seed, benches: stand_ins.iter().map(|_| OnceLock::new()).collect() }
    }

    fn seed(&self, at: usize) -> Seed {
        self.seed.child("stand-in", at as u64)
    }

    fn bench(&self, at: usize) -> Result<&Bench<'a>, ExperimentError> {
        if let Some(bench) = self.benches[at].get() {
            return Ok(bench);
        }
        let bench = Bench::new(&self.stand_ins[at], self.unit, self.seed(at))?;
        Ok(self.benches[at].get_or_init(|| bench))
    }

    /// Jobs in turn where time is measured: side by side they would slow each other down.
    fn jobs<'b>(&self, context: &'b RunContext) -> Runs<'b> {
        let runs = Runs::new(EXPERIMENT.id, context);
        if self.unit == Unit::Seconds { runs.serial() } else { runs }
    }

    /// Runs by stand-in and policy.
    fn runs(&self, context: &RunContext) -> Result<Vec<Vec<Named>>, ExperimentError> {
        let all: Vec<Vec<Policy>> = self.stand_ins.iter().map(|one| policies(context, one)).collect();
        let mut jobs = Vec::new();
        for (at, policies) in all.iter().enumerate() {
            for policy in policies {
                jobs.extend((0..policy.runs).map(|i| (at, policy, i)));
            }
        }
        let name = |&(at, policy, i): &(usize, &Policy, usize)| {
            JobName::new(self.stand_ins[at].name, policy.name, i)
        };
        let found: Vec<Run> = self.jobs(context).collect(&jobs, name, |&(at, policy, i)| {
            self.bench(at)?.run(policy.look, self.seed(at).child("run", i as u64))
        })?;
        let mut found = found.into_iter();
        let mut of = |policy: &Policy| (policy.name, found.by_ref().take(policy.runs).collect());
        Ok(all.iter().map(|policies| policies.iter().map(&mut of).collect()).collect())
    }

    /// Sweeps by stand-in.
    fn sweeps(&self, context: &RunContext) -> Result<Vec<Vec<Swept>>, ExperimentError> {
        let grid = |stand_in: &StandIn| {
            let one = stand_in.controls == 1;
            let count = if one { context.pick(5, 21) } else { context.pick(3, 6) };
            Controls::grid(stand_in.controls, count)
        };
        let grids: Vec<Points> = self.stand_ins.iter().map(grid).collect();
        let jobs: Vec<(usize, usize)> =
            grids.iter().enumerate().flat_map(|(at, grid)| (0..grid.len()).map(move |i| (at, i))).collect();
        let name = |&(at, i): &(usize, usize)| JobName::new(self.stand_ins[at].name, "sweep", i);
        let found: Vec<Swept> = self.jobs(context).part("sweep").collect(&jobs, name, |&(at, i)| {
            let control = grids[at].row(i);
            let (score, cost) = self.bench(at)?.train(control, self.seed(at).child("sweep", i as u64))?;
            Ok(Swept { control: control.to_vec(), score, cost })
        })?;
        let mut found = found.into_iter();
        Ok(grids.iter().map(|grid| found.by_ref().take(grid.len()).collect()).collect())
    }

    /// Findings of the runs and sweeps, by stand-in.
    pub fn findings(&self, context: &RunContext) -> Result<Vec<Finding<'a>>, ExperimentError> {
        // Both are run before either is missed, so that a shard does its part of each.
        let (runs, sweeps) = (self.runs(context), self.sweeps(context));
        let of_one = |(stand_in, (policies, sweep)): (&'a StandIn, (Vec<Named>, Vec<Swept>))| {
            let references: Vec<f64> =
                policies.iter().flat_map(|(_, runs)| runs).map(|run| run.reference).collect();
            Finding { stand_in, reference: quantile(&references, 0.5), policies, sweep }
        };
        Ok(self.stand_ins.iter().zip(runs?.into_iter().zip(sweeps?)).map(of_one).collect())
    }
}

/// Numbers of runs of a look ahead on a stand-in; table 7 has four times as many in full, as in `cironis2022`.
pub fn replications(context: &RunContext, stand_in: &StandIn) -> Replications {
    let times = if matches!(stand_in.appendix, Appendix::D4(_)) { context.pick(1, 4) } else { 1 };
    context.replications(1, 10).times(times)
}

#[cfg(test)]
mod tests {
    use super::super::stand_in::{self, Size};
    use super::*;

    /// Parts of the jobs join to the whole, which a further process reads without training.
    #[test]
    fn shards_join_to_the_same_findings() {
        let stand_ins =
            &stand_in::all(Size { rows: 200, epochs: 1, networks: 1, images: 20, digits: 2 }, Seed(0))
                .unwrap()[..2];
        let laboratory = || Laboratory::new(stand_ins, Unit::Operations, Seed(1));
        let whole = laboratory().findings(&RunContext::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let out = Some(folder.path().to_path_buf());
        for shard in ["1/2", "2/2"] {
            let shard = Some(shard.parse().unwrap());
            let part =
                laboratory().findings(&RunContext { out: out.clone(), shard, ..RunContext::default() });
            assert_eq!(part.is_ok(), shard == Some("2/2".parse().unwrap()));
        }
        let reader = laboratory();
        let merged = reader.findings(&RunContext { out, merged: true, ..RunContext::default() }).unwrap();
        assert!(reader.benches.iter().all(|bench| bench.get().is_none()));
        for (one, two) in whole.iter().zip(&merged) {
            assert_eq!((one.reference, &one.sweep), (two.reference, &two.sweep));
            let pairs = one.policies.iter().zip(&two.policies);
            for (a, b) in pairs.flat_map(|(a, b)| a.1.iter().zip(&b.1)) {
                // NaN, where a guard ended the run, is not equal to itself.
                assert_eq!(format!("{a:?}"), format!("{b:?}"));
            }
        }
    }
}
