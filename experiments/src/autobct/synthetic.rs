use std::collections::BTreeMap;

use rand_distr::{Distribution, StandardNormal};
use thrifty_autobct::{AutoBct, AutoBctSettings, Plan, Quadrature};
use thrifty_figures::{LinePlot, Series};
use thrifty_sampling::Seed;
use thrifty_space::{Config, Space, SpaceError};
use thrifty_study::{History, Measurement, Outcome, StopReason, Study};

use super::paper::{GAMMA, RUNS, basis, prior};
use crate::error::ExperimentError;
use crate::harness::replicate::in_parallel;
use crate::harness::stats::{mean_and_deviation, quantile};
use crate::harness::{Experiment, Figure, Report, RunContext, Table, Verdict, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "autobct/synthetic",
    paper: "AutoBCT (Cironis, Palczewski & Aivaliotis, 2022), section 4.1",
    claim: "on the synthetic example the algorithm stops after three trainings with a score of about 0.98",
    quick_cost: "8 runs of three policies: some seconds",
    full_cost: "48 runs of four policies: a minute",
    run,
};

/// A way to look ahead.
const POLICIES: [(&str, Plan); 4] = [
    ("one ahead", Plan::Relaxed { depth: 1 }),
    ("two ahead", Plan::Relaxed { depth: 2 }),
    ("horizon of two", Plan::Horizon { horizon: 2 }),
    ("three ahead", Plan::Relaxed { depth: 3 }),
];

/// Scores of the published trainings by number of trees, each number once, in rising order and never falling.
fn curve() -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = RUNS[..3]
        .iter()
        .flat_map(|run| run.rows)
        .map(|row| ((1.0 + 99.0 * row.control).floor(), row.score))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut pooled: Vec<(f64, f64, f64)> = Vec::new();
    for (trees, score) in points {
        pooled.push((trees, score, 1.0));
        // The same number, or a fall: neighbours are averaged.
        while let [.., before, last] = pooled[..]
            && (before.0 == last.0 || before.1 > last.1)
        {
            let weight = before.2 + last.2;
            let mean = |a: f64, b: f64| (before.2 * a + last.2 * b) / weight;
            let merged = (mean(before.0, last.0), mean(before.1, last.1), weight);
            pooled.truncate(pooled.len() - 2);
            pooled.push(merged);
        }
    }
    pooled.into_iter().map(|(trees, score, _)| (trees, score)).collect()
}

/// The score of so many trees: straight lines in the logarithm between the published points.
fn score(curve: &[(f64, f64)], trees: f64) -> f64 {
    let after = curve.partition_point(|point| point.0 < trees);
    if after == 0 || after == curve.len() {
        return curve[after.min(curve.len() - 1)].1;
    }
    let ((low, from), (high, to)) = (curve[after - 1], curve[after]);
    from + (to - from) * (trees / low).ln() / (high / low).ln()
}

/// One training: score with a deviation of 0.008, cost with one of 0.05 around the line through the published costs.
fn train(curve: &[(f64, f64)], config: &Config, seed: Seed, id: u64) -> Result<Measurement, SpaceError> {
    let u = config.float("u")?;
    let mut rng = seed.stream("training", id);
    let (z, w): (f64, f64) = (StandardNormal.sample(&mut rng), StandardNormal.sample(&mut rng));
    Ok(Measurement {
        objectives: vec![score(curve, (1.0 + 99.0 * u).floor()) + 0.008 * z],
        cost: Some((0.06 + 0.67 * u + 0.05 * w).max(0.0)),
        ..Measurement::default()
    })
}

fn optimizer(plan: Plan) -> Result<AutoBct, ExperimentError> {
    let (state, noise) = prior(1).map_err(ExperimentError::failed)?;
    // Three ahead is a quadrature over every control: a coarser choice is enough.
    let (grid, later_grid, of_cost) = match plan {
        Plan::Relaxed { depth: 3 } => (33, 11, Quadrature::Hermite(3)),
        _ => (101, 101, Quadrature::ACCURATE),
    };
    let settings = AutoBctSettings {
        gamma: GAMMA,
        noise,
        plan,
        grid,
        later_grid,
        of_cost,
        max_epochs: 30,
        ..AutoBctSettings::default()
    };
    let space = Space::builder().float("u", 0.0, 1.0).build()?;
    Ok(AutoBct::new(space, &basis(), &basis(), state, settings)?)
}

/// What a run came to.
struct Run {
    trainings: f64,
    control: f64,
    score: f64,
    spent: f64,
    history: History<Config>,
}

fn one(plan: Plan, seed: Seed) -> Result<Run, ExperimentError> {
    let curve = curve();
    let mut study = Study::new(optimizer(plan)?, seed);
    let reason = study.run(|config, context| {
        train(&curve, config, seed, context.id.0)
            .map_or_else(|error| Outcome::failed(error.to_string()), Outcome::from)
    })?;
    let StopReason::Decided { numbers, .. } = reason else {
        return Err(ExperimentError::failed("a run that did not decide to stop"));
    };
    let trials = study.history().trials();
    let last = trials.last().ok_or_else(|| ExperimentError::failed("a run without trainings"))?;
    Ok(Run {
        trainings: trials.len() as f64,
        control: last.query.float("u")?,
        score: last.outcome.as_ref().and_then(Outcome::objective).unwrap_or(f64::NAN),
        spent: numbers["spent"],
        history: study.history().clone(),
    })
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let runs = context.replications(8, 48);
    let policies = context.pick(&POLICIES[..3], &POLICIES[..]);
    let jobs: Vec<(usize, usize)> =
        (0..policies.len()).flat_map(|p| (0..runs).map(move |i| (p, i))).collect();
    let all = in_parallel(EXPERIMENT.id, &jobs, |&(p, i)| {
        one(policies[p].1, Seed(context.seed).child(EXPERIMENT.id, i as u64))
    })?;
    let (mut rows, mut numbers) = (Vec::new(), BTreeMap::new());
    for (p, (name, _)) in policies.iter().enumerate() {
        let own = &all[p * runs..(p + 1) * runs];
        let of = |pick: fn(&Run) -> f64| -> Vec<f64> { own.iter().map(pick).collect() };
        let spread = |values: &[f64]| {
            let (mean, deviation) = mean_and_deviation(values);
            format!("{} ± {}", number(mean), number(deviation))
        };
        let worth = of(|run| run.score - GAMMA * run.spent);
        let trainings = of(|run| run.trainings);
        numbers.insert(format!("{name}: median trainings"), quantile(&trainings, 0.5));
        numbers.insert(format!("{name}: mean score"), mean_and_deviation(&of(|run| run.score)).0);
        numbers.insert(format!("{name}: mean score less cost"), mean_and_deviation(&worth).0);
        rows.push(vec![
            (*name).to_owned(),
            spread(&trainings),
            spread(&of(|run| run.control)),
            spread(&of(|run| run.score)),
            spread(&of(|run| run.spent)),
            spread(&worth),
        ]);
    }
    for run in &RUNS[..3] {
        let (last, spent) = (&run.rows[run.rows.len() - 1], run.rows.iter().map(|row| row.cost).sum::<f64>());
        rows.push(vec![
            format!("paper, table {}", run.name),
            run.rows.len().to_string(),
            number(last.control),
            number(last.score),
            number(spent),
            number(last.score - GAMMA * spent),
        ]);
    }
    let two = &all[runs..2 * runs];
    let three = two.iter().filter(|run| run.trainings == 3.0).count();
    let good = two.iter().filter(|run| run.score > 0.95).count();
    let holds = 2 * three > runs && 2 * good > runs;
    Ok(Report {
        verdict: if holds { Verdict::Holds } else { Verdict::DoesNotHold },
        numbers,
        settings: [("runs".to_owned(), runs.to_string()), ("γ".to_owned(), GAMMA.to_string())].into(),
        notes: vec![
            "Trainings are noisy points of a curve through those that the paper published, straight in the logarithm of the number of \
             trees. Single problems cannot rank policies: looking one training ahead gets more out of this one, and less on average \
             over draws of the prior. Verdict: of two ahead, most runs train three times, and most end above 0.95."
                .into(),
        ],
        tables: vec![Table {
            name: "policies".into(),
            caption: "Mean and deviation over runs: trainings, the last control, its score, the cost in all, and score less γ times \
                      cost; then the paper's single runs."
                .into(),
            header: ["policy", "trainings", "final u", "final score", "cost", "score - γ cost"].map(String::from).to_vec(),
            rows,
        }],
        figures: vec![beliefs(&two[0].history)?],
    })
}

/// What the first run of two ahead believes of the score after each training.
fn beliefs(history: &History<Config>) -> Result<Figure, ExperimentError> {
    let optimizer = optimizer(Plan::Relaxed { depth: 2 })?;
    let (controls, curve) = (optimizer.decision().controls(), curve());
    let truth = (0..=100).map(|i| f64::from(i) / 100.0);
    let mut series =
        vec![Series::line("truth", truth.map(|u| (u, score(&curve, (1.0 + 99.0 * u).floor()))).collect())];
    for n in 0..=history.len() {
        let seen = History::from_trials(history.trials()[..n].to_vec());
        let state = optimizer.state(&seen)?;
        let moments = |u: usize| state.score.moments(controls.score(u));
        let at = |u: usize| controls.points().row(u)[0];
        let label = if n == 0 { "prior".to_owned() } else { format!("after {n}") };
        let mut line = Series::line(label, (0..controls.len()).map(|u| (at(u), moments(u).0)).collect());
        if n > 0 {
            let band = |u: usize| {
                let (mean, variance) = moments(u);
                (at(u), mean - variance.sqrt(), mean + variance.sqrt())
            };
            line.band = (0..controls.len()).map(band).collect();
        }
        series.push(line);
    }
    let mut trained = Vec::new();
    for trial in history.trials() {
        if let Some(score) = trial.outcome.as_ref().and_then(Outcome::objective) {
            trained.push((trial.query.float("u")?, score));
        }
    }
    series.push(Series::dots("trained", trained));
    let plot = LinePlot {
        title: "What is believed of the score".into(),
        x_label: "control u".into(),
        y_label: "score".into(),
        series,
        ..LinePlot::default()
    };
    Ok(Figure {
        name: "beliefs".into(),
        caption: "The first run that looks two trainings ahead: mean and one deviation of the score after each training.".into(),
        svg: plot.draw().map_err(ExperimentError::failed)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_rises_through_the_published_points() {
        let curve = curve();
        assert!(curve.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1), "{curve:?}");
        assert!((score(&curve, 1.0) - 0.5537).abs() < 1e-3 && score(&curve, 100.0) > 0.98);
        assert!((score(&curve, 6.0) - 0.734).abs() < 1e-9);
    }
}
