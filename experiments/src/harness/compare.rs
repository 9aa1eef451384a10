//! The one way in which methods are compared: paired replications, anytime regret, ranks, tests, effects.

use thrifty_figures::{LinePlot, Series};

use super::claims::Test;
use super::pairwise;
use super::replicate::Run;
use super::stats::{a12, mean_and_std_dev, quantile, ranks};
use super::{Figure, Table, number};
use crate::error::ExperimentError;

/// Runs of several methods on one problem; replication i of each method is paired with that of the others.
pub struct Comparison {
    problem: String,
    methods: Vec<String>,
    /// By method: regret after each evaluation of each replication, extended to the budget. A run that stopped
    /// early keeps what it had; one that never measured anything counts as infinite.
    curves: Vec<Vec<Vec<f64>>>,
    runs: Vec<Vec<Run>>,
    budget: usize,
    measure: &'static str,
}

const HEADER: [&str; 10] = [
    "method",
    "regret q25",
    "median",
    "q75",
    "mean rank",
    "p (Holm)",
    "A12 against the best",
    "failures",
    "optimiser s",
    "evaluation s",
];

impl Comparison {
    /// Groups runs of one problem by method, in the order in which methods first come.
    pub fn new(runs: &[Run], budget: usize) -> Self {
        let mut methods: Vec<String> = Vec::new();
        for run in runs {
            if !methods.contains(&run.method) {
                methods.push(run.method.clone());
            }
        }
        let of = |method: &String| {
            let mut own: Vec<Run> = runs.iter().filter(|run| &run.method == method).cloned().collect();
            own.sort_by_key(|run| run.replication);
            own
        };
        let runs: Vec<Vec<Run>> = methods.iter().map(of).collect();
        let extended = |run: &Run| {
            let last = run.last_regret();
            let mut curve = run.regret.clone();
            curve.resize(budget, last);
            curve
        };
        let curves = runs.iter().map(|own| own.iter().map(extended).collect()).collect();
        let problem =
            runs.first().and_then(|own| own.first()).map_or(String::new(), |run| run.problem.clone());
        Self { problem, methods, curves, runs, budget, measure: "simple regret" }
    }

    /// Sets another name for what the runs call regret.
    pub fn measuring(mut self, measure: &'static str) -> Self {
        self.measure = measure;
        self
    }

    /// Final regrets of a method, by replication; runs that never measured anything have the worst of all.
    pub fn finals(&self, method: usize) -> Vec<f64> {
        let last = |curves: &Vec<Vec<f64>>| {
            curves.iter().map(|curve| curve.last().copied().unwrap_or(f64::INFINITY)).collect()
        };
        let mut all: Vec<Vec<f64>> = self.curves.iter().map(last).collect();
        pairwise::finite(&mut all);
        all.swap_remove(method)
    }

    /// Regrets of a method after so many evaluations, at least one, by replication.
    pub fn after(&self, method: usize, evaluations: usize) -> Vec<f64> {
        let at =
            |curve: &Vec<f64>| curve.get(evaluations.saturating_sub(1)).copied().unwrap_or(f64::INFINITY);
        self.curves[method].iter().map(at).collect()
    }

    /// One row per method: quartiles of final regret, mean rank, a signed-rank test against the best with Holm, A12,
    /// failures, seconds of the optimiser and of evaluation per run.
    pub fn table(&self, name: &str) -> Result<Table, ExperimentError> {
        let finals: Vec<Vec<f64>> = (0..self.methods.len()).map(|m| self.finals(m)).collect();
        let medians: Vec<f64> = finals.iter().map(|f| quantile(f, 0.5)).collect();
        let mean_ranks = mean_ranks(&finals);
        let best = (0..medians.len())
            .min_by(|&a, &b| medians[a].total_cmp(&medians[b]).then(mean_ranks[a].total_cmp(&mean_ranks[b])))
            .unwrap_or(0);
        let others: Vec<usize> = (0..finals.len()).filter(|&m| m != best).collect();
        let named = others.iter().map(|&m| (self.methods[m].as_str(), finals[m].as_slice()));
        let found = pairwise::superior(&finals[best], named, Test::SignedRank)?;
        let rows = (0..finals.len()).map(|m| {
            let against = others.iter().position(|&other| other == m);
            let p = against.map_or("best".into(), |at| number(found[at].two_sided()));
            let mean = |pick: fn(&Run) -> f64| {
                mean_and_std_dev(&self.runs[m].iter().map(pick).collect::<Vec<f64>>()).0
            };
            vec![
                self.methods[m].clone(),
                number(quantile(&finals[m], 0.25)),
                number(medians[m]),
                number(quantile(&finals[m], 0.75)),
                format!("{:.2}", mean_ranks[m]),
                p,
                format!("{:.2}", a12(&finals[m], &finals[best])),
                self.runs[m].iter().map(|run| run.failures).sum::<usize>().to_string(),
                number(mean(|run| run.optimizer_seconds)),
                number(mean(|run| run.evaluation_seconds)),
            ]
        });
        let (of, after) = (self.measure, self.budget);
        let caption = format!(
            "{}: {of} after {after} evaluations over {} paired replications. p: two-sided signed-rank test against the \
             method of least median, Holm-corrected. A12: chance of a lower regret than the best's.",
            self.problem,
            finals.first().map_or(0, Vec::len)
        );
        Ok(Table {
            name: name.into(),
            caption,
            header: HEADER.map(String::from).to_vec(),
            rows: rows.collect(),
        })
    }

    /// Median regret against evaluations with the quartiles as a band.
    pub fn anytime(&self, name: &str) -> Result<Figure, ExperimentError> {
        // Nothing is at 0 on a logarithmic axis; far below the rest it would leave the rest no room.
        let least = self.curves.iter().flatten().flatten().copied().filter(|r| *r > 0.0).fold(1.0, f64::min);
        let floor = (0.1 * least).max(1e-12);
        let series = self.methods.iter().zip(&self.curves).map(|(method, curves)| {
            let at =
                |t: usize, p: f64| quantile(&curves.iter().map(|c| c[t]).collect::<Vec<f64>>(), p).max(floor);
            let points = (0..self.budget).map(|t| ((t + 1) as f64, at(t, 0.5))).collect();
            let band = (0..self.budget).map(|t| ((t + 1) as f64, at(t, 0.25), at(t, 0.75))).collect();
            Series { band, ..Series::line(method, points) }
        });
        let plot = LinePlot {
            title: format!("{}: {}, median and quartiles", self.problem, self.measure),
            x_label: "evaluations".into(),
            y_label: self.measure.into(),
            log_y: true,
            series: series.collect(),
            ..LinePlot::default()
        };
        Figure::of(
            name,
            "Anytime regret: median over replications, shaded from the first to the third quartile; 0 is drawn as a tenth of \
             the least other regret.",
            plot.draw(),
        )
    }

    /// Share of (replication, target) pairs reached against evaluations; 31 targets from 10² to 10⁻⁴ of regret.
    pub fn ecdf(&self, name: &str) -> Result<Figure, ExperimentError> {
        let targets: Vec<f64> = (0..=30).map(|i| 10_f64.powf(2.0 - 0.2 * f64::from(i))).collect();
        let series = self.methods.iter().zip(&self.curves).map(|(method, curves)| {
            let share = |t: usize| {
                let reached: usize =
                    curves.iter().map(|c| targets.iter().filter(|target| c[t] <= **target).count()).sum();
                reached as f64 / (targets.len() * curves.len().max(1)) as f64
            };
            let points = (0..self.budget).map(|t| ((t + 1) as f64, share(t))).collect();
            Series::line(method, points)
        });
        let plot = LinePlot {
            title: format!("{}: share of targets reached", self.problem),
            x_label: "evaluations".into(),
            y_label: "share of targets".into(),
            series: series.collect(),
            ..LinePlot::default()
        };
        Figure::of(
            name,
            "Empirical distribution over 31 regret targets from 100 to 0.0001, evenly spaced by logarithm.",
            plot.draw(),
        )
    }
}

/// Mean over replications of each method's rank among the methods.
fn mean_ranks(finals: &[Vec<f64>]) -> Vec<f64> {
    let replications = finals.iter().map(Vec::len).min().unwrap_or(0);
    let mut sums = vec![0.0; finals.len()];
    for i in 0..replications {
        let row: Vec<f64> = finals.iter().map(|f| f[i]).collect();
        sums.iter_mut().zip(ranks(&row)).for_each(|(sum, rank)| *sum += rank / replications as f64);
    }
    sums
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;
    use thrifty_search::RandomSearch;
    use thrifty_space::Config;
    use thrifty_study::{Ask, Best, Fingerprint, History, MaxTrials, Optimizer, OptimizerError, TrialId};
    use thrifty_testbed::{Problem, TestFunction};

    use super::*;
    use crate::harness::replicate::study;

    /// Random search that was made worse on purpose: it asks for its first point again and again.
    struct Stuck(RandomSearch);

    impl Optimizer for Stuck {
        type Query = Config;
        type Recommendation = Best<Config>;

        fn ask(&mut self, history: &History<Config>, _: TrialId) -> Result<Ask<Config>, OptimizerError> {
            self.0.ask(history, TrialId(0))
        }

        fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
            self.0.recommend(history)
        }

        fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
            self.0.fingerprint()
        }
    }

    fn comparison(replications: usize) -> Comparison {
        let problem = TestFunction::branin();
        let mut runs = Vec::new();
        for i in 0..replications {
            let seed = Seed(3).child("comparison", i as u64);
            let search = || RandomSearch::new(problem.space().clone());
            runs.push(study("random", &problem, search(), seed, i, MaxTrials(20)).unwrap());
            runs.push(study("stuck", &problem, Stuck(search()), seed, i, MaxTrials(20)).unwrap());
        }
        Comparison::new(&runs, 20)
    }

    #[test]
    fn an_optimizer_made_worse_is_found_in_both_directions() {
        let comparison = comparison(12);
        let (good, bad) = (comparison.finals(0), comparison.finals(1));
        let direction = |own: &[f64], other: &[f64]| {
            pairwise::superior(own, [("other", other)], Test::SignedRank).unwrap()[0].direction()
        };
        assert_eq!((direction(&good, &bad), direction(&bad, &good)), ("lower", "higher"));
        assert_eq!(direction(&good, &good), "no difference");
        let rows = comparison.table("t").unwrap().rows;
        assert_eq!(
            (rows[0][0].as_str(), rows[0][5].as_str(), rows[0][4].as_str()),
            ("random", "best", "1.00")
        );
        assert!(rows[1][5].parse::<f64>().unwrap() < 0.01, "{:?}", rows[1]);
    }

    #[test]
    fn two_replications_decide_nothing() {
        let comparison = comparison(2);
        let found = pairwise::superior(
            &comparison.finals(0),
            [("stuck", &comparison.finals(1)[..])],
            Test::SignedRank,
        );
        let finding = &found.unwrap()[0];
        assert_eq!((finding.direction(), finding.detectable), ("no difference", f64::INFINITY));
    }
}
