//! Pruners on learning curves: epochs until a study has what it would have without them.

use std::collections::BTreeMap;

use thrifty_figures::{LinePlot, Series, panels_with_legend};
use thrifty_pruning::{HyperbandPruner, MedianPruner, SuccessiveHalvingPruner};
use thrifty_sampling::Seed;
use thrifty_study::{Study, TrialId};

use super::curves::{self, CurveSet};
use super::draws::Draws;
use super::meter::{Done, GRID, Meter};
use super::model_based;
use super::optuna::{self, Answers, Request};
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Judgement, Kind, Rule, Sample, Test};
use crate::harness::stats::quantile;
use crate::harness::{Experiment, Figure, JobName, Report, RunContext, Runs, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "study/pruning",
    paper: "Li et al. (2018), Hyperband; Li, Jamieson et al. (2020), ASHA",
    claim: "with successive halving or Hyperband random search has in a third of the epochs what it has without pruning, and needs no more \
            than with Optuna's",
    quick_cost: "3 sets of 48 curves of 27 epochs, 1 replication: some seconds",
    full_cost: "3 sets of 240 curves of 54 epochs, 20 replications: about ten minutes",
    run,
};

/// Methods, "no pruning" first.
const METHODS: [&str; 7] = [
    "no pruning",
    "median",
    "ASHA",
    "Hyperband",
    "late ASHA",
    model_based::TPE_HYPERBAND,
    model_based::FIDELITY,
];

/// Methods of which something is claimed.
const JUDGED: [&str; 3] = ["ASHA", "Hyperband", "late ASHA"];

/// Those of them that Optuna has by the same settings.
const BESIDE: [&str; 2] = ["ASHA", "Hyperband"];

/// Share of the budget that should do.
const SHARE: f64 = 1.0 / 3.0;

/// Ratio of epochs to those of Optuna up to which a pruner is not inferior.
const MARGIN: f64 = 1.05;

/// Loss that random search has after so many epochs.
fn target(set: &CurveSet, seed: Seed, budget: usize) -> f64 {
    let draws = Draws { count: set.curves.len() };
    let last = |id| set.curves[draws.draw(seed, TrialId(id))].last().copied();
    let trials = budget / set.curves[0].len();
    (0..trials as u64).filter_map(last).fold(f64::INFINITY, f64::min)
}

/// One study under a budget of epochs.
fn study(set: &CurveSet, method: &str, seed: Seed, budget: usize) -> Result<Done, ExperimentError> {
    let steps = set.curves[0].len();
    let mut meter = Meter::new(budget, (target(set, seed, budget), set.least()));
    match method {
        model_based::TPE_HYPERBAND => return model_based::tpe_hyperband(set, seed, meter),
        model_based::FIDELITY => return model_based::fidelity(set, seed, meter),
        _ => {}
    }
    let mut study = Study::new(Draws { count: set.curves.len() }, seed).with_stop(meter.stop());
    study = match method {
        "median" => study.with_pruner(MedianPruner::default()),
        "ASHA" => study.with_pruner(SuccessiveHalvingPruner::default()),
        "Hyperband" => study.with_pruner(HyperbandPruner::new(steps as u64)),
        // Chosen on the curves of seeds 101 and 102.
        "late ASHA" => study.with_pruner(SuccessiveHalvingPruner {
            min_steps: (steps as u64 / 4).max(1),
            factor: 2,
            skipped: 0,
        }),
        _ => study,
    };
    study.run(|query, context| meter.train(&set.curves[*query], context))?;
    Ok(meter.done(study.history()))
}

/// By set and method: epochs by replication.
type Needed = BTreeMap<(String, String), Vec<usize>>;

/// A third of the budget, and not more than Optuna's epochs; inconclusive where Optuna was not run.
fn judge(
    sets: &[&str],
    needed: &Needed,
    peers: Option<&Needed>,
    budget: usize,
) -> Result<Judgement, ClaimError> {
    let logs = |needed: &[usize]| needed.iter().map(|n| (*n as f64).ln()).collect::<Vec<f64>>();
    let mut parts = [Family::new(Rule::All), Family::new(Rule::All)];
    for (set, method) in sets.iter().flat_map(|set| JUDGED.map(|method| (set, method))) {
        let key = ((*set).to_owned(), method.to_owned());
        let own = logs(needed.get(&key).map_or(&[], Vec::as_slice));
        let bound = (SHARE * budget as f64).ln();
        let gains = own.iter().map(|own| bound - own).collect();
        let claim = Claim::new(
            format!("{set}, {method}: a third of the budget"),
            Kind::Superior,
            Test::SignedRank,
            PLANNED,
        );
        parts[0].push(claim, Sample::Gains(gains));
        if BESIDE.contains(&method) {
            // Without runs of Optuna the claim stays, and is undecided.
            let peer = logs(peers.and_then(|peers| peers.get(&key)).map_or(&[], Vec::as_slice));
            let gains = own.iter().zip(peer).map(|(own, peer)| peer - own).collect();
            let claim = Claim::new(
                format!("{set}, {method}: log epochs beside Optuna's"),
                Kind::NotInferior { margin: MARGIN.ln() },
                Test::SignedRank,
                PLANNED,
            );
            parts[1].push(claim, Sample::Gains(gains));
        }
    }
    Ok(Judgement::all(parts.iter().map(Family::judge).collect::<Result<_, _>>()?))
}

/// Replications of the whole study.
const PLANNED: usize = 20;

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    let n = context.replications(1, PLANNED);
    let replications = n.run;
    let (configurations, epochs, trials) = context.pick((48, 27, 12), (240, 54, 40));
    let budget = trials * epochs;
    let sets = curves::all(configurations, epochs, Seed(context.seed))?;
    let seed = |i: usize| Seed(context.seed).child("study/pruning", i as u64);
    let jobs: Vec<(usize, usize, usize)> = (0..sets.len())
        .flat_map(|s| (0..METHODS.len()).flat_map(move |m| (0..replications).map(move |i| (s, m, i))))
        .collect();
    let name = |&(s, m, i): &(usize, usize, usize)| JobName::new(sets[s].name, METHODS[m], i);
    let done: Vec<Done> = Runs::new(EXPERIMENT.id, context)
        .collect(&jobs, name, |&(s, m, i)| study(&sets[s], METHODS[m], seed(i), budget))?;
    let rows: Vec<(usize, usize, &[Done])> = jobs
        .iter()
        .step_by(replications)
        .zip(done.chunks(replications))
        .map(|(j, d)| (j.0, j.1, d))
        .collect();

    let requests: Vec<Request<'_>> = sets
        .iter()
        .map(|set| {
            let draws = Draws { count: set.curves.len() };
            let all = |i| (0..budget as u64).map(|id| draws.draw(seed(i), TrialId(id))).collect();
            Request {
                name: set.name,
                curves: &set.curves,
                draws: (0..replications).map(all).collect(),
                targets: (0..replications).map(|i| target(set, seed(i), budget)).collect(),
                epochs: budget,
            }
        })
        .collect();
    let answers: Answers = optuna::run(&context.python, &requests)?;

    let key = |s: usize, m: usize| (sets[s].name.to_owned(), METHODS[m].to_owned());
    let needed: Needed =
        rows.iter().map(|&(s, m, done)| (key(s, m), done.iter().map(|d| d.needed).collect())).collect();
    let names: Vec<&str> = sets.iter().map(|set| set.name).collect();
    let peers = answers.as_ref().ok().map(|(peers, _)| peers);
    let judgement = judge(&names, &needed, peers, budget)?;
    let (table, numbers) = table(&sets, &rows, peers, budget);
    let mut notes = vec![format!(
        "Every configuration is trained for {epochs} epochs before; studies then draw configurations at random and read their curves, one trial at a time. Trial i has the same \
         configuration under every method. The target of a replication is the loss that no pruning has after {budget} epochs ({trials} trials). A run that does \
         not reach it counts with {budget}. ASHA and Hyperband have rungs at 1, 3, 9, …; late ASHA begins at a quarter of the epochs, with a factor of 2, as was chosen on the curves of seeds 101 and 102."
    )];
    notes.push(model_based::note());
    notes.push(match &answers {
        Ok((_, version)) => format!("Optuna {version} ran on the same curves and draws."),
        Err(why) => format!("Optuna was not run: {why}."),
    });
    let settings = [
        ("replications".to_owned(), replications.to_string()),
        ("configurations of a set".to_owned(), configurations.to_string()),
        ("epochs of a trial".to_owned(), epochs.to_string()),
        ("budget in epochs".to_owned(), budget.to_string()),
    ];
    let figures = vec![figure(&sets, &rows, budget)?];
    Ok(Report { judgement, numbers, settings: settings.into(), notes, tables: vec![table], figures })
}

/// Epochs to the target, by set and method.
fn table(
    sets: &[CurveSet],
    rows: &[(usize, usize, &[Done])],
    peers: Option<&Needed>,
    budget: usize,
) -> (Table, BTreeMap<String, f64>) {
    let (mut numbers, mut table) = (BTreeMap::new(), Vec::new());
    for &(s, m, done) in rows {
        let (set, method) = (&sets[s], METHODS[m]);
        let needed: Vec<f64> = done.iter().map(|done| done.needed as f64).collect();
        let share = |of: fn(&Done) -> usize| {
            done.iter().map(of).sum::<usize>() as f64 / done.iter().map(|d| d.trials).sum::<usize>() as f64
        };
        let last: Vec<f64> = done.iter().filter_map(|done| done.regret.last().copied()).collect();
        numbers.insert(format!("median epochs on {}: {method}", set.name), quantile(&needed, 0.5));
        let mut row = vec![set.name.to_owned(), method.to_owned()];
        row.extend([0.25, 0.5, 0.75].map(|q| number(quantile(&needed, q))));
        row.push(format!("{:.2}", quantile(&needed, 0.5) / budget as f64));
        row.push(format!("{:.2}", share(|done| done.pruned)));
        row.push(number(quantile(&last, 0.5)));
        let peer = peers.and_then(|peers| peers.get(&(set.name.to_owned(), method.to_owned())));
        row.push(peer.map_or("-".into(), |peer| {
            let peer: Vec<f64> = peer.iter().map(|n| *n as f64).collect();
            number(quantile(&peer, 0.5))
        }));
        table.push(row);
    }
    let header = [
        "curves",
        "method",
        "q25",
        "epochs, median",
        "q75",
        "share",
        "pruned",
        "last regret",
        "Optuna, median",
    ];
    let table = Table {
        name: "pruning".into(),
        caption: format!(
            "Epochs to the loss that no pruning has after {budget}; the median as a share of {budget}; share of the trials that were pruned; median regret when the budget is spent."
        ),
        header: header.map(String::from).to_vec(),
        rows: table,
    };
    (table, numbers)
}

/// Median regret against epochs, a panel a set.
fn figure(
    sets: &[CurveSet],
    rows: &[(usize, usize, &[Done])],
    budget: usize,
) -> Result<Figure, ExperimentError> {
    let part = (budget / GRID).max(1);
    let plot = |s: usize| {
        let series = rows.iter().filter(|row| row.0 == s).map(|(_, m, done)| {
            let points = (0..budget / part).filter_map(|at| {
                let regrets: Vec<f64> = done.iter().filter_map(|done| done.regret.get(at).copied()).collect();
                // A median needs a measurement in every replication.
                let is_whole = regrets.len() == done.len() && regrets.iter().all(|regret| regret.is_finite());
                let median = quantile(&regrets, 0.5);
                // No regret has no logarithm.
                (is_whole && median > 0.0).then(|| (((at + 1) * part) as f64, median))
            });
            Series::line(METHODS[*m], points.collect())
        });
        LinePlot {
            title: sets[s].name.into(),
            x_label: "epochs".into(),
            y_label: "median regret".into(),
            log_y: true,
            series: series.collect(),
            ..LinePlot::default()
        }
    };
    let plots: Vec<LinePlot> = (0..sets.len()).map(plot).collect();
    Figure::of(
        "regret",
        "Median regret of the last losses of whole trials against epochs spent.",
        panels_with_legend(&plots),
    )
}

#[cfg(test)]
mod tests {
    use thrifty_space::Space;

    use super::*;
    use crate::harness::Verdict;

    /// Pruning made worse on purpose: too slow, or slower than the peer.
    #[test]
    fn slow_pruning_breaks_the_claim() {
        let budget = 2000;
        let needed = |factor: f64| -> Needed {
            JUDGED
                .iter()
                .map(|method| {
                    let epochs = (0..PLANNED).map(|i| (factor * (300 + 10 * i) as f64) as usize).collect();
                    (("a".to_owned(), (*method).to_owned()), epochs)
                })
                .collect()
        };
        let verdict =
            |own: f64, peer: f64| judge(&["a"], &needed(own), Some(&needed(peer)), budget).unwrap().verdict();
        assert_eq!(verdict(1.0, 1.0), Verdict::Holds);
        assert_eq!(verdict(1.0, 1.5), Verdict::Holds);
        assert_eq!(verdict(3.0, 3.0), Verdict::DoesNotHold);
        assert_eq!(verdict(1.0, 0.8), Verdict::DoesNotHold);
        let alone = |peers: Option<&Needed>| judge(&["a"], &needed(1.0), peers, budget).unwrap();
        assert_eq!(alone(None).verdict(), Verdict::Inconclusive, "half of the claim has no runs");
        let mut partly = needed(1.0);
        partly.remove(&("a".to_owned(), "ASHA".to_owned()));
        let partly = alone(Some(&partly));
        assert_eq!(partly.verdict(), Verdict::Inconclusive);
        assert_eq!(partly.findings().len(), JUDGED.len() + BESIDE.len());
        let few: Needed = needed(1.0).into_iter().map(|(key, n)| (key, n[..3].to_vec())).collect();
        assert_eq!(judge(&["a"], &few, None, budget).unwrap().verdict(), Verdict::Inconclusive);
    }

    /// A pruner that lets only the worst pass needs more epochs than no pruning.
    #[test]
    fn a_pruner_that_keeps_the_worst_is_found_out() {
        let curves =
            (0..60).map(|i| (1..=9).map(|step| 1.0 + f64::from((i * 37) % 60) / f64::from(step)).collect());
        let space = Space::builder().int("index", 0, 59).build().unwrap();
        let set = CurveSet { name: "hyperbolas", curves: curves.collect(), space, configs: vec![] };
        let (budget, seeds) = (270, (0..10).map(Seed));
        let mut sums = [0; 3];
        for seed in seeds {
            sums[0] += study(&set, "no pruning", seed, budget).unwrap().needed;
            sums[1] += study(&set, "ASHA", seed, budget).unwrap().needed;
            sums[2] += worst_first(&set, seed, budget);
        }
        assert!(sums[1] < sums[0] && sums[0] < sums[2], "{sums:?}");
    }

    /// Epochs to the target where each trial goes on with the wrong third.
    fn worst_first(set: &CurveSet, seed: Seed, budget: usize) -> usize {
        let draws = Draws { count: set.curves.len() };
        let (target, mut spent, mut firsts) = (target(set, seed, budget), 0, Vec::new());
        for id in 0.. {
            let curve = &set.curves[draws.draw(seed, TrialId(id))];
            firsts.push(curve[0]);
            let worse = firsts.iter().filter(|first| **first > curve[0]).count();
            let goes_on = worse < (firsts.len() / 3).max(1);
            spent += if goes_on { curve.len() } else { 1 };
            if spent >= budget || (goes_on && curve[curve.len() - 1] <= target) {
                return spent.min(budget);
            }
        }
        budget
    }
}
