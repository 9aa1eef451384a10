//! Tables and figures of a comparison.

use thrifty_figures::{LinePlot, Series};

use super::{Curve, FoldComparison, OnProblem, is_looked_at};
use crate::error::ExperimentError;
use crate::fcvopt::methods::{Method, YARDSTICK};
use crate::harness::claims::Finding;
use crate::harness::stats::quantile;
use crate::harness::{Figure, Table, number};

impl FoldComparison<'_> {
    /// Median regrets of all methods on all problems.
    pub(super) fn overview(&self, curves: &[Curve]) -> Table {
        let problems: Vec<OnProblem<'_>> = curves
            .chunks(self.methods.len() * self.replications.run)
            .zip(&self.problems)
            .map(|(curves, name)| OnProblem { name, curves: curves.chunks(self.replications.run).collect() })
            .collect();
        let cell = |own: &OnProblem<'_>, m: usize| {
            let medians = self.columns.iter().filter(|fits| **fits <= self.end(m));
            medians.map(|fits| number(own.median(m, *fits))).collect::<Vec<_>>().join(", ")
        };
        let row = |(m, method): (usize, &Method)| {
            let cells = problems.iter().map(|own| cell(own, m));
            std::iter::once(method.name.to_owned()).chain(cells).collect()
        };
        let columns: Vec<String> = self.columns.iter().map(ToString::to_string).collect();
        let mut header = vec![format!("after {} fits", columns.join(", "))];
        header.extend(problems.iter().map(|own| own.name.to_owned()));
        Table {
            name: "regret".into(),
            caption: format!(
                "Median {} of the recommendation after {} model fits.",
                self.measure,
                columns.join(", ")
            ),
            header,
            rows: self.methods.iter().enumerate().map(row).collect(),
        }
    }

    pub(super) fn table(&self, own: &OnProblem<'_>, found: &[Finding]) -> Table {
        let row = |(m, method): (usize, &Method)| {
            let at = |fits: &usize| {
                if *fits <= self.end(m) { number(own.median(m, *fits)) } else { "–".into() }
            };
            let mut row = vec![method.name.to_owned()];
            row.extend(self.columns.iter().map(at));
            row.push(self.fits_to_yardstick(own, m).map_or("–".into(), |fits| fits.to_string()));
            row.extend(match m.checked_sub(1).map(|at| &found[at]) {
                None => ["–", "–", ""].map(String::from),
                Some(finding) => {
                    // The finding is about the first method, the column about the other one.
                    let direction = match finding.direction() {
                        "lower" => "higher",
                        "higher" => "lower",
                        none => none,
                    };
                    [finding.effect_text(), number(finding.two_sided()), direction.into()]
                }
            });
            row
        };
        let mut header = vec!["method".to_owned()];
        header.extend(self.columns.iter().map(|at| format!("{at} fits")));
        header.extend(
            ["fits to the yardstick", "less the first's", "p (Holm)", "than the first"].map(String::from),
        );
        Table {
            name: format!("regret-{}", own.name),
            caption: format!(
                "{}: median regret of the recommendation; the number of fits after which the median is at most that of \
                 \"{YARDSTICK}\" at the end; the pseudomedian of the regret less that of the first method in the same replication, \
                 with a 95 % interval; two-sided p of the signed-rank test, and the direction where it is below 0.05.",
                own.name
            ),
            header,
            rows: self.methods.iter().enumerate().map(row).collect(),
        }
    }

    pub(super) fn times(&self, name: &str, curves: &[&[Curve]]) -> Table {
        let row = |(method, curves): (&Method, &&[Curve])| {
            let milliseconds = |pick: fn(&Curve) -> f64| {
                number(1e3 * quantile(&curves.iter().map(pick).collect::<Vec<f64>>(), 0.5))
            };
            vec![method.name.into(), milliseconds(|c| c.own_seconds), milliseconds(|c| c.evaluation_seconds)]
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

    pub(super) fn figure(&self, name: &str, curves: &[&[Curve]]) -> Result<Figure, ExperimentError> {
        let line = |(method, curves): (&Method, &&[Curve])| {
            let end = self.fits.min(method.cap);
            let fits = (1..=end).filter(|fit| is_looked_at(*fit, end));
            let median =
                |fit: usize| quantile(&curves.iter().map(|curve| curve.at(fit)).collect::<Vec<f64>>(), 0.5);
            let points = fits.map(|fit| (fit as f64, median(fit)));
            Series::line(method.name, points.filter(|point| point.1.is_finite()).collect())
        };
        let plot = LinePlot {
            title: format!("{name}: {} of the recommendation", self.measure),
            x_label: "model fits".into(),
            y_label: format!("median {}", self.measure),
            // There are twelve colours.
            series: self.methods.iter().zip(curves).take(12).map(line).collect(),
            ..LinePlot::default()
        };
        // A regret of nothing has no place on a logarithmic axis.
        let positive = plot.series.iter().all(|series| series.points.iter().all(|point| point.1 > 0.0));
        let svg = LinePlot { log_y: positive, ..plot }.draw().map_err(ExperimentError::failed)?;
        let caption = "Median over replications of the loss of the recommendation, against model fits; a full cross-validation needs all of \
                       its folds for its first configuration.";
        Ok(Figure { name: format!("regret-{name}"), caption: caption.into(), svg })
    }
}
