//! Drawings that only change on purpose: the text of fixed figures, in `tests/snapshots`.
//!
//! Coordinates in a drawing are whole pixels.

use thrifty_domain::Points;
use thrifty_figures::{
    Axis, Contours, Isoline, LinePlot, Observations, Series, columns, panels, panels_with_legend,
    posterior_band, posterior_maps, predicted_against_observed, slices, standardized_residuals,
};
use thrifty_gp::{Gp, GpSettings, Noise};

use crate::snapshot;
use snapshot::check;

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A line with a band, dots with bars, and one point that has no place.
fn plot(title: &str, log: bool) -> LinePlot {
    let line = Series {
        band: vec![(1.0, 1.0, 4.0), (2.0, 2.0, 6.0), (4.0, 1.5, 9.0)],
        ..Series::line("line", vec![(1.0, 2.0), (2.0, 3.0), (4.0, f64::NAN), (5.0, 7.0)])
    };
    let dots = Series {
        bars: vec![(1.5, 0.5, 8.0), (3.5, 2.0, f64::INFINITY), (4.5, 3.0, 5.0)],
        ..Series::dots("dots", vec![(1.5, 2.5), (3.5, 4.0)])
    };
    let plain = Series::line("", vec![(1.0, 5.0), (5.0, 5.0)]);
    LinePlot {
        title: title.into(),
        x_label: "trials".into(),
        y_label: "loss".into(),
        log_x: false,
        log_y: log,
        series: vec![line, dots, plain],
        ..LinePlot::default()
    }
}

fn map(title: &str) -> Contours {
    let side = 6;
    let value = |at: usize| ((at % side) as f64 * 0.7).sin() + (at / side) as f64 * 0.3;
    let mut values: Vec<f64> = (0..side * side).map(value).collect();
    values[7] = f64::NAN;
    let other: Vec<f64> = (0..side * side).map(|at| (at / side) as f64 - 0.5 * (at % side) as f64).collect();
    let isolines =
        vec![Isoline { values: other.clone(), height: 0.4 }, Isoline { values: other, height: 1.3 }];
    let axes = (Axis { label: "rate".into(), low: 1e-4, high: 1.0, log: true }, Axis::unit("share"));
    Contours {
        title: title.into(),
        axes,
        side,
        values,
        levels: 4,
        isolines,
        dots: vec![(0.2, 0.3), (0.9, 0.5)],
    }
}

#[test]
fn line_plots_keep_their_drawing() {
    check("linear", &plot("a title", false).draw().unwrap());
    check("logarithmic", &plot("a title", true).draw().unwrap());
    let flat = LinePlot { series: vec![Series::dots("one", vec![(3.0, 2.0)])], ..plot("flat", false) };
    check("flat", &flat.draw().unwrap());
    let zero = LinePlot {
        log_x: true,
        series: vec![Series::line("", vec![(1.0, -2e-9), (900.0, 3.0)])],
        ..plot("", false)
    };
    check("zero", &zero.draw().unwrap());
    check("nothing", &LinePlot::default().draw().unwrap());
}

#[test]
fn panels_keep_their_drawing() {
    for count in 1..=5 {
        let plots: Vec<LinePlot> = (0..count).map(|i| plot(&format!("panel {i}"), i % 2 == 1)).collect();
        check(&format!("panels_{count}"), &panels(&plots).unwrap());
    }
    let plots = vec![plot("one", false), plot("two", true)];
    check("legend", &panels_with_legend(&plots).unwrap());
    check("one_column", &columns(std::slice::from_ref(&plots)).unwrap());
    check("two_columns", &columns(&[plots.clone(), plots[..1].to_vec()]).unwrap());
}

#[test]
fn maps_keep_their_drawing() {
    check("map", &map("sines").draw().unwrap());
    check("maps", &Contours::side_by_side(&[map("one"), map("two")]).unwrap());
}

#[test]
fn posteriors_keep_their_drawing() {
    let x = Points::from_rows(&[[0.1, 0.2], [0.5, 0.9], [0.8, 0.4], [0.3, 0.6]]).unwrap();
    let y = [0.3, 1.4, -0.2, 0.8];
    let settings = GpSettings { noise: Noise::Fixed(1e-2), ..GpSettings::default() };
    let posterior = Gp::matern52(2).with_settings(settings).condition(x.as_ref(), &y).unwrap();
    let axes = [Axis { label: "rate".into(), low: 1e-3, high: 1.0, log: true }, Axis::unit("share")];
    let seen = || Some(Observations { x: x.as_ref(), y: &y });
    check("band", &posterior_band(&posterior, 0, &[0.4, 0.5], &axes[0], seen()).draw().unwrap());
    check("band_alone", &posterior_band(&posterior, 1, &[0.4, 0.5], &axes[1], None).draw().unwrap());
    check("slices", &panels(&slices(&posterior, &[0.3, 0.6], &axes)).unwrap());
    let maps = posterior_maps(&posterior, (0, 1), &[0.5; 2], (&axes[0], &axes[1]), seen()).unwrap();
    // Too long for a snapshot; its parts are in that of `maps`.
    assert_eq!(hash(&maps), 0x57cc_17cc_2e08_61f0, "posterior_maps");
    let predicted =
        predicted_against_observed("predicted", &[0.2, 1.0, -0.3], &[0.04, 0.1, 0.2], &[0.3, 1.4, -0.2]);
    check("predicted", &predicted.draw().unwrap());
    check("residuals", &standardized_residuals("residuals", &[0.3, -2.4, 1.1]).draw().unwrap());
}
