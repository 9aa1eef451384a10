//! Builds a value map: `build_map KIND [FILE] [--levels N] [--threads N]`.
//!
//! `small` is three trainings at one control over 15,600 beliefs, `paper` two over the same as in `cironis2022`, from 20 samples, on one
//! thread; `1d` is `small` over as many as the source has (156,000), `2d` two trainings at two controls over 761,600. `published` is
//! the map of the source at its size: 156,000 beliefs, 101 controls, 100 samples; `published-2d` that of two controls: 761,600 beliefs,
//! 11 × 11 controls, 100 samples, three levels. `tenth` and `tenth-2d` have a tenth of their beliefs.
//!
//! With a file the build is kept beside it in FILE with the extension `partial`: the same command goes on after it was killed, and one with more
//! levels goes on where those of fewer ended. Prints the time, the largest memory, and how far values are off on beliefs apart.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::Instant;

use thrifty_autobct::{
    Baseline, BeliefSamples, Controls, Decision, Expectation, MapBuild, MapProgress, MapSettings,
    NoiseStdDev, Quadrature, SamplingSettings, State, ValueFunction, ValueMap,
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

/// The map of the published examples with one control: 101 controls, 100 samples of each, 156,000 beliefs, two levels.
fn published() -> Result<Job, Box<dyn Error>> {
    let Job { decision, prior, .. } = one_control(SamplingSettings::paper_1d())?;
    let basis = Polynomial::of_one(3, 0.5);
    let noise = |_: &[f64]| NoiseStdDev { score: 0.05, cost: 0.1 };
    let controls = Controls::new(Controls::grid(1, 101).as_ref(), &basis, &basis, noise)?;
    let decision = Decision::new(decision.gamma(), controls, Quadrature::Adaptive { tolerance: 1e-6 })?;
    Ok(Job {
        decision,
        prior,
        cloud: SamplingSettings::paper_1d(),
        settings: MapSettings::paper(2, 100, Seed(0)),
    })
}

/// The map of the published example with two controls (Appendix D.4): three levels, over its 761,600 beliefs around the prior that it
/// prints as a polynomial in u, here in powers of u - 0.5. Its grid is not printed; 11 × 11 is nearest to the 101 of one control.
fn published_two() -> Result<Job, Box<dyn Error>> {
    let (first, second) = ((0..5).map(|k| vec![k, 0]), (1..5).map(|k| vec![0, k]));
    let basis = Polynomial::of_exponents(first.chain(second).chain([vec![1, 1]]).collect(), vec![0.5; 2]);
    let noise = |_: &[f64]| NoiseStdDev { score: 0.15, cost: 0.1 };
    let controls = Controls::new(Controls::grid(2, 11).as_ref(), &basis, &basis, noise)?;
    let score = vec![0.45, -0.1, -0.4, 0.0, 0.0, -0.2, -0.4, 0.0, 0.0, 0.0];
    let cost = vec![1.39375, 0.0, 0.0, 0.0, 0.0, -2.8, 1.2, 1.0, 0.5, 0.0];
    let mut of_cost = [0.6; 10];
    of_cost[8] = 0.001;
    let prior = State {
        score: Coefficients::independent(score, &[0.6; 10])?,
        cost: Coefficients::independent(cost, &of_cost)?,
    };
    let decision = Decision::new(0.16, controls, Quadrature::Adaptive { tolerance: 1e-6 })?;
    let settings = MapSettings::paper(3, 100, Seed(0));
    Ok(Job { decision, prior, cloud: SamplingSettings::paper_2d(), settings })
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

/// Processor seconds of this process, where the system provides them.
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name in brackets: time in user and system mode are fields 14 and 15, in hundredths of a second.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?) / 100.0)
}

/// Prints how far a build is, now and then.
struct Meter {
    began: Instant,
    printed: Instant,
    /// Level, and what was done of it when it began here.
    level: (usize, usize, Instant),
}

impl Meter {
    fn new(progress: &MapProgress) -> Self {
        let now = Instant::now();
        Self { began: now, printed: now, level: (progress.level, progress.beliefs, now) }
    }

    fn show(&mut self, progress: &MapProgress) {
        let MapProgress { level, of_levels, beliefs, of_beliefs } = *progress;
        if level != self.level.0 {
            println!("level {} is done, {}", self.level.0, self.used());
            self.level = (level, 0, Instant::now());
        }
        if self.printed.elapsed().as_secs() < 30 {
            return;
        }
        self.printed = Instant::now();
        let (_, from, since) = self.level;
        let each = since.elapsed().as_secs_f64() / (beliefs - from).max(1) as f64;
        let left = each * (of_beliefs - beliefs) as f64 / 60.0;
        println!(
            "level {level} of {of_levels}: {beliefs} of {of_beliefs} beliefs, {left:.1} min left, {}",
            self.used()
        );
    }

    /// Time and memory so far.
    fn used(&self) -> String {
        let minutes = self.began.elapsed().as_secs_f64() / 60.0;
        let processor =
            processor_seconds().map_or(String::new(), |s| format!(", {:.1} of the processor", s / 60.0));
        let memory = memory().map_or(String::new(), |gb| format!(", at most {gb:.2} GB"));
        format!("after {minutes:.1} min{processor}{memory}")
    }
}

/// Number after an option.
fn option(arguments: &[String], name: &str) -> Result<Option<usize>, Box<dyn Error>> {
    let Some(at) = arguments.iter().position(|argument| argument == name) else { return Ok(None) };
    let text = arguments.get(at + 1).ok_or_else(|| format!("{name} needs a number"))?;
    Ok(Some(text.parse().map_err(|_| format!("{name} is {text}, expected a number"))?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut job = match arguments.first().map_or("small", String::as_str) {
        "small" => one_control(SamplingSettings::small())?,
        "paper" => {
            let settings = MapSettings::paper(2, 20, Seed(0));
            Job { settings, ..one_control(SamplingSettings::small())? }
        }
        "1d" => one_control(SamplingSettings::paper_1d())?,
        "2d" => two_controls()?,
        "published" => published()?,
        "tenth" => Job { cloud: SamplingSettings::small(), ..published()? },
        "published-2d" => published_two()?,
        "tenth-2d" => {
            let cloud = SamplingSettings { drawn: 100, roots: 1060, ..SamplingSettings::paper_2d() };
            Job { cloud, ..published_two()? }
        }
        other => {
            return Err(
                format!("no such map: {other}, expected small, paper, 1d, 2d, published, tenth, published-2d or tenth-2d").into()
            );
        }
    };
    let file = arguments.get(1).filter(|argument| !argument.starts_with("--")).map(PathBuf::from);
    let there = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = option(&arguments, "--threads")?.unwrap_or(if job.settings.smooth { 1 } else { there });
    job.settings.depth = option(&arguments, "--levels")?.unwrap_or(job.settings.depth);
    let Job { decision, prior, cloud, settings } = &job;
    let mut build = match &file {
        Some(file) => MapBuild::in_file(&file.with_extension("partial"), decision, prior, cloud, settings)?,
        None => MapBuild::new(decision, prior, cloud, settings)?,
    };
    let progress = build.progress();
    if build.dropped() > 0 {
        println!(
            "warning: {} bytes at the end of the unfinished file were incomplete and are dropped",
            build.dropped()
        );
    }
    if progress.level > 1 || progress.beliefs > 0 {
        println!("begins at level {}, belief {}", progress.level, progress.beliefs);
    }
    let mut meter = Meter::new(&progress);
    while build.advance(200, threads)? {
        meter.show(&build.progress());
    }
    println!("{} beliefs, {} levels, {threads} threads: {}", cloud.len(), settings.depth, meter.used());
    let map = build.finish(threads)?;
    if let Some(path) = &file {
        map.write(BufWriter::new(File::create(path)?))?;
        println!("{}: {:.1} MB", path.display(), std::fs::metadata(path)?.len() as f64 / 1e6);
    }
    // Of more levels from samples the true values cost too much.
    if settings.depth > 1 && (settings.depth == 2 || !settings.smooth) {
        let (ours, known) = errors(&job, &map)?;
        println!("error on beliefs apart: {ours:.5}, of one training less: {known:.5}");
    }
    Ok(())
}
