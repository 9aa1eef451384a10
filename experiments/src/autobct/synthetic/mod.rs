//! The synthetic example of the paper: how many trees a random forest on a checkerboard should have.

mod checkerboard;
pub(super) mod curve;
mod figures;
pub(super) mod policies;
pub(super) mod problem;

use std::collections::BTreeMap;

use thrifty_sampling::Seed;

use self::checkerboard::Checkerboard;
use self::curve::Curve;
use self::policies::{Policies, Run};
use self::problem::Problem;
use super::paper::{self, GAMMA, RUNS};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Kind, Rule, Sample, Test};
use crate::harness::stats::{mean_and_std_dev, quantile};
use crate::harness::{
    Experiment, Figure, JobName, Judgement, Replications, Report, RunContext, Runs, Table, number,
};

pub const EXPERIMENT: Experiment = Experiment {
    id: "autobct/synthetic",
    paper: "AutoBCT (Cironis, Palczewski & Aivaliotis, 2022), section 4.1",
    claim: "on the synthetic example, where the paper's run stopped after three trainings with a score of 0.98, at least half of the runs train \
            two to four times, and at least half end above 0.95",
    quick_cost: "8 runs of three policies on the curve of the published scores: some seconds",
    full_cost: "30 runs of eight policies, on the curve and on forests that are trained: two minutes",
    run,
};

/// Runs on a problem: a table, and whether two trainings ahead behave as in `cironis2022`.
struct OnProblem {
    table: Table,
    numbers: Vec<(String, f64)>,
    judgement: Judgement,
    /// Control with which the first run two trainings ahead stopped.
    control: f64,
    figures: Vec<Figure>,
}

/// In most runs two trainings ahead train two to four times, and end above 0.95.
fn judge(name: &str, two: &[Run], planned: usize) -> Result<Judgement, ClaimError> {
    let most =
        |what: &str| Claim::new(format!("{name}: {what}"), Kind::RateAtLeast(0.5), Test::Binomial, planned);
    Family::new(Rule::All)
        .with(
            most("two to four trainings"),
            Sample::count(two.iter().map(|run| (2.0..=4.0).contains(&run.trainings))),
        )
        .with(most("score above 0.95"), Sample::count(two.iter().map(|run| run.score > 0.95)))
        .judge()
}

/// Spread of the finite values: a run that a guard ended has no value of going on.
fn spread(values: &[f64]) -> String {
    let values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    if values.is_empty() {
        return "–".into();
    }
    let (mean, std_dev) = mean_and_std_dev(&values);
    format!("{} ± {}", number(mean), number(std_dev))
}

/// The paper's single runs, tables 1 to 3.
fn published() -> Vec<Vec<String>> {
    let row = |run: &paper::Run| {
        let (last, spent) = (&run.rows[run.rows.len() - 1], run.rows.iter().map(|row| row.cost).sum::<f64>());
        vec![
            format!("paper, table {}", run.name),
            run.rows.len().to_string(),
            number(last.control),
            number(last.score),
            number(spent),
            number(last.value),
            number(last.score - GAMMA * spent),
        ]
    };
    RUNS[..3].iter().map(row).collect()
}

fn on(
    context: &RunContext,
    name: &str,
    problem: &dyn Problem,
    policies: &Policies,
    n: Replications,
) -> Result<OnProblem, ExperimentError> {
    let count = policies.len();
    let runs = n.run;
    let jobs: Vec<(usize, usize)> = (0..count).flat_map(|p| (0..runs).map(move |i| (p, i))).collect();
    let seed = |i: usize| Seed(context.seed).child(EXPERIMENT.id, i as u64);
    let named = |&(p, i): &(usize, usize)| JobName::new(name, policies.name(p), i);
    let all: Vec<Run> = Runs::new(EXPERIMENT.id, context)
        .collect(&jobs, named, |&(p, i)| Ok(policies.run(p, problem, seed(i))?.0))?;
    // The first of two ahead again, for its trials.
    let (_, history) = policies.run(1, problem, seed(0))?;
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
    rows.extend(published());
    let two = &all[runs..2 * runs];
    Ok(OnProblem {
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
        judgement: judge(name, two, n.planned)?,
        control: two[0].control,
        figures: vec![
            figures::beliefs(name, &history, problem, figures::Side::Score)?,
            figures::beliefs(name, &history, problem, figures::Side::Cost)?,
        ],
    })
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(8, 30);
    let policies = Policies::new(context)?;
    let on_curve = on(context, "curve", &Curve::published(), &policies, n);
    let mut found = Vec::new();
    let mut figures = vec![figures::priors()?];
    if context.pick(false, true) {
        let board = Checkerboard::new(Seed(context.seed).child("checkerboard", 0))?;
        // Both are run before either is missed, so that a shard does its part of each.
        let on_forests = on(context, "forests", &board, &policies, n);
        found.extend([on_curve?, on_forests?]);
        figures.push(board.maps(found[1].control, Seed(context.seed))?);
    } else {
        found.push(on_curve?);
    }
    let judgement = Judgement::all(found.iter().map(|own| own.judgement.clone()).collect());
    let (mut tables, mut numbers) = (Vec::new(), BTreeMap::new());
    for runs in found {
        tables.push(runs.table);
        numbers.extend(runs.numbers);
        figures.extend(runs.figures);
    }
    Ok(Report {
        judgement,
        numbers,
        settings: [("runs".to_owned(), n.run.to_string()), ("γ".to_owned(), GAMMA.to_string())].into(),
        notes: vec![
            "On the curve trainings are noisy points through those that the paper published, straight in the logarithm of the number of \
             trees; forests are trained, with processor seconds for costs. Single problems cannot rank policies: looking one training ahead gets more out of \
             this one, and less on average over draws of the prior. Claims: of two ahead, at least half of the runs train two to four \
             times, and at least half end above 0.95."
                .into(),
        ],
        tables,
        figures,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// Runs that train too often, or end too low, on purpose.
    #[test]
    fn trainings_and_scores_decide() {
        let of = |trainings: f64, score: f64, (runs, planned): (usize, usize)| {
            let run = || Run { trainings, control: 0.5, score, spent: 1.0, value: f64::NAN };
            judge("t", &(0..runs).map(|_| run()).collect::<Vec<_>>(), planned).unwrap().verdict()
        };
        let judged = |trainings: f64, score: f64, runs: usize| of(trainings, score, (runs, runs));
        assert_eq!(of(3.0, 0.98, (12, 13)), Verdict::Inconclusive);
        assert_eq!(judged(3.0, 0.98, 12), Verdict::Holds);
        assert_eq!(judged(9.0, 0.98, 12), Verdict::DoesNotHold);
        assert_eq!(judged(3.0, 0.9, 12), Verdict::DoesNotHold);
        assert_eq!(judged(3.0, 0.98, 3), Verdict::Inconclusive);
    }
}
