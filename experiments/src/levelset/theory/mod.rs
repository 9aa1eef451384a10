//! What theorems promise of a run with a known process, beside what happens.

mod runs;
mod tables;

use std::collections::BTreeMap;

use thrifty_acquisition::Schedule;
use thrifty_levelset::theory::{greedy_information_gain, sample_bound};
use thrifty_sampling::Seed;

use self::runs::{Certified, Process, Regret, grid};
use self::tables::{Kind, Samples};
use crate::error::ExperimentError;
use crate::harness::replicate::in_parallel;
use crate::harness::{Experiment, Report, RunContext, Verdict};

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

const NOTE: &str = "Verdict: holds when in each process at least 90 % of the draws stay below the bound on the regret at every step, \
    no run needs more samples than the bound, and at least 90 % of the certificates are right everywhere within ε; else does not \
    hold. Draws are sums of 1,024 cosines: their covariance is that of the process exactly, their law nearly.";

/// `β_t` by the schedule's name.
pub fn schedule(points: usize) -> [(&'static str, Schedule); 3] {
    [
        ("Srinivas", Schedule::SrinivasFinite { points: points as f64, delta: DELTA }),
        ("Brochu (the seed's)", Schedule::Brochu { dim: 2, delta: DELTA }),
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
        greedy_information_gain(&covariance, most, model.noise).map_err(ExperimentError::failed)?;
    let gamma: Vec<f64> = greedy.iter().map(|gain| gain / (1.0 - (-1.0_f64).exp())).collect();
    let confidence = thrifty_levelset::Confidence::Gotovos { delta: DELTA };
    let beta = (1..=most)
        .map(|t| confidence.beta(t, points.len()).map_err(ExperimentError::failed))
        .collect::<Result<Vec<f64>, _>>()?;
    Ok(epsilons.iter().map(|epsilon| sample_bound(&beta, &gamma, model.noise, *epsilon)).collect())
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let (side, horizon) = context.pick((10, 40), (16, 200));
    let draws = context.replications(2, 20);
    let processes = context.pick(&Process::ALL[..2], &Process::ALL[..]);
    let epsilons: &[f64] = context.pick(&[0.8, 0.5], &[0.8, 0.6, 0.45, 0.3]);
    let (most, cap) = context.pick((30_000, 150), (200_000, 600));
    let root = Seed(context.seed);
    let seed = |i: usize| root.child(EXPERIMENT.id, i as u64);
    let mut jobs = Vec::new();
    for process in processes {
        for (name, schedule) in schedule(side * side) {
            jobs.extend((0..draws).map(|i| (*process, name, schedule, seed(i))));
        }
    }
    let regrets = in_parallel(EXPERIMENT.id, &jobs, |(process, _, schedule, seed)| {
        Regret::run(process, *schedule, side, horizon, *seed)
    })?;
    let kinds: Vec<Kind> = jobs
        .chunks(draws)
        .zip(regrets.chunks(draws))
        .map(|(jobs, runs)| Kind { process: jobs[0].0, schedule: jobs[0].1, runs: runs.to_vec() })
        .collect();
    let mut jobs = Vec::new();
    for process in processes {
        for epsilon in epsilons {
            jobs.extend((0..draws).map(|i| (*process, *epsilon, seed(i))));
        }
    }
    let certified = in_parallel(EXPERIMENT.id, &jobs, |(process, epsilon, seed)| {
        Certified::run(process, *epsilon, side, cap, *seed)
    })?;
    let limits = in_parallel(EXPERIMENT.id, processes, |process| bounds(process, side, epsilons, most))?;
    let samples: Vec<Samples> = jobs
        .chunks(draws)
        .zip(certified.chunks(draws))
        .zip(limits.into_iter().flatten())
        .map(|((jobs, runs), bound)| Samples {
            process: jobs[0].0,
            epsilon: jobs[0].1,
            runs: runs.to_vec(),
            bound,
            most,
        })
        .collect();
    report(&kinds, &samples, (side, horizon, draws))
}

fn report(
    kinds: &[Kind],
    samples: &[Samples],
    (side, horizon, draws): (usize, usize, usize),
) -> Result<Report, ExperimentError> {
    let promised = kinds.iter().filter(|kind| kind.schedule == "Srinivas");
    let sound = promised.clone().all(|kind| kind.below() >= 1.0 - DELTA)
        && samples.iter().all(|own| own.right() >= 1.0 - DELTA && own.within_bound());
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
        verdict: if sound { Verdict::Holds } else { Verdict::DoesNotHold },
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
