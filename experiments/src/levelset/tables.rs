//! Tables and curves of F1.

use thrifty_figures::{LinePlot, Series, panels_with_legend};

use super::methods::{RANDOM, SHOWN, STRADDLE, SUR};
use super::scored::Results;
use crate::error::ExperimentError;
use crate::harness::claims::Finding;
use crate::harness::stats::ranks;
use crate::harness::{Figure, Table, number};

/// Means with standard errors, and p against straddle and random points.
pub fn means(results: &Results, name: &str, ks: &[usize], early: usize) -> Result<Table, ExperimentError> {
    let last = ks.last().copied().unwrap_or(0);
    let mut header = vec!["problem".to_owned(), "criterion".to_owned()];
    header.extend(ks.iter().map(|k| format!("F1 at {k}")));
    header.extend([early, last].map(|k| format!("less straddle at {k} (p)")));
    header.push(format!("less random at {last} (p)"));
    let mut rows = Vec::new();
    for (case, problem) in results.cases.iter().enumerate() {
        let mut found = Vec::new();
        for (other, k) in [(STRADDLE, early), (STRADDLE, last), (RANDOM, last)] {
            found.push(results.against(case, other, k)?);
        }
        for (m, method) in results.methods.iter().enumerate() {
            let mut row = vec![(*problem).to_owned(), (*method).to_owned()];
            row.extend(ks.iter().map(|k| {
                let (mean, error) = results.mean(case, m, *k);
                format!("{mean:.3} ± {error:.3}")
            }));
            row.extend(found.iter().map(|against| {
                against[m].as_ref().map_or("-".into(), |finding| {
                    format!("{:+.3} ({})", finding.effect, number(finding.two_sided()))
                })
            }));
            rows.push(row);
        }
    }
    Ok(Table {
        name: name.into(),
        caption: "Mean F1 of the class above ± one standard error after so many evaluations chosen by the criterion; median paired \
                  difference, in brackets two-sided p of the signed-rank test, Holm-corrected over the criteria of a problem."
            .into(),
        header,
        rows,
    })
}

/// One row per criterion: ranks, and on how many problems it is significantly better or worse.
pub fn summary(results: &Results, name: &str, early: usize, last: usize) -> Result<Table, ExperimentError> {
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
    let mut tallies: Vec<Vec<String>> = vec![Vec::new(); results.methods.len()];
    for (other, k) in [(STRADDLE, early), (STRADDLE, last), (RANDOM, last)] {
        let found: Vec<_> =
            (0..results.cases.len()).map(|case| results.against(case, other, k)).collect::<Result<_, _>>()?;
        for (m, cells) in tallies.iter_mut().enumerate() {
            let count =
                |is: fn(&Finding) -> bool| found.iter().filter(|own| own[m].as_ref().is_some_and(is)).count();
            cells.push(format!("{} / {}", count(Finding::holds), count(Finding::fails)));
        }
    }
    let rows = results.methods.iter().enumerate().map(|(m, method)| {
        let seconds = results.seconds.iter().map(|own| own[m]).sum::<f64>() / results.cases.len() as f64;
        let mut row = vec![(*method).to_owned(), rank(m, early), rank(m, last)];
        row.extend(tallies[m].iter().cloned());
        row.push(number(seconds));
        row
    });
    let against = |other: &str, k: usize| format!("better / worse than {other} at {k}");
    Ok(Table {
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
    })
}

/// Stepwise uncertainty reduction against straddle, as the claim has it.
pub fn pairwise(results: &Results, name: &str, early: usize, last: usize) -> Result<Table, ExperimentError> {
    let found = [results.on_problems(SUR, STRADDLE, early)?, results.on_problems(SUR, STRADDLE, last)?];
    let rows = results.cases.iter().enumerate().map(|(case, problem)| {
        let cells = found.iter().flat_map(|own| [own[case].effect_text(), number(own[case].two_sided())]);
        std::iter::once((*problem).to_owned()).chain(cells).collect()
    });
    let of = |k: usize| [format!("F1 less straddle's at {k}"), "p (Holm)".to_owned()];
    Ok(Table {
        name: name.into(),
        caption: "Stepwise uncertainty reduction less straddle: median paired difference with its 95 % interval, and two-sided p of the \
                  signed-rank test, Holm-corrected over the problems."
            .into(),
        header: std::iter::once("problem".to_owned()).chain(of(early)).chain(of(last)).collect(),
        rows: rows.collect(),
    })
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
