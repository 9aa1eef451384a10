use std::collections::BTreeMap;
use std::time::Instant;

use thrifty_figures::{LinePlot, Series};
use thrifty_sampling::Seed;
use thrifty_study::{Next, Study};

use super::methods::{Method, YARDSTICK};
use super::problem::FoldProblem;
use crate::error::ExperimentError;
use crate::harness::replicate::in_parallel;
use crate::harness::stats::{holm, mean_and_std_dev, quantile, wilcoxon};
use crate::harness::{Figure, Table, Verdict, number};

/// Every method on every problem, charged in model fits.
pub struct Contest<'a> {
    /// Names random numbers and the progress bar.
    pub id: &'static str,
    /// What a problem's regret is: above the least true loss, or above 0 where nobody knows that.
    pub judged: &'static str,
    pub problems: Vec<String>,
    pub methods: &'a [Method],
    pub replications: usize,
    pub fits: usize,
    pub seed: u64,
    /// Model fits that a column of the tables stands for.
    pub columns: Vec<usize>,
}

/// What came of it.
pub struct Outcome {
    pub tables: Vec<Table>,
    pub figures: Vec<Figure>,
    pub numbers: BTreeMap<String, f64>,
    pub verdict: Verdict,
}

/// What the verdict means.
pub const NOTE: &str = "Verdict: does not hold when any method ends lower than the first with a paired Wilcoxon p below 5 %, \
    without correction, on any problem. A method that is not run to the end is compared where it ended.";

/// Regrets after so many fits; a run without a recommendation yet counts as infinite, one that has ended stays.
struct Curve {
    regrets: Vec<(usize, f64)>,
    /// Seconds of a fit: of the method's own work, and of the evaluation.
    seconds: (f64, f64),
}

impl Curve {
    fn at(&self, fits: usize) -> f64 {
        self.regrets.iter().rev().find(|(at, _)| *at <= fits).map_or(f64::INFINITY, |(_, regret)| *regret)
    }
}

/// Every fifth fit up to 50, every tenth up to 100, then every twenty-fifth.
fn is_looked_at(fit: usize) -> bool {
    fit.is_multiple_of(if fit <= 50 {
        5
    } else if fit <= 100 {
        10
    } else {
        25
    })
}

fn race(
    problem: &dyn FoldProblem,
    method: &Method,
    seed: Seed,
    fits: usize,
) -> Result<Curve, ExperimentError> {
    let mut study = Study::new((method.make)(problem.space().clone(), problem.folds(), seed)?, seed);
    let (mut regrets, mut seconds) = (Vec::new(), (0.0, 0.0));
    for fit in 1..=fits.min(method.cap) {
        let began = Instant::now();
        let Next::Evaluate(trial) = study.ask()? else { break };
        seconds.0 += began.elapsed().as_secs_f64();
        let began = Instant::now();
        let loss = problem.loss(&trial.query, &mut seed.stream("noise", trial.id.0))?;
        seconds.1 += began.elapsed().as_secs_f64();
        study.tell(trial.id, loss)?;
        if is_looked_at(fit) {
            let regret = study.recommend()?.map(|best| problem.regret(&best.config)).transpose()?;
            regrets.push((fit, regret.unwrap_or(f64::INFINITY)));
        }
    }
    let asked = study.history().len().max(1) as f64;
    Ok(Curve { regrets, seconds: (seconds.0 / asked, seconds.1 / asked) })
}

impl Contest<'_> {
    /// `problem` makes the problem of this index for a replication's seed.
    pub fn run(
        &self,
        problem: impl Fn(usize, Seed) -> Result<Box<dyn FoldProblem>, ExperimentError> + Sync,
    ) -> Result<Outcome, ExperimentError> {
        let seed = |k: usize, i: usize| Seed(self.seed).child(self.id, (1000 * k + i) as u64);
        let pairs: Vec<(usize, usize)> =
            (0..self.problems.len()).flat_map(|k| (0..self.replications).map(move |i| (k, i))).collect();
        let problems = in_parallel(self.id, &pairs, |&(k, i)| problem(k, seed(k, i)))?;
        let jobs: Vec<(usize, usize, usize)> = (0..self.problems.len())
            .flat_map(|k| (0..self.methods.len()).map(move |m| (k, m)))
            .flat_map(|(k, m)| (0..self.replications).map(move |i| (k, m, i)))
            .collect();
        let curves = in_parallel(self.id, &jobs, |&(k, m, i)| {
            race(&*problems[k * self.replications + i], &self.methods[m], seed(k, i), self.fits)
        })?;
        let mut outcome = Outcome {
            tables: Vec::new(),
            figures: Vec::new(),
            numbers: BTreeMap::new(),
            verdict: Verdict::Holds,
        };
        for (k, curves) in curves.chunks(self.methods.len() * self.replications).enumerate() {
            let by_method: Vec<&[Curve]> = curves.chunks(self.replications).collect();
            self.report(k, &by_method, &mut outcome)?;
        }
        Ok(outcome)
    }

    fn report(&self, k: usize, curves: &[&[Curve]], outcome: &mut Outcome) -> Result<(), ExperimentError> {
        let regrets =
            |m: usize, fits: usize| -> Vec<f64> { curves[m].iter().map(|curve| curve.at(fits)).collect() };
        let end = |m: usize| self.fits.min(self.methods[m].cap);
        let ours = |m: usize| regrets(0, end(m));
        let p: Vec<f64> = (1..curves.len()).map(|m| wilcoxon(&ours(m), &regrets(m, end(m)))).collect();
        let corrected = holm(&p);
        let name = &self.problems[k];
        let target = self
            .methods
            .iter()
            .position(|m| m.name == YARDSTICK)
            .map(|m| quantile(&regrets(m, self.fits), 0.5));
        let mut rows = Vec::new();
        for (m, method) in self.methods.iter().enumerate() {
            let (mine, theirs) = (ours(m), regrets(m, end(m)));
            let differences: Vec<f64> = theirs.iter().zip(&mine).map(|(a, b)| a - b).collect();
            let (mean, std_dev) = mean_and_std_dev(&differences);
            let half = 1.96 * std_dev / (differences.len() as f64).sqrt();
            let mut row = vec![method.name.to_owned()];
            row.extend(
                self.columns.iter().map(|at| {
                    if *at <= end(m) { number(quantile(&regrets(m, *at), 0.5)) } else { "–".into() }
                }),
            );
            let reached = target.and_then(|target| {
                let looked = (1..=end(m)).filter(|fit| is_looked_at(*fit));
                looked.into_iter().find(|fit| quantile(&regrets(m, *fit), 0.5) <= target)
            });
            row.push(reached.map_or_else(|| "–".into(), |fits| fits.to_string()));
            if let Some(reached) = reached {
                outcome
                    .numbers
                    .insert(format!("{name}: fits to the yardstick: {}", method.name), reached as f64);
            }
            if m == 0 {
                row.extend(["–", "–", ""].map(String::from));
            } else {
                let direction = match (p[m - 1] < 0.05, mean > 0.0) {
                    (false, _) => "no difference",
                    (true, true) => "higher",
                    (true, false) => {
                        outcome.verdict = Verdict::DoesNotHold;
                        "lower"
                    }
                };
                let interval = format!("{} ± {}", number(mean), number(half));
                row.push(if mean.is_finite() { interval } else { "–".into() });
                row.push(number(corrected[m - 1]));
                row.push(direction.into());
            }
            rows.push(row);
            outcome
                .numbers
                .insert(format!("{name}: median regret at the end: {}", method.name), quantile(&theirs, 0.5));
        }
        let mut header = vec!["method".to_owned()];
        header.extend(self.columns.iter().map(|at| format!("{at} fits")));
        header.extend(
            ["fits to the yardstick", "mean difference", "p (Holm)", "than the first"].map(String::from),
        );
        outcome.tables.push(Table {
            name: format!("regret-{name}"),
            caption: format!(
                "{name}: median regret of what is recommended; the number of fits after which the median is at most that of \
                 \"{YARDSTICK}\" at the end; the mean of the regret less that of the first method in the same replication, with \
                 a 95 % interval; p of the paired Wilcoxon test, and the direction where it is below 0.05 without correction."
            ),
            header,
            rows,
        });
        outcome.tables.push(self.times(name, curves));
        outcome.figures.push(self.figure(name, curves)?);
        Ok(())
    }

    fn times(&self, name: &str, curves: &[&[Curve]]) -> Table {
        let row = |(method, curves): (&Method, &&[Curve])| {
            let milliseconds = |pick: fn(&Curve) -> f64| {
                number(1e3 * quantile(&curves.iter().map(pick).collect::<Vec<f64>>(), 0.5))
            };
            vec![method.name.into(), milliseconds(|c| c.seconds.0), milliseconds(|c| c.seconds.1)]
        };
        Table {
            name: format!("time-{name}"),
            caption: format!(
                "{name}: milliseconds of wall-clock time for a fit, the median over replications: the method's own work, which grows \
                 with the number of fits, and the evaluation."
            ),
            header: ["method", "own, ms", "evaluation, ms"].map(String::from).to_vec(),
            rows: self.methods.iter().zip(curves).map(row).collect(),
        }
    }

    fn figure(&self, name: &str, curves: &[&[Curve]]) -> Result<Figure, ExperimentError> {
        let line = |(method, curves): (&Method, &&[Curve])| {
            let fits = (1..=self.fits.min(method.cap)).filter(|fit| is_looked_at(*fit));
            let median =
                |fit: usize| quantile(&curves.iter().map(|curve| curve.at(fit)).collect::<Vec<f64>>(), 0.5);
            let points = fits.map(|fit| (fit as f64, median(fit)));
            Series::line(method.name, points.filter(|point| point.1.is_finite()).collect())
        };
        let plot = LinePlot {
            title: format!("{name}: {} of what is recommended", self.judged),
            x_label: "model fits".into(),
            y_label: format!("median {}", self.judged),
            // There are twelve colours.
            series: self.methods.iter().zip(curves).take(12).map(line).collect(),
            ..LinePlot::default()
        };
        // A regret of nothing has no place on a logarithmic axis.
        let positive = plot.series.iter().all(|series| series.points.iter().all(|point| point.1 > 0.0));
        let svg = LinePlot { log_y: positive, ..plot }.draw().map_err(ExperimentError::failed)?;
        let caption = "The median over replications, of what is recommended after so many model fits; a full cross-validation needs all of \
                       its folds for its first configuration.";
        Ok(Figure { name: format!("regret-{name}"), caption: caption.into(), svg })
    }
}
