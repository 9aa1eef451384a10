//! Theorems about a run with a known process, beside what happens.

mod runs;
mod tables;

use std::collections::BTreeMap;

use thrifty_acquisition::Schedule;
use thrifty_levelset::theory::{greedy_information_gain, sample_bound};
use thrifty_sampling::Seed;

use self::runs::{Certified, Process, Regret, grid};
use self::tables::{Kind, Samples};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Kind as ClaimKind, Rule, Sample, Test};
use crate::harness::replicate::in_parallel;
use crate::harness::{Experiment, JobName, Judgement, Report, RunContext, Runs};

pub const EXPERIMENT: Experiment = Experiment {
    id: "levelset/theory",
    paper: "Srinivas et al. (2010), theorem 1; Gotovos et al. (2013), theorem 1; Vakili et al. (2021)",
    claim: "with a known process the regret of upper confidence bounds and the number of samples until a certificate stay below \
            their bounds, and certificates are wrong no more often than they say",
    quick_cost: "2 processes, 100 points, 2 draws: some seconds",
    full_cost: "3 processes, 256 points, 20 draws: some minutes",
    run,
};

/// Probability that a bound may fail.
pub const DELTA: f64 = 0.1;

const NOTE: &str = "Claims, each with a probability of at least 90 % over draws of the processes together: the regret stays below its bound at \
    every step; at every ε the certificate comes by the bound on the number of samples; at every ε the certificate is right \
    everywhere within ε. Draws are sums of 1,024 cosines: their covariance is that of the process exactly, their law nearly.";

/// `β_t` by the schedule's name.
pub fn schedule(points: usize) -> [(&'static str, Schedule); 3] {
    [
        ("Srinivas", Schedule::SrinivasFinite { points: points as f64, delta: DELTA }),
        ("Brochu (caligonotes)", Schedule::Brochu { dim: 2, delta: DELTA }),
        ("constant 4", Schedule::Constant { beta: 4.0 }),
    ]
}

/// The least T for each ε at which the classification must have ended, with β of Gotovos et al. and greedy γ.
fn bounds(
    process: &Process,
    side: usize,
    epsilons: &[f64],
    most: usize,
) -> Result<Vec<Option<usize>>, ExperimentError> {
    let points = grid(side);
    let model = process.model();
    let covariance = model.covariance(points.as_ref()).map_err(ExperimentError::failed)?;
    let (_, greedy) =
        greedy_information_gain(&covariance, most, model.noise_variance).map_err(ExperimentError::failed)?;
    let gamma: Vec<f64> = greedy.iter().map(|gain| gain / (1.0 - (-1.0_f64).exp())).collect();
    let confidence = thrifty_levelset::Confidence::Gotovos { delta: DELTA };
    let beta = (1..=most)
        .map(|t| confidence.beta(t, points.len()).map_err(ExperimentError::failed))
        .collect::<Result<Vec<f64>, _>>()?;
    Ok(epsilons.iter().map(|epsilon| sample_bound(&beta, &gamma, model.noise_variance, *epsilon)).collect())
}

/// Sizes of the study.
struct Design<'a> {
    processes: &'a [Process],
    side: usize,
    horizon: usize,
    draws: usize,
    /// Draws that a verdict needs.
    planned: usize,
    epsilons: &'a [f64],
    /// Samples up to which bounds are looked for, and evaluations up to which a run goes.
    most: usize,
    cap: usize,
}

impl Design<'_> {
    fn regrets(&self, context: &RunContext) -> Result<Vec<Kind>, ExperimentError> {
        let mut jobs = Vec::new();
        for process in self.processes {
            for (name, schedule) in schedule(self.side * self.side) {
                jobs.extend((0..self.draws).map(|i| (*process, name, schedule, i)));
            }
        }
        let name = |(process, schedule, _, i): &(Process, &str, Schedule, usize)| {
            JobName::new(process.name, format!("upper confidence bound, {schedule}"), *i)
        };
        let regrets: Vec<Regret> = Runs::new(EXPERIMENT.id, context).part("regret").collect(
            &jobs,
            name,
            |(process, _, schedule, i)| {
                Regret::run(process, *schedule, self.side, self.horizon, seed(context, *i))
            },
        )?;
        let kind = |(jobs, runs): (&[(Process, &'static str, Schedule, usize)], &[Regret])| Kind {
            process: jobs[0].0,
            schedule: jobs[0].1,
            runs: runs.to_vec(),
        };
        Ok(jobs.chunks(self.draws).zip(regrets.chunks(self.draws)).map(kind).collect())
    }

    fn samples(&self, context: &RunContext) -> Result<Vec<Samples>, ExperimentError> {
        let mut jobs = Vec::new();
        for process in self.processes {
            for epsilon in self.epsilons {
                jobs.extend((0..self.draws).map(|i| (*process, *epsilon, i)));
            }
        }
        let name = |(process, epsilon, i): &(Process, f64, usize)| {
            JobName::new(process.name, format!("classification within {epsilon}"), *i)
        };
        let runs = Runs::new(EXPERIMENT.id, context).part("certified");
        let certified: Vec<Certified> = runs.collect(&jobs, name, |(process, epsilon, i)| {
            Certified::run(process, *epsilon, self.side, self.cap, seed(context, *i))
        })?;
        let limits = in_parallel(EXPERIMENT.id, self.processes, |process| {
            bounds(process, self.side, self.epsilons, self.most)
        })?;
        let by_kind = jobs.chunks(self.draws).zip(certified.chunks(self.draws));
        Ok(by_kind
            .zip(limits.into_iter().flatten())
            .map(|((jobs, runs), bound)| Samples {
                process: jobs[0].0,
                epsilon: jobs[0].1,
                runs: runs.to_vec(),
                bound,
                most: self.most,
            })
            .collect())
    }
}

fn seed(context: &RunContext, i: usize) -> Seed {
    Seed(context.seed).child(EXPERIMENT.id, i as u64)
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (side, horizon) = context.pick((10, 40), (16, 200));
    let (most, cap) = context.pick((30_000, 150), (200_000, 600));
    let n = context.replications(2, 20);
    let design = Design {
        processes: context.pick(&Process::ALL[..2], &Process::ALL[..]),
        side,
        horizon,
        draws: n.run,
        planned: n.planned,
        epsilons: context.pick(&[0.8, 0.5], &[0.8, 0.6, 0.45, 0.3]),
        most,
        cap,
    };
    // Both are run before either is missed, so that a shard does its part of each.
    let (kinds, samples) = (design.regrets(context), design.samples(context));
    report(&kinds?, &samples?, &design)
}

/// Theorems promise each for all steps, and for all ε, of one draw at once: a draw of a process is one trial.
fn judge(kinds: &[Kind], samples: &[Samples], design: &Design<'_>) -> Result<Judgement, ClaimError> {
    let trials = design.processes.len() * design.planned;
    let rate = |name: &str| Claim::new(name, ClaimKind::RateAtLeast(1.0 - DELTA), Test::Binomial, trials);
    let promised = kinds.iter().filter(|kind| kind.schedule == "Srinivas");
    let below = Sample::count(promised.flat_map(|kind| kind.runs.iter().map(Regret::is_below)));
    let at_every_epsilon = |holds: &dyn Fn(&Samples, &Certified) -> bool| {
        let of_process = samples.chunks(design.epsilons.len());
        Sample::count(of_process.flat_map(|own| {
            let draws = own.iter().map(|samples| samples.runs.len()).min().unwrap_or(0);
            (0..draws).map(move |i| own.iter().all(|samples| holds(samples, &samples.runs[i])))
        }))
    };
    Family::new(Rule::All)
        .with(rate("the regret stays below its bound at every step"), below)
        .with(
            rate("certified by the bound on the number of samples"),
            at_every_epsilon(&|samples, run| samples.is_within_bound(run)),
        )
        .with(rate("the certificate is right within ε"), at_every_epsilon(&|_, run| run.right))
        .judge()
}

fn report(kinds: &[Kind], samples: &[Samples], design: &Design<'_>) -> Result<Report, ExperimentError> {
    let &Design { side, horizon, draws, .. } = design;
    let promised = kinds.iter().filter(|kind| kind.schedule == "Srinivas");
    let mut numbers = BTreeMap::new();
    for kind in promised {
        let name = kind.process.name;
        numbers.insert(format!("{name}: share of draws below the bound on the regret"), kind.below());
        numbers.insert(format!("{name}: regret at the end, mean over bound"), kind.share_of_bound());
    }
    for own in samples {
        let name = format!("{}, ε = {}", own.process.name, own.epsilon);
        numbers.insert(format!("{name}: median samples until certified"), own.median());
        numbers.insert(format!("{name}: share of certificates right within ε"), own.right());
    }
    Ok(Report {
        judgement: judge(kinds, samples, design)?,
        numbers,
        settings: [
            ("domain", format!("{side} × {side} points of the unit square")),
            (
                "process",
                format!(
                    "mean 0, variance 1, lengthscale {}, noise variance {}",
                    runs::LENGTHSCALE,
                    runs::NOISE
                ),
            ),
            ("δ", DELTA.to_string()),
            ("draws", draws.to_string()),
            ("rounds of upper confidence bounds", horizon.to_string()),
            ("threshold", runs::THRESHOLD.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        notes: vec![NOTE.into()],
        tables: vec![
            tables::regret(kinds),
            tables::exponents(kinds),
            tables::samples(samples),
            tables::sample_exponents(samples),
        ],
        figures: tables::figures(kinds, samples)?,
    })
}

#[cfg(test)]
mod tests {
    use super::runs::Bounds;
    use super::*;
    use crate::harness::Verdict;

    /// Draws of which every `broken`-th is made worse; 0 for none.
    struct Worse {
        regret: usize,
        samples: usize,
        right: usize,
    }

    fn verdict(worse: &Worse) -> Verdict {
        verdict_of(worse, 40, 40)
    }

    /// Verdict from some of the draws that were declared.
    fn verdict_of(worse: &Worse, draws: usize, planned: usize) -> Verdict {
        let design = Design {
            processes: &Process::ALL[..2],
            side: 2,
            horizon: 2,
            draws,
            planned,
            epsilons: &[0.5, 0.3],
            most: 100,
            cap: 100,
        };
        let broken = |i: usize, every: usize| every > 0 && i.is_multiple_of(every);
        let regret = |i: usize| Regret {
            cumulative: vec![1.0, if broken(i, worse.regret) { 4.0 } else { 2.0 }],
            bounds: Bounds { regret: vec![3.0; 2], information: vec![1.0; 2], gamma: vec![1.0; 2] },
        };
        let certified = |i: usize| Certified {
            samples: Some(if broken(i, worse.samples) { 51 } else { 50 }),
            right: !broken(i, worse.right),
        };
        let kind = |process: &Process| Kind {
            process: *process,
            schedule: "Srinivas",
            runs: (0..draws).map(regret).collect(),
        };
        let samples = |(process, epsilon): (&Process, f64)| Samples {
            process: *process,
            epsilon,
            // Runs at the larger ε are always good: what fails at one ε fails.
            runs: (0..draws).map(|i| certified(if epsilon > 0.4 { 1 } else { i })).collect(),
            bound: Some(50),
            most: 100,
        };
        let kinds: Vec<Kind> = design.processes.iter().map(kind).collect();
        let pairs = design.processes.iter().flat_map(|p| design.epsilons.iter().map(move |e| (p, *e)));
        judge(&kinds, &pairs.map(samples).collect::<Vec<_>>(), &design).unwrap().verdict()
    }

    #[test]
    fn each_broken_bound_is_found() {
        let well = Worse { regret: 0, samples: 0, right: 0 };
        assert_eq!((verdict(&well), verdict_of(&well, 40, 41)), (Verdict::Holds, Verdict::Inconclusive));
        assert_eq!(verdict(&Worse { regret: 2, samples: 0, right: 0 }), Verdict::DoesNotHold);
        assert_eq!(verdict(&Worse { regret: 0, samples: 2, right: 0 }), Verdict::DoesNotHold);
        assert_eq!(verdict(&Worse { regret: 0, samples: 0, right: 2 }), Verdict::DoesNotHold);
        assert_eq!(verdict(&Worse { regret: 10, samples: 0, right: 0 }), Verdict::Inconclusive);
    }
}
