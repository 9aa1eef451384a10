//! Information about the minimum, and drawn functions.

use thrifty_acquisition::{
    Analytic, EntropySearch, Gibbon, Gumbel, JointEntropySearch, MaxValueEntropySearch, Minimizer,
    MinimizerDistribution, PathSearch, PredictiveEntropySearch, ThompsonPath, choose_anchors, minimizers_on,
};
use thrifty_domain::{Domain, Points};
use thrifty_figures::{Series, columns};
use thrifty_sampling::Seed;
use thrifty_surrogate::Posterior;

use super::scene::{Curve, Scene, acquisition, column, grid, marked, points, utilities};
use super::{Drawn, Finding};
use crate::error::ExperimentError;
use crate::harness::Figure;

fn minimizers(scene: &Scene, count: usize, seed: Seed) -> Result<Vec<Minimizer>, ExperimentError> {
    let rng = &mut seed.stream("minimisers", count as u64);
    let domain = Domain::unit_cube(1);
    acquisition(minimizers_on(
        &scene.posterior,
        &domain,
        scene.x.as_ref(),
        &PathSearch::default(),
        count,
        rng,
    ))
}

fn values(minimizers: &[Minimizer]) -> Vec<f64> {
    minimizers.iter().map(|minimizer| minimizer.value).collect()
}

fn both(scene: &Scene, seed: Seed) -> Result<[Curve; 2], ExperimentError> {
    let minima = values(&minimizers(scene, 64, seed)?);
    let max_value = acquisition(MaxValueEntropySearch::new(minima.clone()))?;
    let gibbon = acquisition(Gibbon::new(minima, scene.noise))?;
    Ok([
        Curve::of("MES", &Analytic::new(&scene.posterior, max_value)),
        Curve::of("GIBBON", &Analytic::new(&scene.posterior, gibbon)),
    ])
}

/// A valley measured a dozen times, the other end hardly: noise hides what MES still hopes to learn in the valley.
fn worn() -> Result<Scene, ExperimentError> {
    let mut seen: Vec<(f64, f64)> = (0..24)
        .map(|i| {
            let x = 0.16 + 0.012 * f64::from(i);
            (x, 9.0 * (x - 0.3) * (x - 0.3) - 0.9 + if i % 2 == 0 { 0.5 } else { -0.5 })
        })
        .collect();
    seen.extend([(0.02, 0.3), (0.6, 0.4), (0.98, 0.2)]);
    Scene::new(&seen, 0.16, 0.5)
}

pub fn max_value(seed: Seed) -> Result<Drawn, ExperimentError> {
    let (quiet, noisy) = (Scene::everyday()?, worn()?);
    let (calm, loud) = (both(&quiet, seed)?, both(&noisy, seed)?);
    let std_dev = |x: f64| noisy.posterior.predict(&[x]).variance.sqrt();
    let (by_mes, by_gibbon) = (std_dev(loud[0].maximizer.0), std_dev(loud[1].maximizer.0));
    let findings = vec![
        Finding::number("MES under noise: deviation where it looks", by_mes),
        Finding::new("GIBBON under noise: deviation where it looks", by_gibbon, by_gibbon > by_mes),
    ];
    let all = [
        column(&quiet, "without noise", "nats", &calm),
        column(&noisy, "noise, standard deviation 0.71", "nats", &loud),
    ];
    let figure = Figure::of(
        "max-value",
        "MES takes the value for visible: under noise it returns to the valley it has measured 24 times, where one more \
         observation tells next to nothing. GIBBON counts the noise and looks where more is left to learn.",
        columns(&all),
    )?;
    Ok(Drawn { figure, findings })
}

/// Minima by the Gumbel distribution and from drawn functions.
pub fn minima(seed: Seed) -> Result<Drawn, ExperimentError> {
    let scene = Scene::everyday()?;
    let drawn = values(&minimizers(&scene, 64, seed)?);
    let gumbel = acquisition(Gumbel::of(&scene.posterior, grid().as_ref()))?.minima(64);
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let gap = mean(&drawn) - mean(&gumbel);
    let of = |label: &str, minima: Vec<f64>| -> Result<Curve, ExperimentError> {
        let utility = acquisition(Gibbon::new(minima, scene.noise))?;
        Ok(Curve::of(label, &Analytic::new(&scene.posterior, utility)))
    };
    let curves = [of("minima of drawn functions", drawn)?, of("minima from a Gumbel distribution", gumbel)?];
    let findings = vec![Finding::new("Gumbel minima: how much too low", gap, gap > 0.0)];
    let figure = Figure::of(
        "minima",
        "GIBBON on minima of 64 drawn functions and on those of a Gumbel distribution, which treats 401 points as independent: its minima \
         are too low, and the utility leans to uncertain points.",
        columns(&[column(&scene, "two ways to sample minima", "nats", &curves)]),
    )?;
    Ok(Drawn { figure, findings })
}

pub fn joint_entropy(seed: Seed) -> Result<Drawn, ExperimentError> {
    let scene = Scene::everyday()?;
    let minimizers = minimizers(&scene, 32, seed)?;
    let search = acquisition(JointEntropySearch::on(&scene.posterior, &minimizers, scene.noise))?;
    let curves = [Curve::of("JES", &search)];
    let mut above = marked(scene.panel("32 sampled minimisers"), &curves);
    above.series.push(Series::dots("minimisers", minimizers.iter().map(|m| (m.x[0], m.value)).collect()));
    let figure = Figure::of(
        "joint-entropy",
        "Joint entropy search: what an observation tells of where the minimum is and how low, on 32 sampled minimisers; it has \
         kinks where they are.",
        columns(&[vec![above, utilities("", "nats", &curves)]]),
    )?;
    let low = curves[0].points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    Ok(Drawn {
        figure,
        findings: vec![Finding::new("joint entropy search: its least value", low, low > -0.05)],
    })
}

pub fn entropy_search(seed: Seed) -> Result<Drawn, ExperimentError> {
    let scene = Scene::everyday()?;
    let law = |representers: &Points| {
        let rng = &mut seed.stream("law", 0);
        acquisition(MinimizerDistribution::new(
            &scene.posterior,
            representers.as_ref(),
            scene.noise,
            256,
            rng,
        ))
    };
    let both = |representers: &Points| -> Result<[Curve; 2], ExperimentError> {
        Ok([
            Curve::of("ES", &EntropySearch::new(law(representers)?)),
            Curve::of("PES", &PredictiveEntropySearch::new(law(representers)?)),
        ])
    };
    let pool = points(&(0..=40).map(|i| f64::from(i) / 40.0).collect::<Vec<f64>>());
    let rng = &mut seed.stream("representers", 0);
    let chosen = acquisition(choose_anchors(&scene.posterior, pool.as_ref(), 16, rng))?;
    let left = points(&(0..16).map(|i| 0.2 + 0.02 * f64::from(i)).collect::<Vec<f64>>());
    let (well, blind) = (both(&chosen)?, both(&left)?);
    let beyond =
        |curves: &[Curve; 2]| curves[0].points.iter().filter(|p| p.0 > 0.6).map(|p| p.1).fold(0.0, f64::max);
    let differs =
        well[0].points.iter().zip(&well[1].points).map(|(a, b)| (a.1 - b.1).abs()).fold(0.0, f64::max);
    let findings = vec![
        Finding::new(
            "entropy search and predictive entropy search: largest difference",
            differs,
            differs < 1e-9,
        ),
        Finding::new("entropy search: most it sees right of 0.6", beyond(&well), beyond(&well) > 0.1),
        Finding::new("the same, blind", beyond(&blind), beyond(&blind) < 0.25 * beyond(&well)),
    ];
    let one = |title: &str, representers: &Points, curves: &[Curve; 2]| {
        let mut above = marked(scene.panel(title), curves);
        above.series.push(scene.on_mean("representers", representers));
        vec![above, utilities("", "nats", curves)]
    };
    let figure = Figure::of(
        "entropy-search",
        "Entropy search on 16 representers, from both sides: the curves are one. Right: representers that leave out where the \
         minimum may also be; the search is blind there.",
        columns(&[
            one("representers that may be best", &chosen, &well),
            one("representers of one valley", &left, &blind),
        ]),
    )?;
    Ok(Drawn { figure, findings })
}

pub fn thompson(seed: Seed) -> Result<Drawn, ExperimentError> {
    let scene = Scene::everyday()?;
    let curves: Vec<Curve> = (0..8)
        .map(|i| {
            let path = acquisition(ThompsonPath::drawn(&scene.posterior, &mut seed.stream("path", i)))?;
            Ok(Curve::of(&format!("draw {}", i + 1), &path))
        })
        .collect::<Result<_, ExperimentError>>()?;
    let choices: Vec<f64> = curves.iter().map(|c| c.maximizer.0).collect();
    let spread = choices.iter().copied().fold(0.0, f64::max) - choices.iter().copied().fold(1.0, f64::min);
    let figure = Figure::of(
        "thompson",
        "Thompson sampling: eight drawn functions, turned over, and the point that each chooses; so many workers would take one each.",
        columns(&[column(&scene, "posterior and eight draws", "minus the draw", &curves)]),
    )?;
    Ok(Drawn {
        figure,
        findings: vec![Finding::new("Thompson: spread of eight choices", spread, spread > 0.1)],
    })
}
