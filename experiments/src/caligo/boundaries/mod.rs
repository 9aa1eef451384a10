//! Kernels near a boundary: is Matérn better there than squared exponential?

mod errors;
mod field;

use std::collections::BTreeMap;

use thrifty_sampling::Seed;

use self::errors::{BROKEN, Errors, KERNELS, predicted, searched};
use self::field::{Field, Shape};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::stats::mean_and_std_dev;
use crate::harness::{Experiment, JobName, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "caligo/boundaries",
    paper: "Active learning with surrogates, kernel selection: Matérn 5/2 has \"better extrapolation near boundaries\" than the squared \
            exponential kernel",
    claim: "near a kink or jump such as the boundary of the valley, Matérn 5/2 predicts with less error than squared exponential, by more than \
            away from it, and expected improvement with it ends closer to a minimum on the boundary",
    quick_cost: "2 replications, 4 responses and 2 searches, 5 kernels: some seconds",
    full_cost: "40 replications, 4 responses and 2 searches, 5 kernels: some minutes",
    run,
};

/// Errors of one replication: by problem, by kernel.
type Replicated = Vec<Vec<Errors>>;

const SE: usize = 0;
const MATERN: usize = 3;

/// Selection of one error of a kernel.
type Pick = fn(&Errors) -> f64;

/// Mean over the problems of one error of a kernel, by replication; errors are logarithms.
fn mean(found: &[Replicated], kernel: usize, pick: Pick) -> Vec<f64> {
    let one = |all: &Replicated| all.iter().map(|of| pick(&of[kernel])).sum::<f64>() / all.len() as f64;
    found.iter().map(one).collect()
}

/// Near the boundary Matérn 5/2 predicts better than squared exponential, and by more than away from it; the search with it ends closer to a
/// minimum on the boundary; and it is better in both than the kernel that is made worse on purpose.
fn judge(
    predictions: &[Replicated],
    searches: &[Replicated],
    planned: usize,
) -> Result<Judgement, ClaimError> {
    let near: Pick = |errors| errors.near;
    let apart: Pick = |errors| errors.near - errors.away;
    let mut family = Family::new(Rule::All);
    let mut broken = Family::new(Rule::All);
    let push = |family: &mut Family, name: &str, found: &[Replicated], against: usize, pick: Pick| {
        let claim = Claim::new(name, Kind::Superior, Test::SignFlip, planned);
        let sample = Sample::losses(name, &mean(found, MATERN, pick), &mean(found, against, pick))?;
        family.push(claim, sample);
        Ok::<(), ClaimError>(())
    };
    push(&mut family, "prediction near: Matérn 5/2 against squared exponential", predictions, SE, near)?;
    push(&mut family, "prediction: the gain is larger near than away", predictions, SE, apart)?;
    push(&mut family, "search near: Matérn 5/2 against squared exponential", searches, SE, near)?;
    push(&mut broken, "prediction near: Matérn 5/2 against the broken kernel", predictions, BROKEN, near)?;
    push(&mut broken, "search near: Matérn 5/2 against the broken kernel", searches, BROKEN, near)?;
    Ok(Judgement::all(vec![family.judge()?, broken.judge()?]))
}

/// Means of the errors by problem and kernel, near and away.
fn table(
    (name, caption): (&str, String),
    problems: &[String],
    found: &[Replicated],
    numbers: &mut BTreeMap<String, f64>,
) -> Table {
    let mut rows = Vec::new();
    for (k, (kernel, _)) in KERNELS.iter().enumerate() {
        let mut row = vec![(*kernel).to_owned()];
        for (p, problem) in problems.iter().enumerate() {
            for (place, pick) in [("near", (|e| e.near) as Pick), ("away", |e| e.away)] {
                let values: Vec<f64> = found.iter().map(|all| pick(&all[p][k])).collect();
                let (mean, std_dev) = mean_and_std_dev(&values);
                numbers.insert(format!("{name}, {problem}, {place}: {kernel}"), mean);
                row.push(format!("{} ± {}", number(mean), number(std_dev / (values.len() as f64).sqrt())));
            }
        }
        rows.push(row);
    }
    let places = problems.iter().flat_map(|problem| [format!("{problem}, near"), format!("{problem}, away")]);
    Table {
        name: name.into(),
        caption,
        header: std::iter::once("kernel".to_owned()).chain(places).collect(),
        rows,
    }
}

/// Errors by replication from jobs by problem and replication.
fn by_replication(found: &[Vec<Errors>], replications: usize) -> Vec<Replicated> {
    let one = |i: usize| found.chunks(replications).map(|own| own[i].clone()).collect();
    (0..replications).map(one).collect()
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(2, 40);
    let (replications, points, evaluations) = (n.run, context.pick(25, 40), context.pick(14, 25));
    let seed = |i: usize| Seed(context.seed).child(EXPERIMENT.id, i as u64);
    let shaped: Vec<(Field, Shape)> =
        Field::ALL.iter().flat_map(|field| Shape::ALL.map(|shape| (*field, shape))).collect();
    let jobs: Vec<((Field, Shape), usize)> =
        shaped.iter().flat_map(|one| (0..replications).map(move |i| (*one, i))).collect();
    let title = |(field, shape): (Field, Shape)| format!("{}, {}", field.name(), shape.name());
    let name = |(one, i): &((Field, Shape), usize)| JobName::new(title(*one), "every kernel", *i);
    let predictions =
        Runs::new(EXPERIMENT.id, context)
            .part("predictions")
            .collect(&jobs, name, |((field, shape), i)| predicted(*field, *shape, points, seed(*i)));
    let jobs: Vec<(Field, usize)> =
        Field::ALL.iter().flat_map(|field| (0..replications).map(move |i| (*field, i))).collect();
    let name = |(field, i): &(Field, usize)| JobName::new(field.name(), "every kernel", *i);
    let searches = Runs::new(EXPERIMENT.id, context)
        .part("searches")
        .collect(&jobs, name, |(field, i)| searched(*field, evaluations, seed(*i)));
    // Both are run before either is missed, so that a shard does its part of each.
    let predictions = by_replication(&predictions?, replications);
    let searches = by_replication(&searches?, replications);
    let mut numbers = BTreeMap::new();
    let titles: Vec<String> = shaped.iter().map(|one| title(*one)).collect();
    let fields: Vec<String> = Field::ALL.iter().map(|field| field.name().to_owned()).collect();
    let caption = |what: &str| format!("{what}: mean ± one standard error over {replications} replications.");
    let tables = vec![
        table(
            (
                "prediction",
                caption(
                    "log₁₀ of the root mean squared error as a share of the standard deviation of the response",
                ),
            ),
            &titles,
            &predictions,
            &mut numbers,
        ),
        table(
            (
                "search",
                caption(
                    "log₁₀ of the regret of expected improvement, where the minimum is on the boundary (near) and not (away)",
                ),
            ),
            &fields,
            &searches,
            &mut numbers,
        ),
    ];
    Ok(Report {
        judgement: judge(&predictions, &searches, n.planned)?,
        numbers,
        settings: settings(points, evaluations, replications),
        notes: vec![
            "Near is within 0.05 of the boundary on the unit square, away is beyond 0.15; both were fixed before any run. A kink is max(0, h), what a \
             protocol returns; a jump adds 1 where h > 0. Claims, on means over the problems: near the boundary the error of Matérn 5/2 is lower \
             than that of squared exponential, and the gain is larger than away; the search near ends with less regret; and Matérn 5/2 is better in both \
             than a kernel that is made worse on purpose, whose lengthscale cannot exceed 0.02."
                .into(),
        ],
        tables,
        figures: Vec::new(),
    })
}

fn settings(points: usize, evaluations: usize, replications: usize) -> BTreeMap<String, String> {
    [
        ("fields h", "signed margin of DeathValley2; squared exponential draws with lengthscale 0.35, new in every replication".to_owned()),
        ("model", "inputs to [0, 1], targets standardised, maximum likelihood with 4 restarts, learned noise".into()),
        ("predictions", format!("from a Latin hypercube of {points} points, tested on 1,024 Sobol points")),
        ("searches", format!("{evaluations} evaluations by expected improvement, 6 of them Sobol points")),
        ("replications", replications.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Verdict;

    /// Forty replications of two problems, with an error near and away for each kernel.
    fn replicated(errors: [(f64, f64); 5]) -> Vec<Replicated> {
        let one = |i: usize| {
            let of = |(near, away): (f64, f64)| Errors { near: near + 0.01 * (i % 7) as f64, away };
            vec![errors.map(of).to_vec(); 2]
        };
        (0..40).map(one).collect()
    }

    const WELL: [(f64, f64); 5] = [(-1.0, -2.0), (-1.0, -1.0), (-1.1, -1.5), (-1.2, -2.0), (0.0, 0.0)];

    /// Matérn 5/2 made worse on purpose: near, everywhere alike, or as bad as the broken kernel.
    #[test]
    fn each_part_of_the_claim_can_fail() {
        let with = |change: (f64, f64)| {
            let mut errors = WELL;
            errors[MATERN] = change;
            replicated(errors)
        };
        let well = replicated(WELL);
        let verdict = |predictions: &[Replicated], searches: &[Replicated]| {
            judge(predictions, searches, 40).unwrap().verdict()
        };
        assert_eq!(verdict(&well, &well), Verdict::Holds);
        assert_eq!(verdict(&with((-0.8, -2.0)), &well), Verdict::DoesNotHold);
        assert_eq!(verdict(&with((-1.2, -2.4)), &well), Verdict::DoesNotHold);
        assert_eq!(verdict(&well, &with((-0.8, -2.0))), Verdict::DoesNotHold);
        assert_eq!(verdict(&well, &with((0.2, -2.0))), Verdict::DoesNotHold);
        assert_eq!(verdict(&with((-1.0, -2.0)), &well), Verdict::Inconclusive);
    }

    #[test]
    fn fewer_replications_than_planned_decide_nothing() {
        let well = replicated(WELL);
        assert_eq!(judge(&well, &well, 41).unwrap().verdict(), Verdict::Inconclusive);
    }
}
