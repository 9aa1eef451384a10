//! Numbers of evaluations on functions whose rates are known.

use thrifty_cmaes::{CmaEs, CmaEsSettings};
use thrifty_sampling::Seed;
use thrifty_space::Space;
use thrifty_study::{MaxTrials, Study, Target};

const DIM: usize = 5;

/// Smallest and largest number of trials to a loss of 1e-9 on `[-5, 5]^5`, over three seeds.
fn trials(settings: &CmaEsSettings, loss: impl Fn(&[f64]) -> f64 + Sync) -> (usize, usize) {
    let counts = [1, 2, 3].map(|seed| {
        let space = Space::from_bounds(&[(-5.0, 5.0); DIM]).unwrap();
        let optimizer = CmaEs::new(space).with_settings(settings.clone()).unwrap();
        let mut study = Study::new(optimizer, Seed(seed)).with_stop(MaxTrials(6000)).with_stop(Target(1e-9));
        study
            .run(|config, _| {
                let x: Vec<f64> =
                    (0..DIM).map(|i| config.float(&format!("x{i}")).unwrap_or(f64::NAN)).collect();
                loss(&x)
            })
            .unwrap();
        study.history().len()
    });
    (counts.into_iter().min().unwrap_or(0), counts.into_iter().max().unwrap_or(0))
}

fn ellipsoid(x: &[f64]) -> f64 {
    let scaled = |(i, x): (usize, &f64)| 1e6_f64.powf(i as f64 / (DIM - 1) as f64) * (x - 1.0).powi(2);
    x.iter().enumerate().map(scaled).sum()
}

/// The sphere takes about 100 n evaluations to 1e-9 for small n, the ellipsoid of condition 1e6 and Rosenbrock's function two to six times as many. Source:
/// Hansen (2016) and Hansen & Ostermeier (2001), figs. 5 to 8. Margin: a factor of 2 around the order of these numbers.
#[test]
fn rates_are_of_the_known_order() {
    let settings = CmaEsSettings::default();
    let (least, most) = trials(&settings, |x| x.iter().map(|x| (x - 1.0).powi(2)).sum());
    assert!(least > 300 && most < 1100, "sphere: {least} to {most}");
    let (least, most) = trials(&settings, ellipsoid);
    assert!(least > 600 && most < 3200, "ellipsoid: {least} to {most}");
    let (least, most) = trials(&settings, |x| {
        x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
    });
    assert!(least > 900 && most < 5000, "Rosenbrock: {least} to {most}");
}

/// The optimum in a corner of the box, to a thousandth of the range.
#[test]
fn bounds_are_reached() {
    let space = Space::from_bounds(&[(0.0, 1.0); DIM]).unwrap();
    let mut study = Study::new(CmaEs::new(space), Seed(4)).with_stop(MaxTrials(700));
    study
        .run(|config, _| (0..DIM).map(|i| config.float(&format!("x{i}")).unwrap_or(f64::NAN)).sum::<f64>())
        .unwrap();
    let (_, loss) = study.history().best().unwrap();
    assert!((0.0..5e-3).contains(&loss), "{loss}");
}
