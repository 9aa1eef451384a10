//! The synthetic example of the paper: how many trees a random forest on a checkerboard should have.

mod checkerboard;
mod curve;
mod figures;
mod policies;
mod problem;

use std::collections::BTreeMap;

use thrifty_sampling::Seed;

use self::checkerboard::Checkerboard;
use self::curve::Curve;
use self::policies::{Policies, Run};
use self::problem::Problem;
use super::paper::{GAMMA, RUNS};
use crate::error::ExperimentError;
use crate::harness::replicate::in_parallel;
use crate::harness::stats::{mean_and_std_dev, quantile};
use crate::harness::{Experiment, Figure, Report, RunContext, Table, Verdict, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "autobct/synthetic",
    paper: "AutoBCT (Cironis, Palczewski & Aivaliotis, 2022), section 4.1",
    claim: "on the synthetic example the algorithm stops after three trainings with a score of about 0.98",
    quick_cost: "8 runs of three policies on the curve of the published scores: some seconds",
    full_cost: "24 runs of eight policies, on the curve and on forests that are trained: ten minutes",
    run,
};

/// Runs on a problem: a table, and whether two trainings ahead do what the paper says.
struct Runs {
    table: Table,
    numbers: Vec<(String, f64)>,
    holds: bool,
    /// With what the first run two trainings ahead stopped.
    control: f64,
    figures: Vec<Figure>,
}

/// Of those that there are: a run that a guard ended has no value of going on.
fn spread(values: &[f64]) -> String {
    let values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    if values.is_empty() {
        return "–".into();
    }
    let (mean, std_dev) = mean_and_std_dev(&values);
    format!("{} ± {}", number(mean), number(std_dev))
}

fn on(
    context: &RunContext,
    name: &str,
    problem: &dyn Problem,
    policies: &Policies,
    runs: usize,
) -> Result<Runs, ExperimentError> {
    let count = policies.len();
    let jobs: Vec<(usize, usize)> = (0..count).flat_map(|p| (0..runs).map(move |i| (p, i))).collect();
    let all = in_parallel(EXPERIMENT.id, &jobs, |&(p, i)| {
        policies.run(p, problem, Seed(context.seed).child(EXPERIMENT.id, i as u64))
    })?;
    let (mut rows, mut numbers) = (Vec::new(), Vec::new());
    for p in 0..count {
        let own = &all[p * runs..(p + 1) * runs];
        let of = |pick: fn(&Run) -> f64| -> Vec<f64> { own.iter().map(pick).collect() };
        let worth = of(|run| run.score - GAMMA * run.spent);
        let label = policies.name(p);
        numbers.push((format!("{name}, {label}: median trainings"), quantile(&of(|run| run.trainings), 0.5)));
        numbers.push((format!("{name}, {label}: mean score"), mean_and_std_dev(&of(|run| run.score)).0));
        numbers.push((format!("{name}, {label}: mean score less cost"), mean_and_std_dev(&worth).0));
        rows.push(vec![
            label.to_owned(),
            spread(&of(|run| run.trainings)),
            spread(&of(|run| run.control)),
            spread(&of(|run| run.score)),
            spread(&of(|run| run.spent)),
            spread(&of(|run| run.value)),
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
            number(last.value),
            number(last.score - GAMMA * spent),
        ]);
    }
    let two = &all[runs..2 * runs];
    let some = two.iter().filter(|run| (2.0..=4.0).contains(&run.trainings)).count();
    let good = two.iter().filter(|run| run.score > 0.95).count();
    Ok(Runs {
        table: Table {
            name: name.into(),
            caption: "Mean and deviation over runs: trainings, the last control, its score, the cost in all, the value of going on when it stopped, and \
                      score less γ times cost; then the paper's single runs."
                .into(),
            header: ["policy", "trainings", "final u", "final score", "cost", "V", "score - γ cost"]
                .map(String::from)
                .to_vec(),
            rows,
        },
        numbers,
        holds: 2 * some > runs && 2 * good > runs,
        control: two[0].control,
        figures: vec![
            figures::beliefs(name, &two[0].history, problem, figures::Side::Score)?,
            figures::beliefs(name, &two[0].history, problem, figures::Side::Cost)?,
        ],
    })
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let runs = context.replications(8, 24);
    let policies = Policies::new(context)?;
    let mut found = vec![on(context, "curve", &Curve::published(), &policies, runs)?];
    let mut figures = vec![figures::priors()?];
    if context.pick(false, true) {
        let board = Checkerboard::new(Seed(context.seed).child("checkerboard", 0))?;
        found.push(on(context, "forests", &board, &policies, runs)?);
        figures.push(board.maps(found[1].control, Seed(context.seed))?);
    }
    let holds = found.iter().all(|runs| runs.holds);
    let (mut tables, mut numbers) = (Vec::new(), BTreeMap::new());
    for runs in found {
        tables.push(runs.table);
        numbers.extend(runs.numbers);
        figures.extend(runs.figures);
    }
    Ok(Report {
        verdict: if holds { Verdict::Holds } else { Verdict::DoesNotHold },
        numbers,
        settings: [("runs".to_owned(), runs.to_string()), ("γ".to_owned(), GAMMA.to_string())].into(),
        notes: vec![
            "On the curve trainings are noisy points through those that the paper published, straight in the logarithm of the number of \
             trees; forests are trained, with processor seconds for costs. Single problems cannot rank policies: looking one training ahead gets more out of \
             this one, and less on average over draws of the prior. Verdict: of two ahead, most runs train two to four times, and most end \
             above 0.95."
                .into(),
        ],
        tables,
        figures,
    })
}
