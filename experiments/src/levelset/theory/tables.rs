//! Tables and figures of bounds beside what happened.

use thrifty_figures::{LinePlot, Series, panels_with_legend};
use thrifty_levelset::theory::MaternExponents;

use super::DELTA;
use super::runs::{Certified, Process, Regret};
use crate::error::ExperimentError;
use crate::harness::stats::{mean_and_std_dev, quantile};
use crate::harness::{Figure, Table, number};

/// Upper confidence bounds on all draws of a process with one schedule.
pub struct Kind {
    pub process: Process,
    pub schedule: &'static str,
    pub runs: Vec<Regret>,
}

impl Kind {
    /// Share of the draws that stay below the bound at every step.
    pub fn below(&self) -> f64 {
        self.runs.iter().filter(|run| run.is_below()).count() as f64 / self.runs.len() as f64
    }

    /// Mean over the draws after t + 1 evaluations.
    fn mean(&self, t: usize, of: impl Fn(&Regret) -> &Vec<f64>) -> f64 {
        mean_and_std_dev(&self.runs.iter().map(|run| of(run)[t]).collect::<Vec<f64>>()).0
    }

    fn horizon(&self) -> usize {
        self.runs.first().map_or(0, |run| run.cumulative.len())
    }

    pub fn share_of_bound(&self) -> f64 {
        let last = self.horizon() - 1;
        self.mean(last, |run| &run.cumulative) / self.mean(last, |run| &run.bounds.regret)
    }

    fn curve(&self, of: impl Fn(&Regret) -> &Vec<f64>) -> Vec<(f64, f64)> {
        (0..self.horizon()).map(|t| ((t + 1) as f64, self.mean(t, &of))).collect()
    }

    /// Slope of a mean curve on logarithmic axes over the last three quarters of the rounds.
    fn exponent(&self, of: impl Fn(&Regret) -> &Vec<f64>) -> f64 {
        let curve = self.curve(of);
        slope(curve[curve.len() / 4..].iter().filter(|p| p.1 > 0.0).map(|p| (p.0.ln(), p.1.ln())))
    }
}

/// Least squares.
fn slope(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let points: Vec<(f64, f64)> = points.collect();
    let n = points.len() as f64;
    let (x, y) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>()
        / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}

/// Classification of all draws of a process within ε.
pub struct Samples {
    pub process: Process,
    pub epsilon: f64,
    pub runs: Vec<Certified>,
    /// The theorem's, if not above `most`.
    pub bound: Option<usize>,
    pub most: usize,
}

impl Samples {
    fn counts(&self) -> Vec<f64> {
        self.runs.iter().map(|run| run.samples.map_or(f64::INFINITY, |count| count as f64)).collect()
    }

    pub fn median(&self) -> f64 {
        quantile(&self.counts(), 0.5)
    }

    fn largest(&self) -> f64 {
        quantile(&self.counts(), 1.0)
    }

    /// True if a run was certified by the bound. Where the bound is beyond `most`, which is above what a run may take, every
    /// certificate is, and a run without one is not.
    pub fn is_within_bound(&self, run: &Certified) -> bool {
        run.samples.is_some_and(|samples| self.bound.is_none_or(|bound| samples <= bound))
    }

    /// Share of the draws where every point is right within ε.
    pub fn right(&self) -> f64 {
        self.runs.iter().filter(|run| run.right).count() as f64 / self.runs.len() as f64
    }

    /// `(ln(1/δ)/ε²)^d`.
    fn of_seed(&self) -> f64 {
        ((1.0 / DELTA).ln() / (self.epsilon * self.epsilon)).powi(2)
    }
}

pub fn regret(kinds: &[Kind]) -> Table {
    let rows = kinds.iter().map(|kind| {
        let last = kind.horizon() - 1;
        let mean = |of: fn(&Regret) -> &Vec<f64>| number(kind.mean(last, of));
        let worst = kind.runs.iter().map(|run| run.cumulative[last]).fold(0.0, f64::max);
        // The bound is that of Srinivas' β: for the others there is none to hold.
        let promised = kind.schedule == "Srinivas";
        vec![
            kind.process.name.to_owned(),
            kind.schedule.to_owned(),
            mean(|run| &run.cumulative),
            number(worst),
            if promised { mean(|run| &run.bounds.regret) } else { "none".into() },
            if promised { format!("{:.0} %", 100.0 * kind.below()) } else { "-".into() },
            mean(|run| &run.bounds.information),
            mean(|run| &run.bounds.gamma),
        ]
    });
    Table {
        name: "regret".into(),
        caption: "Cumulative regret of upper confidence bounds at the last round, mean and largest over the draws; the bound √(C₁ T β_T γ_T) \
                  of theorem 1; the share of the draws below it at every round; the information gained and the greedy bound on γ_T, in \
                  nats."
            .into(),
        header: [
            "process",
            "β",
            "regret",
            "largest",
            "bound",
            "draws below it",
            "information",
            "γ (greedy, over 1 - 1/e)",
        ]
        .map(String::from)
        .to_vec(),
        rows: rows.collect(),
    }
}

pub fn samples(all: &[Samples]) -> Table {
    let count =
        |count: f64| if count.is_finite() { format!("{count:.0}") } else { "not within the cap".into() };
    let rows = all.iter().map(|own| {
        vec![
            own.process.name.to_owned(),
            own.epsilon.to_string(),
            count(own.median()),
            count(own.largest()),
            own.bound.map_or(format!("above {}", own.most), |bound| bound.to_string()),
            count(own.of_seed()),
            format!("{:.0} %", 100.0 * own.right()),
        ]
    });
    Table {
        name: "samples".into(),
        caption: "Evaluations until nothing is undecided, median and largest over the draws; the bound of theorem 1, the least T with \
                  T/(β_T γ_T) ≥ C₁/4ε²; (ln(1/δ)/ε²)^d of caligonotes, no theorem; the share of the draws with no point wrong by more than ε."
            .into(),
        header: ["process", "ε", "samples", "largest", "bound", "caligonotes", "right within ε"]
            .map(String::from)
            .to_vec(),
        rows: rows.collect(),
    }
}

/// Exponents of 1/ε in the number of samples: by theory, by caligonotes, and those of the bound and of the runs.
pub fn sample_exponents(all: &[Samples]) -> Table {
    let mut names: Vec<&str> = all.iter().map(|own| own.process.name).collect();
    names.dedup();
    let rows = names.into_iter().map(|name| {
        let own = || all.iter().filter(|own| own.process.name == name);
        let order = own().next().and_then(|own| own.process.order);
        let measured = |count: &dyn Fn(&Samples) -> f64| {
            let counted: Vec<(f64, f64)> =
                own().map(|own| (-own.epsilon.ln(), count(own).ln())).filter(|p| p.1.is_finite()).collect();
            if counted.len() < 2 { "-".into() } else { format!("{:.2}", slope(counted.into_iter())) }
        };
        vec![
            name.to_owned(),
            order.map_or("2 (and logarithms)".into(), |order| format!("{:.2}", (2.0 * order + 2.0) / order)),
            "4".into(),
            measured(&|own| own.bound.map_or(f64::NAN, |bound| bound as f64)),
            measured(&Samples::median),
        ]
    });
    Table {
        name: "sample_exponents".into(),
        caption: "Exponents of 1/ε in two dimensions: 2(2ν + d)/2ν from the theorem with the information gain of Vakili et al., 2d by caligonotes, \
                  and slopes over the ε above. On a finite domain the information grows like a logarithm in the end, and the bound like \
                  that of a smooth process."
            .into(),
        header: ["process", "theorem", "caligonotes", "slope of the bound", "slope of what was needed"]
            .map(String::from)
            .to_vec(),
        rows: rows.collect(),
    }
}

/// Exponents of T: published, by caligonotes, and those of the curves.
pub fn exponents(kinds: &[Kind]) -> Table {
    let own = kinds.iter().filter(|kind| kind.schedule == "Srinivas");
    let rows = own.map(|kind| {
        let published = kind.process.order.map(|order| MaternExponents::new(order, 2));
        let cell = |value: Option<f64>| value.map_or("½ (and logarithms)".into(), |v| format!("{v:.3}"));
        vec![
            kind.process.name.to_owned(),
            cell(published.map(|e| e.srinivas)),
            cell(published.map(|e| e.vakili)),
            "0.750".into(),
            format!("{:.3}", kind.exponent(|run| &run.bounds.regret)),
            format!("{:.3}", kind.exponent(|run| &run.cumulative)),
            kind.process
                .order
                .map_or("0 (and logarithms)".into(), |order| format!("{:.3}", 2.0 / (2.0 * order + 2.0))),
            format!("{:.3}", kind.exponent(|run| &run.bounds.gamma)),
        ]
    });
    Table {
        name: "exponents".into(),
        caption: "Exponents of T in two dimensions. Of the regret: Srinivas et al. (ν + d(d + 1))/(2ν + d(d + 1)); with the information gain of \
                  Vakili et al. (ν + d)/(2ν + d); caligonotes (d + 1)/(d + 2) for every kernel; slopes of the evaluated bound and of the \
                  realised regret. Of the information: Vakili et al. d/(2ν + d), and the slope of the greedy gain. Slopes are over the last \
                  three quarters of the rounds on a finite domain: logarithms are part of them."
            .into(),
        header: [
            "process",
            "Srinivas",
            "Vakili",
            "caligonotes",
            "slope of the bound",
            "slope of the regret",
            "information, Vakili",
            "slope of the gain",
        ]
        .map(String::from)
        .to_vec(),
        rows: rows.collect(),
    }
}

/// Both axes logarithmic.
fn plot(title: String, y_label: &str, series: Vec<Series>) -> LinePlot {
    LinePlot {
        title,
        x_label: "evaluations".into(),
        y_label: y_label.into(),
        log_x: true,
        log_y: true,
        series,
        ..LinePlot::default()
    }
}

/// Evaluations of a process until nothing is undecided, against ε.
fn counted(name: &str, all: &[Samples]) -> LinePlot {
    let own: Vec<&Samples> = all.iter().filter(|own| own.process.name == name).collect();
    let line = |label: &str, value: &dyn Fn(&Samples) -> f64| {
        Series::line(label, own.iter().map(|own| (own.epsilon, value(own))).collect())
    };
    let bound = |own: &Samples| own.bound.map_or(f64::NAN, |bound| bound as f64);
    let series = vec![
        line("bound", &bound),
        line("caligonotes", &Samples::of_seed),
        line("needed, median", &Samples::median),
    ];
    LinePlot { x_label: "ε".into(), ..plot(name.to_owned(), "evaluations until certified", series) }
}

pub fn figures(kinds: &[Kind], all: &[Samples]) -> Result<Vec<Figure>, ExperimentError> {
    let processes: Vec<&str> =
        kinds.iter().filter(|kind| kind.schedule == "Srinivas").map(|kind| kind.process.name).collect();
    let of = |name: &str| kinds.iter().filter(|kind| kind.process.name == name).collect::<Vec<_>>();
    let regrets: Vec<LinePlot> = processes
        .iter()
        .map(|name| {
            let own = of(name);
            let mut series = vec![Series::line("bound", own[0].curve(|run| &run.bounds.regret))];
            series.extend(
                own.iter().map(|kind| Series::line(kind.schedule, kind.curve(|run| &run.cumulative))),
            );
            plot((*name).to_owned(), "cumulative regret", series)
        })
        .collect();
    let information: Vec<LinePlot> = processes
        .iter()
        .map(|name| {
            let own = of(name);
            let mut series = vec![Series::line("greedy", own[0].curve(|run| &run.bounds.gamma))];
            series.extend(
                own.iter().map(|kind| Series::line(kind.schedule, kind.curve(|run| &run.bounds.information))),
            );
            plot((*name).to_owned(), "information in nats", series)
        })
        .collect();
    let counted: Vec<LinePlot> = processes.iter().map(|name| counted(name, all)).collect();
    Ok(vec![
        Figure::of(
            "regret",
            "Cumulative regret by β_t, mean over the draws, and the bound for Srinivas' β_t.",
            panels_with_legend(&regrets),
        )?,
        Figure::of(
            "information",
            "Information gained by β_t, and the bound on γ_T by the greedy choice.",
            panels_with_legend(&information),
        )?,
        Figure::of(
            "samples",
            "Evaluations until nothing is undecided: needed, bounded, and as the seed has it.",
            panels_with_legend(&counted),
        )?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_of_powers_are_their_exponents() {
        let power = (1..50).map(|t| (f64::from(t).ln(), f64::from(t).powf(0.7).ln()));
        assert!((slope(power) - 0.7).abs() < 1e-12);
    }

    #[test]
    fn a_run_without_a_certificate_is_within_no_bound() {
        let within = |bound: Option<usize>, samples: Option<usize>| {
            let own = Samples { process: Process::ALL[0], epsilon: 0.5, runs: Vec::new(), bound, most: 100 };
            own.is_within_bound(&Certified { samples, right: true })
        };
        assert!(within(Some(50), Some(50)) && !within(Some(50), Some(51)));
        assert!(within(None, Some(99)) && !within(None, None) && !within(Some(50), None));
    }
}
