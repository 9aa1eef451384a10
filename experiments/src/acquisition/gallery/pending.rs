//! Points beside others that are still being evaluated.

use thrifty_acquisition::{
    Acquisition, Analytic, Average, ExpectedImprovement, Gibbon, LocalPenalties, NoisyExpectedImprovement,
    PathSearch, Weighted, fantasies, lipschitz_constant, minima_on,
};
use thrifty_domain::{Domain, Points};
use thrifty_figures::columns;
use thrifty_sampling::Seed;

use super::scene::{Curve, Scene, acquisition, grid, utilities};
use super::{Drawn, Finding};
use crate::error::ExperimentError;
use crate::harness::Figure;

pub fn pending(seed: Seed) -> Result<Drawn, ExperimentError> {
    let scene = Scene::everyday()?;
    let target = scene.best();
    let expected = || Analytic::new(&scene.posterior, ExpectedImprovement { target });
    let alone = Curve::of("EI, nothing pending", &expected());
    // What expected improvement chose before is running.
    let pending = super::scene::points(&[alone.maximizer.0]);
    let improvements = vec![
        penalized(&scene, &pending, expected())?,
        fantasised(&scene, &pending, seed)?,
        noisy(&scene, &pending, seed)?,
    ];
    let information = gibbon(&scene, &pending, seed)?;
    let at = alone.maximizer.0;
    let near = |curve: &Curve| {
        let within = curve.points.iter().filter(|p| (p.0 - at).abs() < 1e-9);
        within.map(|p| p.1).fold(f64::NEG_INFINITY, f64::max) / alone.maximizer.1
    };
    let mut findings: Vec<Finding> = improvements
        .iter()
        .map(|curve| {
            let left = near(curve);
            Finding::new(
                format!("{}: what is left of EI at the pending point", curve.label),
                left,
                left < 0.25,
            )
        })
        .collect();
    let apart = (information[1].maximizer.0 - at).abs();
    findings.push(Finding::new("GIBBON beside: distance from the pending point", apart, apart > 0.03));
    let mut curves = vec![alone];
    curves.extend(improvements);
    let mut above = scene.panel("one point is pending");
    above.series.push(scene.on_mean("pending", &pending));
    let plots = vec![above, utilities("", "improvement", &curves), utilities("", "nats", &information)];
    let figure = Figure::of(
        "pending",
        "The next point while the choice of expected improvement is running: improvement with local penalties, averaged over 64 \
         fantasies, and with the pending point in the baseline of noisy improvement (the last two are one curve: nothing is noisy); GIBBON \
         alone and beside it, cut off at -0.3.",
        columns(&[plots]),
    )?;
    Ok(Drawn { figure, findings })
}

fn penalized(scene: &Scene, pending: &Points, expected: impl Acquisition) -> Result<Curve, ExperimentError> {
    let steepest = acquisition(lipschitz_constant(&scene.posterior, grid().as_ref()))?;
    let penalties =
        acquisition(LocalPenalties::new(&scene.posterior, pending.as_ref(), scene.best(), steepest))?;
    Ok(Curve::of("local penalties", &Weighted::utility(expected).times(penalties)))
}

fn fantasised(scene: &Scene, pending: &Points, seed: Seed) -> Result<Curve, ExperimentError> {
    let rng = &mut seed.stream("fantasies", 0);
    let imagined = acquisition(fantasies(&scene.posterior, pending.as_ref(), scene.noise, 64, rng))?;
    let mut each: Vec<Box<dyn Acquisition + '_>> = Vec::new();
    for fantasy in &imagined {
        // In a fantasy the pending point may have become the best.
        let outcome = thrifty_surrogate::Posterior::predict(fantasy, pending.row(0)).mean;
        let target = scene.best().min(outcome);
        each.push(Box::new(Analytic::new(fantasy, ExpectedImprovement { target })));
    }
    Ok(Curve::of("64 fantasies", &acquisition(Average::of(each))?))
}

fn noisy(scene: &Scene, pending: &Points, seed: Seed) -> Result<Curve, ExperimentError> {
    let mut baseline = scene.x.clone();
    pending.rows().for_each(|x| baseline.push(x));
    let rng = &mut seed.stream("noisy improvement", 1);
    let noisy = acquisition(NoisyExpectedImprovement::new(&scene.posterior, baseline.as_ref(), 256, rng))?;
    Ok(Curve::of("noisy EI", &noisy))
}

fn gibbon(scene: &Scene, pending: &Points, seed: Seed) -> Result<[Curve; 2], ExperimentError> {
    let (domain, rng) = (Domain::unit_cube(1), &mut seed.stream("minimisers", 64));
    let found = minima_on(&scene.posterior, &domain, scene.x.as_ref(), &PathSearch::default(), 64, rng);
    let single = acquisition(Gibbon::new(acquisition(found)?, scene.noise))?;
    let beside = acquisition(single.clone().beside(&scene.posterior, pending.as_ref()))?;
    let beside = Curve::of("GIBBON beside", &beside);
    // Beside itself a point's information is unbounded below: cut off, to show the rest.
    let beside =
        Curve { points: beside.points.into_iter().map(|p| (p.0, p.1.max(-0.3))).collect(), ..beside };
    Ok([Curve::of("GIBBON alone", &Analytic::new(&scene.posterior, single)), beside])
}
