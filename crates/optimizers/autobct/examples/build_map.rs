//! Builds a value map and writes it: `build_map small|paper|1d|2d [file]`.
//!
//! `small` is three trainings at one control over 15,600 beliefs, `paper` two over the same as in the paper, from 20 samples, on one thread;
//! `1d` is `small` over as many as the paper has (156,000), `2d` two trainings at two controls over 761,600. Prints the time, the largest memory, and how far values are off on beliefs apart.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::time::Instant;

use thrifty_autobct::{
    Baseline, BeliefSamples, Controls, Decision, Expectation, MapSettings, NoiseStdDev, Quadrature,
    SamplingSettings, State, ValueFunction, ValueMap,
};
use thrifty_linear::{Coefficients, Polynomial};
use thrifty_sampling::Seed;

/// A map to be built.
struct Job {
    decision: Decision,
    prior: State,
    cloud: SamplingSettings,
    settings: MapSettings,
}

/// The prior of Appendix D.1.
fn one_control(cloud: SamplingSettings) -> Result<Job, Box<dyn Error>> {
    let basis = Polynomial::of_one(3, 0.5);
    let noise = |_: &[f64]| NoiseStdDev { score: 0.05, cost: 0.1 };
    let controls = Controls::new(Controls::grid(1, 11).as_ref(), &basis, &basis, noise)?;
    let prior = State {
        score: Coefficients::independent(vec![0.4, 0.1, -0.2, 0.1], &[1.0; 4])?,
        cost: Coefficients::independent(vec![1.0, 1.0, 2.0, 2.0], &[0.64, 4.0, 4.0, 4.0])?,
    };
    let decision = Decision::new(0.16, controls, Quadrature::Hermite(3))?;
    Ok(Job { decision, prior, cloud, settings: MapSettings::accurate(3) })
}

/// All products of up to three in two controls, ten functions; a score with its peak inside and a cost that falls.
fn two_controls() -> Result<Job, Box<dyn Error>> {
    let basis = Polynomial::full(2, 3, 0.5);
    let noise = |_: &[f64]| NoiseStdDev { score: 0.15, cost: 0.1 };
    let controls = Controls::new(Controls::grid(2, 11).as_ref(), &basis, &basis, noise)?;
    let mut score = vec![0.0; 10];
    score[0] = 0.6;
    let prior = State {
        score: Coefficients::independent(score.clone(), &[0.5; 10])?,
        cost: Coefficients::independent(score, &[0.5; 10])?,
    };
    let settings = MapSettings { baseline: Baseline::OneStep, ..MapSettings::accurate(2) };
    let decision = Decision::new(0.16, controls, Quadrature::Hermite(3))?;
    Ok(Job { decision, prior, cloud: SamplingSettings::paper_2d(), settings })
}

/// The largest resident memory so far in GB, where the system provides it.
fn memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1e6)
}

/// Root mean square errors of what was learnt and of what it was learnt on top of.
fn errors(job: &Job, map: &ValueMap) -> Result<(f64, f64), Box<dyn Error>> {
    let depth = job.settings.depth;
    let apart = SamplingSettings { drawn: 10, roots: 4, ..job.cloud.clone() };
    let cloud = BeliefSamples::new(&job.prior, job.decision.later(), &apart, Seed(12_345))?;
    let (learnt, below) = (map.level(depth, &job.decision)?, map.level(depth - 1, &job.decision)?);
    let expectation: Expectation = job.settings.expectation;
    let (mut ours, mut known, mut count) = (0.0, 0.0, 0.0);
    for index in (0..cloud.len()).step_by(3) {
        let state = cloud.state(index)?;
        let truth = job.decision.steps(&state, depth, &expectation)?.value();
        ours += (learnt.value(&state)? - truth).powi(2);
        known += (below.value(&state)? - truth).powi(2);
        count += 1.0;
    }
    Ok(((ours / count).sqrt(), (known / count).sqrt()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let job = match arguments.first().map_or("small", String::as_str) {
        "small" => one_control(SamplingSettings::small())?,
        "paper" => {
            let settings = MapSettings::paper(2, 20, Seed(0));
            Job { settings, ..one_control(SamplingSettings::small())? }
        }
        "1d" => one_control(SamplingSettings::paper_1d())?,
        "2d" => two_controls()?,
        other => return Err(format!("no such map: {other}, expected small, paper, 1d or 2d").into()),
    };
    let there = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = if job.settings.smooth { 1 } else { there };
    let began = Instant::now();
    let map = ValueMap::build(&job.decision, &job.prior, &job.cloud, &job.settings, threads)?;
    println!("{} beliefs, {threads} threads: {:.1} s", job.cloud.len(), began.elapsed().as_secs_f64());
    if let Some(memory) = memory() {
        println!("largest memory: {memory:.2} GB");
    }
    let (ours, known) = errors(&job, &map)?;
    println!("error on beliefs apart: {ours:.5}, of one training less: {known:.5}");
    if let Some(path) = arguments.get(1) {
        map.write(BufWriter::new(File::create(path)?))?;
        println!("{path}: {:.1} MB", std::fs::metadata(path)?.len() as f64 / 1e6);
    }
    Ok(())
}
