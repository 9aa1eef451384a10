//! Utilities of mean and deviation alone.

use thrifty_acquisition::{
    Analytic, ConfidenceBound, ExpectedImprovement, ExpectedUtility, LogExpectedImprovement, MaxStdDev,
    PosteriorMean, ProbabilityOfImprovement, Utility,
};
use thrifty_figures::columns;
use thrifty_surrogate::Posterior;

use super::scene::{Curve, Scene, column, marked, utilities};
use super::{Drawn, Finding};
use crate::error::ExperimentError;
use crate::harness::Figure;

fn curve(label: &str, scene: &Scene, utility: impl Utility) -> Curve {
    Curve::of(label, &Analytic::new(&scene.posterior, utility))
}

/// Distances of two choices from the best point: the first next to it, the second farther away.
fn distances(probability: &Curve, expected: &Curve) -> Vec<Finding> {
    let distance = |curve: &Curve| (curve.maximizer.0 - 0.36).abs();
    let (greedy, farther) = (distance(probability), distance(expected));
    vec![
        Finding::new(
            "probability of improvement: distance of its choice from the best point",
            greedy,
            greedy < 0.03,
        ),
        Finding::new("expected improvement: the same", farther, farther > greedy),
    ]
}

pub fn improvement() -> Result<Drawn, ExperimentError> {
    let scene = Scene::everyday()?;
    let target = scene.best();
    let of = |title, curve: Curve| column(&scene, title, "utility", &[curve]);
    let (probability, expected, bound) = (
        curve("utility", &scene, ProbabilityOfImprovement { target }),
        curve("utility", &scene, ExpectedImprovement { target }),
        curve("utility", &scene, ConfidenceBound { beta: 4.0 }),
    );
    let findings = distances(&probability, &expected);
    let all = [
        of("probability of improvement", probability),
        of("expected improvement", expected),
        of("confidence bound, β = 4", bound),
    ];
    let figure = Figure::of(
        "improvement",
        "One posterior, three utilities. The probability of improvement stays beside the best point, where a tiny \
         improvement is nearly certain.",
        columns(&all),
    )?;
    Ok(Drawn { figure, findings })
}

pub fn extremes() -> Result<Drawn, ExperimentError> {
    let scene = Scene::everyday()?;
    let of = |title, curve: Curve| column(&scene, title, "utility", &[curve]);
    // Risk-averse: high losses count more than low ones gain.
    let averse = ExpectedUtility::new(|loss: f64| -loss.exp());
    let std_dev = curve("utility", &scene, MaxStdDev);
    let findings =
        vec![Finding::new("deviation: its choice", std_dev.maximizer.0, std_dev.maximizer.0 > 0.6)];
    let all = [
        of("posterior mean", curve("utility", &scene, PosteriorMean)),
        of("maximum standard deviation", std_dev),
        of("expected utility of -exp(loss)", curve("utility", &scene, averse)),
    ];
    let figure = Figure::of(
        "extremes",
        "Pure exploitation, pure exploration, and a utility of the value that shuns uncertain points.",
        columns(&all),
    )?;
    Ok(Drawn { figure, findings })
}

/// A deep minimum, and a plateau known to a hundredth.
pub fn underflow() -> Result<Drawn, ExperimentError> {
    let well = |x: f64| 2.0 - 4.0 * (-(x - 0.3) * (x - 0.3) / 0.005).exp();
    let seen: Vec<(f64, f64)> = (0..=40).map(|i| f64::from(i) / 40.0).map(|x| (x, well(x))).collect();
    let scene = Scene::new(&seen, 0.3, 4e-4)?;
    let mean = |x: &[f64]| scene.posterior.predict(x).mean;
    let target = scene.x.rows().map(mean).fold(f64::INFINITY, f64::min);
    let plain = curve("EI", &scene, ExpectedImprovement { target });
    let log = curve("ln EI", &scene, LogExpectedImprovement { target });
    let none = plain.points.iter().filter(|p| p.1 == 0.0).count() as f64 / plain.points.len() as f64;
    let unclear = log.points.iter().filter(|p| !p.1.is_finite()).count() as f64;
    let findings = vec![
        Finding::new("expected improvement: share of points where it is zero", none, none > 0.5),
        Finding::new("its logarithm: points where it is not finite", unclear, unclear == 0.0),
    ];
    let (plain, log) = ([plain], [log]);
    let plots = vec![
        marked(scene.panel("observations everywhere but in the valley"), &log),
        utilities("", "EI", &plain),
        utilities("", "ln EI", &log),
    ];
    let figure = Figure::of(
        "underflow",
        "Far from the best point expected improvement is zero as a number, without a slope to climb; its logarithm has one everywhere.",
        columns(&[plots]),
    )?;
    Ok(Drawn { figure, findings })
}

#[cfg(test)]
mod tests {
    use super::super::judge;
    use super::*;
    use crate::harness::claims::Verdict;

    /// Expected improvement made worse: as greedy as the probability of improvement, or the two exchanged.
    #[test]
    fn a_greedy_improvement_is_found() {
        let scene = Scene::everyday().unwrap();
        let target = scene.best();
        let greedy = || curve("", &scene, ProbabilityOfImprovement { target });
        let expected = || curve("", &scene, ExpectedImprovement { target });
        let verdict = |findings: Vec<Finding>| {
            let named: Vec<_> = findings.into_iter().map(|finding| ("f".to_owned(), finding)).collect();
            judge(&named).unwrap().verdict()
        };
        assert_eq!(verdict(distances(&greedy(), &expected())), Verdict::Holds);
        assert_eq!(verdict(distances(&greedy(), &greedy())), Verdict::DoesNotHold);
        assert_eq!(verdict(distances(&expected(), &greedy())), Verdict::DoesNotHold);
    }
}
