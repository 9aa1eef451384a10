//! Observations with noise.

use thrifty_acquisition::{
    Analytic, ExpectedImprovement, KnowledgeGradient, NoisyExpectedImprovement, OneShotKnowledgeGradient,
};
use thrifty_domain::Points;
use thrifty_figures::{Axis, Contours, columns};
use thrifty_sampling::Seed;

use super::scene::{Curve, Scene, acquisition, column, grid, points};
use super::{Drawn, Finding};
use crate::error::ExperimentError;
use crate::harness::Figure;

/// A valley seen five times, and one lucky observation of a slope.
fn lucky() -> Result<Scene, ExperimentError> {
    let seen = [
        (0.05, 0.9),
        (0.14, 0.1),
        (0.2, -0.6),
        (0.26, -0.2),
        (0.3, -0.7),
        (0.36, 0.0),
        (0.5, 0.5),
        (0.62, 0.3),
        (0.66, -1.3),
        (0.7, 0.5),
        (0.95, 0.6),
    ];
    Scene::new(&seen, 0.16, 0.2)
}

/// Values of two relative utilities in the valley: the first next to nothing, the second much.
fn in_valley(plain: &Curve, name: &str, other: &Curve, other_name: &str) -> Vec<Finding> {
    let most = |curve: &Curve| {
        let within = curve.points.iter().filter(|p| (0.15..0.36).contains(&p.0));
        within.map(|p| p.1).fold(0.0, f64::max)
    };
    let (least, most) = (most(plain), most(other));
    vec![
        Finding::new(format!("{name}: the valley, relative"), least, least < 0.1),
        Finding::new(format!("{other_name}: the valley, relative"), most, most > 0.3),
    ]
}

pub fn noisy_improvement(seed: Seed) -> Result<Drawn, ExperimentError> {
    let scene = lucky()?;
    let plain = Analytic::new(&scene.posterior, ExpectedImprovement { target: scene.best() });
    let rng = &mut seed.stream("noisy improvement", 0);
    let noisy = acquisition(NoisyExpectedImprovement::new(&scene.posterior, scene.x.as_ref(), 256, rng))?;
    let (plain, noisy) = (Curve::of("EI", &plain).relative(), Curve::of("noisy EI", &noisy).relative());
    let findings = in_valley(&plain, "expected improvement", &noisy, "noisy improvement");
    let figure = Figure::of(
        "noisy-improvement",
        "Noise of deviation 0.45; the lowest observation was luck. Improvement on it has hardly a glance for the valley, which \
         cannot beat it; noisy improvement is on the best of the values as they may be. It does not repeat a point. Each in \
         units of its largest value.",
        columns(&[column(&scene, "one low observation by chance", "relative", &[plain, noisy])]),
    )?;
    Ok(Drawn { figure, findings })
}

pub fn knowledge_gradient() -> Result<Drawn, ExperimentError> {
    let quiet = Scene::everyday()?;
    let noisy = lucky()?;
    let both = |scene: &Scene| -> Result<[Curve; 2], ExperimentError> {
        let target = scene.best();
        let expected = Analytic::new(&scene.posterior, ExpectedImprovement { target });
        let gradient = acquisition(KnowledgeGradient::new(&scene.posterior, grid().as_ref(), scene.noise))?;
        Ok([Curve::of("EI", &expected).relative(), Curve::of("knowledge gradient", &gradient).relative()])
    };
    let (calm, loud) = (both(&quiet)?, both(&noisy)?);
    let findings =
        in_valley(&loud[0], "expected improvement beside knowledge gradient", &loud[1], "knowledge gradient");
    let figure = Figure::of(
        "knowledge-gradient",
        "The knowledge gradient with all points as anchors beside expected improvement on the best observation, each in units of \
         its largest value. Under noise it values what an observation does to the best mean, also at a point that is not itself the best.",
        columns(&[
            column(&quiet, "without noise", "relative", &calm),
            column(&noisy, "noise, standard deviation 0.45", "relative", &loud),
        ]),
    )?;
    Ok(Drawn { figure, findings })
}

/// The value of pairs of observations, each with the best answers among 101 points.
pub fn one_shot(seed: Seed) -> Result<Drawn, ExperimentError> {
    const SIDE: usize = 23;
    let scene = Scene::everyday()?;
    let pool = points(&(0..=100).map(|i| f64::from(i) / 100.0).collect::<Vec<f64>>());
    let mut mean = vec![0.0; pool.len()];
    thrifty_surrogate::Posterior::predict_into(
        &scene.posterior,
        pool.as_ref(),
        &mut mean,
        &mut vec![0.0; pool.len()],
    );
    let best = mean.iter().copied().fold(f64::INFINITY, f64::min);
    let rng = &mut seed.stream("one shot", 0);
    let one_shot =
        acquisition(OneShotKnowledgeGradient::new(&scene.posterior, 2, 64, scene.noise, best, rng))?;
    let at = |i: usize| i as f64 / (SIDE - 1) as f64;
    let mut values = Vec::with_capacity(SIDE * SIDE);
    let (mut found, mut top) = ((0.0, 0.0), f64::NEG_INFINITY);
    for j in 0..SIDE {
        for i in 0..SIDE {
            let pair = Points::from_flat(vec![at(i), at(j)], 1);
            let all = acquisition(one_shot.completed(pair.as_ref(), pool.as_ref()))?;
            let value = thrifty_acquisition::Acquisition::value(&one_shot, &all);
            if value > top {
                (found, top) = ((at(i), at(j)), value);
            }
            values.push(value);
        }
    }
    let apart = (found.0 - found.1).abs();
    let map = Contours {
        title: "knowledge gradient of a pair".into(),
        axes: (Axis::unit("first point"), Axis::unit("second point")),
        side: SIDE,
        values,
        levels: 10,
        isolines: Vec::new(),
        dots: vec![found],
    };
    let figure = Figure::of(
        "one-shot",
        "The one-shot knowledge gradient of two observations at once, on the posterior of the first figure, with the best answers \
         of 101 to each of 64 outcomes; the dot is the best pair. On the diagonal the second observation adds no information.",
        map.draw(),
    )?;
    Ok(Drawn {
        figure,
        findings: vec![Finding::new(
            "one-shot knowledge gradient: distance within the pair",
            apart,
            apart > 0.1,
        )],
    })
}

#[cfg(test)]
mod tests {
    use super::super::judge;
    use super::*;
    use crate::harness::claims::Verdict;

    /// Utilities made worse: one that sees the valley where it should not, one that is blind to it, and the two exchanged.
    #[test]
    fn a_utility_that_is_blind_to_the_valley_is_found() {
        let curve = |valley: f64| Curve {
            label: String::new(),
            points: vec![(0.25, valley), (0.6, 1.0)],
            maximizer: (0.6, 1.0),
        };
        let verdict = |plain: f64, other: f64| {
            let findings = in_valley(&curve(plain), "plain", &curve(other), "other");
            let named: Vec<_> = findings.into_iter().map(|finding| ("f".to_owned(), finding)).collect();
            judge(&named).unwrap().verdict()
        };
        assert_eq!(verdict(0.05, 0.6), Verdict::Holds);
        assert_eq!(verdict(0.6, 0.6), Verdict::DoesNotHold);
        assert_eq!(verdict(0.05, 0.05), Verdict::DoesNotHold);
        assert_eq!(verdict(0.6, 0.05), Verdict::DoesNotHold);
    }
}
