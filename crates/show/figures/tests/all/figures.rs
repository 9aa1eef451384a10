//! Figures of a fitted process, and of data that hardly can be drawn.

use thrifty_domain::Points;
use thrifty_figures::{
    Axis, LinePlot, Observations, Series, columns, panels, panels_with_legend, posterior_band,
    posterior_maps, predicted_against_observed, slices, standardized_residuals,
};
use thrifty_gp::Gp;
use thrifty_sampling::{Seed, latin_hypercube};

fn drawn(svg: &str, dots: usize) {
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "numbers that are none");
    assert!(svg.matches("<circle").count() >= dots, "{} dots of {dots}", svg.matches("<circle").count());
}

#[test]
fn a_posterior_is_drawn_in_every_form() {
    let x = latin_hypercube(12, 2, &mut Seed(1).stream("design", 0));
    let y: Vec<f64> = x.rows().map(|p| (5.0 * p[0]).sin() + p[1]).collect();
    let posterior = Gp::matern52(2).fit(x.as_ref(), &y, &mut Seed(1).stream("fit", 0)).unwrap();
    let axes = [
        Axis { label: "rate".into(), low: 1e-4, high: 1.0, log: true },
        Axis { label: "depth".into(), low: 1.0, high: 9.0, log: false },
    ];
    let seen = Observations { x: x.as_ref(), y: &y };
    let plots = slices(&posterior, &[0.3, 0.6], &axes);
    assert_eq!((plots.len(), plots[0].log_x, plots[1].log_x), (2, true, false));
    drawn(&panels(&plots).unwrap(), 0);
    let maps = posterior_maps(&posterior, (0, 1), &[0.5; 2], (&axes[0], &axes[1]), Some(seen)).unwrap();
    drawn(&maps, 24);
    let (mean, variance): (Vec<f64>, Vec<f64>) = posterior.leave_one_out().into_iter().unzip();
    drawn(&predicted_against_observed("leave-one-out", &mean, &variance, &y).draw().unwrap(), 12);
    let calibration = posterior.leave_one_out_calibration().unwrap();
    drawn(&standardized_residuals("residuals", &calibration.standardized).draw().unwrap(), 12);
    let line = Points::from_flat(vec![0.1, 0.5, 0.8], 1);
    let one = Gp::matern52(1).fit(line.as_ref(), &[1.0, 3.0, 2.0], &mut Seed(1).stream("fit", 0)).unwrap();
    let seen = Observations { x: line.as_ref(), y: &[1.0, 3.0, 2.0] };
    drawn(&posterior_band(&one, 0, &[0.0], &axes[0], Some(seen)).draw().unwrap(), 4);
}

#[test]
fn what_cannot_be_drawn_is_left_out() {
    let odd = vec![(0.0, f64::NAN), (1.0, f64::INFINITY), (2.0, 1e300), (3.0, -1e-300), (4.0, 0.0)];
    for series in [Vec::new(), odd[..2].to_vec(), odd[4..].to_vec(), vec![(1e12, 1e12)], odd] {
        for log_y in [false, true] {
            let plot =
                LinePlot { log_y, series: vec![Series::dots("odd", series.clone())], ..LinePlot::default() };
            drawn(&plot.draw().unwrap(), 0);
        }
    }
    drawn(&panels(&[]).unwrap(), 0);
    drawn(&panels_with_legend(&[]).unwrap(), 0);
    drawn(&columns(&[]).unwrap(), 0);
    drawn(&columns(&[Vec::new(), Vec::new()]).unwrap(), 0);
}

#[test]
fn columns_of_different_length_with_all_labels_of_each_row_in_its_legend() {
    let plot = |labels: &[&str]| {
        let series = labels.iter().map(|label| Series::dots(*label, vec![(0.0, -1.0), (1.0, 1.0)])).collect();
        LinePlot { series, ..LinePlot::default() }
    };
    let svg = columns(&[vec![plot(&["a"]), plot(&["b"])], vec![plot(&["c", "d"])]]).unwrap();
    drawn(&svg, 6 + 4);
    // Labels stand on lines of their own.
    for (label, found) in [("a", 1), ("b", 1), ("c", 1), ("d", 1)] {
        assert_eq!(svg.lines().filter(|line| *line == label).count(), found, "{label}");
    }
    assert!(svg.lines().any(|line| line == "0") && !svg.contains("e-1"), "a mark at 0 is 0");
}
