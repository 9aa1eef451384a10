//! Drawings that only change on purpose: length and hash of the text of fixed figures.
//!
//! Coordinates in a drawing are whole pixels. The numbers were recorded from this crate; look at a figure before its
//! numbers are replaced.

use thrifty_domain::Points;
use thrifty_figures::{
    Axis, Contours, Isoline, LinePlot, Observations, Series, columns, panels, panels_with_legend,
    posterior_band, posterior_maps, predicted_against_observed, slices, standardized_residuals,
};
use thrifty_gp::{Gp, GpSettings, Noise};

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn check(name: &str, svg: &str, expected: (usize, u64)) {
    println!("RECORD {name} ({}, {:#x})", svg.len(), hash(svg));
    assert_eq!((svg.len(), hash(svg)), expected, "{name}");
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
    check("linear", &plot("a title", false).draw().unwrap(), (7_919, 0xd234_0fa8_90f4_b1a7));
    check("logarithmic", &plot("a title", true).draw().unwrap(), (6_626, 0xfe46_a226_3fdb_f6c4));
    let flat = LinePlot { series: vec![Series::dots("one", vec![(3.0, 2.0)])], ..plot("flat", false) };
    check("flat", &flat.draw().unwrap(), (8_103, 0x579c_6cad_7b0e_f40a));
    let zero = LinePlot {
        log_x: true,
        series: vec![Series::line("", vec![(1.0, -2e-9), (900.0, 3.0)])],
        ..plot("", false)
    };
    check("zero", &zero.draw().unwrap(), (6_212, 0x4e85_9a15_1553_49d0));
    check("nothing", &LinePlot::default().draw().unwrap(), (8_088, 0xd150_70a9_0b0b_14b9));
}

#[test]
fn panels_keep_their_drawing() {
    for (count, expected) in [
        (1, (7_436, 0xac32_6d46_6f90_6ffc)),
        (2, (13_431, 0x8699_50d4_303f_644d)),
        (3, (20_804, 0xfc6e_ba09_d231_2d03)),
        (4, (26_724, 0xcaa1_7156_3900_c144)),
        (5, (34_113, 0x5d0f_54b5_ed9d_fdb6)),
    ] {
        let plots: Vec<LinePlot> = (0..count).map(|i| plot(&format!("panel {i}"), i % 2 == 1)).collect();
        check(&format!("panels_{count}"), &panels(&plots).unwrap(), expected);
    }
    let plots = vec![plot("one", false), plot("two", true)];
    check("legend", &panels_with_legend(&plots).unwrap(), (13_909, 0x172c_b2c1_2825_e60b));
    check("one_column", &columns(std::slice::from_ref(&plots)).unwrap(), (14_368, 0xc619_2405_07bf_c8a0));
    check(
        "two_columns",
        &columns(&[plots.clone(), plots[..1].to_vec()]).unwrap(),
        (21_657, 0x6b76_b756_2b35_8254),
    );
}

#[test]
fn maps_keep_their_drawing() {
    check("map", &map("sines").draw().unwrap(), (15_458, 0x4b5e_af26_bc57_fec7));
    check(
        "maps",
        &Contours::side_by_side(&[map("one"), map("two")]).unwrap(),
        (30_791, 0xfb3e_4715_07b3_9253),
    );
}

#[test]
fn posteriors_keep_their_drawing() {
    let x = Points::from_rows(&[[0.1, 0.2], [0.5, 0.9], [0.8, 0.4], [0.3, 0.6]]).unwrap();
    let y = [0.3, 1.4, -0.2, 0.8];
    let settings = GpSettings { noise: Noise::Fixed(1e-2), ..GpSettings::default() };
    let posterior = Gp::matern52(2).with_settings(settings).condition(x.as_ref(), &y).unwrap();
    let axes = [Axis { label: "rate".into(), low: 1e-3, high: 1.0, log: true }, Axis::unit("share")];
    let seen = || Some(Observations { x: x.as_ref(), y: &y });
    check(
        "band",
        &posterior_band(&posterior, 0, &[0.4, 0.5], &axes[0], seen()).draw().unwrap(),
        (10_618, 0x9b33_ae64_56aa_35b3),
    );
    check(
        "band_alone",
        &posterior_band(&posterior, 1, &[0.4, 0.5], &axes[1], None).draw().unwrap(),
        (11_317, 0x2d7c_5d24_8cc9_314a),
    );
    check(
        "slices",
        &panels(&slices(&posterior, &[0.3, 0.6], &axes)).unwrap(),
        (21_580, 0xf55b_9eb7_2bfb_57cd),
    );
    let maps = posterior_maps(&posterior, (0, 1), &[0.5; 2], (&axes[0], &axes[1]), seen()).unwrap();
    check("posterior_maps", &maps, (951_708, 0x1a7f_5b66_a14a_bdbe));
    let predicted =
        predicted_against_observed("predicted", &[0.2, 1.0, -0.3], &[0.04, 0.1, 0.2], &[0.3, 1.4, -0.2]);
    check("predicted", &predicted.draw().unwrap(), (6_801, 0x9903_16c7_531a_c225));
    check(
        "residuals",
        &standardized_residuals("residuals", &[0.3, -2.4, 1.1]).draw().unwrap(),
        (8_760, 0x2607_9659_3396_dd14),
    );
}
