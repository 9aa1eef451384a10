use thrifty_figures::{LinePlot, Series, panels_with_legend};

use super::judged::Results;
use super::methods::{RANDOM, SHOWN, STRADDLE, SUR};
use crate::error::ExperimentError;
use crate::harness::stats::ranks;
use crate::harness::{Figure, Table, number};

/// Means with standard errors, and p against straddle and random points.
pub fn means(results: &Results, name: &str, ks: &[usize], early: usize) -> Table {
    let last = ks.last().copied().unwrap_or(0);
    let mut header = vec!["problem".to_owned(), "criterion".to_owned()];
    header.extend(ks.iter().map(|k| format!("F1 at {k}")));
    header.extend([early, last].map(|k| format!("less straddle at {k} (p)")));
    header.push(format!("less random at {last} (p)"));
    let mut rows = Vec::new();
    for (case, problem) in results.cases.iter().enumerate() {
        let duels = [(STRADDLE, early), (STRADDLE, last), (RANDOM, last)]
            .map(|(other, k)| (other, results.against(case, other, k)));
        for (m, method) in results.methods.iter().enumerate() {
            let mut row = vec![(*problem).to_owned(), (*method).to_owned()];
            row.extend(ks.iter().map(|k| {
                let (mean, error) = results.mean(case, m, *k);
                format!("{mean:.3} ± {error:.3}")
            }));
            row.extend(duels.iter().map(|(other, duels)| {
                if other == method {
                    return "-".to_owned();
                }
                format!("{:+.3} ({})", duels[m].difference, number(duels[m].p))
            }));
            rows.push(row);
        }
    }
    Table {
        name: name.into(),
        caption: "Mean F1 of the class above ± one standard error after so many evaluations chosen by the criterion; mean paired \
                  difference, in brackets p of the Wilcoxon test, Holm-corrected over the criteria of a problem."
            .into(),
        header,
        rows,
    }
}

/// One row a criterion: ranks, and on how many problems it is significantly better or worse.
pub fn summary(results: &Results, name: &str, early: usize, last: usize) -> Table {
    let rank = |m: usize, k: usize| {
        let (mut sum, mut count) = (0.0, 0.0);
        for curves in &results.f1 {
            for i in 0..curves[m].len() {
                sum += ranks(&curves.iter().map(|own| -own[i][k]).collect::<Vec<f64>>())[m];
                count += 1.0;
            }
        }
        format!("{:.2}", sum / count)
    };
    let tally = |m: usize, other: &str, k: usize| {
        let duels: Vec<_> = (0..results.cases.len()).map(|case| results.against(case, other, k)[m]).collect();
        let better = duels.iter().filter(|duel| duel.is_better()).count();
        format!("{better} / {}", duels.iter().filter(|duel| duel.is_worse()).count())
    };
    let rows = results.methods.iter().enumerate().map(|(m, method)| {
        let seconds = results.seconds.iter().map(|own| own[m]).sum::<f64>() / results.cases.len() as f64;
        vec![
            (*method).to_owned(),
            rank(m, early),
            rank(m, last),
            tally(m, STRADDLE, early),
            tally(m, STRADDLE, last),
            tally(m, RANDOM, last),
            number(seconds),
        ]
    });
    let against = |other: &str, k: usize| format!("better / worse than {other} at {k}");
    Table {
        name: name.into(),
        caption: format!(
            "Mean rank among the criteria over all runs; on how many of {} problems a criterion is significantly better / worse; \
             seconds of the optimiser a run.",
            results.cases.len()
        ),
        header: vec![
            "criterion".into(),
            format!("mean rank at {early}"),
            format!("mean rank at {last}"),
            against(STRADDLE, early),
            against(STRADDLE, last),
            against(RANDOM, last),
            "seconds".into(),
        ],
        rows: rows.collect(),
    }
}

/// Stepwise uncertainty reduction against straddle, as the claim has it.
pub fn duel(results: &Results, name: &str, early: usize, last: usize) -> Table {
    let duels = [early, last].map(|k| results.on_problems(SUR, STRADDLE, k));
    let rows = results.cases.iter().enumerate().map(|(case, problem)| {
        let cells = duels.iter().flat_map(|own| {
            let duel = own[case];
            [format!("{:+.4} ± {:.4}", duel.difference, duel.error), number(duel.p)]
        });
        std::iter::once((*problem).to_owned()).chain(cells).collect()
    });
    let of = |k: usize| [format!("F1 less straddle's at {k}"), "p (Holm)".to_owned()];
    Table {
        name: name.into(),
        caption: "Stepwise uncertainty reduction less straddle: mean paired difference ± one standard error, and p of the Wilcoxon \
                  test, Holm-corrected over the problems."
            .into(),
        header: std::iter::once("problem".to_owned()).chain(of(early)).chain(of(last)).collect(),
        rows: rows.collect(),
    }
}

/// Mean F1 against evaluations, a panel a problem.
pub fn curves(results: &Results, name: &str) -> Result<Figure, ExperimentError> {
    const FROM: usize = 4;
    let plot = |case: usize| {
        let line = |m: usize| {
            let to = results.f1[case][m].first().map_or(0, Vec::len);
            let points = (FROM..to).map(|k| (k as f64, results.mean(case, m, k).0)).collect();
            Series::line(results.methods[m], points)
        };
        let shown = (0..results.methods.len()).filter(|m| SHOWN.contains(&results.methods[*m]));
        LinePlot {
            title: results.cases[case].into(),
            x_label: "evaluations chosen".into(),
            y_label: "mean F1".into(),
            series: shown.map(line).collect(),
            ..LinePlot::default()
        }
    };
    let plots: Vec<LinePlot> = (0..results.cases.len()).map(plot).collect();
    Figure::of(
        name,
        "Mean F1 of the class above against the evaluations that the criterion chose.",
        panels_with_legend(&plots),
    )
}
