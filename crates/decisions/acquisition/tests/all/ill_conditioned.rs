//! Ill-conditioned processes: huge and tiny targets, points that nearly coincide, constant and stepped losses. No acquisition is
//! NaN there, and where its value is finite its gradient is.

use thrifty_acquisition::{
    Acquisition, Analytic, Average, ConfidenceBound, EntropySearch, ExpectedImprovement, Gibbon, Gumbel,
    JointEntropySearch, KnowledgeGradient, LocalPenalties, LogExpectedImprovement, LogFeasibility,
    LogProbabilityOfImprovement, MaxStdDev, MaxValueEntropySearch, MinimizerDistribution,
    NoisyExpectedImprovement, OneShotKnowledgeGradient, PathSearch, PosteriorMean, PredictiveEntropySearch,
    ProbabilityOfImprovement, ThompsonPath, Weighted, choose_anchors, fantasies, lipschitz_constant,
    minimizers_on,
};
use thrifty_domain::{Domain, Points};
use thrifty_gp::{Gp, GpPosterior, GpSettings, Noise};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_sampling::{Seed, Stream};

/// Points of which some nearly coincide.
fn points(count: usize, rng: &mut Stream) -> Points {
    let mut points = Points::new(2);
    for i in 0..count {
        if i > 0 && rng.uniform() < 0.4 {
            let near = 10_f64.powf(-2.0 - 12.0 * rng.uniform());
            let mut point = points.row(rng.index(i)).to_vec();
            point.iter_mut().for_each(|v| *v = (*v + near * (rng.uniform() - 0.5)).clamp(0.0, 1.0));
            points.push(&point);
        } else {
            points.push(&[rng.uniform(), rng.uniform()]);
        }
    }
    points
}

fn targets(x: &Points, scale: f64, kind: usize, rng: &mut Stream) -> Vec<f64> {
    let each = |p: &[f64]| match kind {
        0 => (6.0 * p[0]).sin() + p[1],
        1 => 1.0,
        2 => f64::from(u8::from(p[0] > 0.5)),
        _ => (20.0 * p[0] - 10.0).exp(),
    };
    let noise = 10_f64.powf(-16.0 * rng.uniform());
    x.rows().map(|p| scale * (each(p) + noise * (rng.uniform() - 0.5))).collect()
}

fn process(seed: u64) -> Option<(Points, Vec<f64>, GpPosterior<Scaled<Matern52>>)> {
    let mut rng = Seed(seed).stream("data", 0);
    let exponents = [-300.0, -150.0, -30.0, -8.0, 0.0, 0.0, 8.0, 30.0, 100.0, 150.0];
    let scale = 10_f64.powf(exponents[rng.index(exponents.len())]);
    let (count, kind) = (2 + rng.index(12), rng.index(4));
    let x = points(count, &mut rng);
    let y = targets(&x, scale, kind, &mut rng);
    let process = if rng.uniform() < 0.5 {
        Gp::matern52(2).fit(x.as_ref(), &y, &mut rng).ok()
    } else {
        let settings =
            GpSettings { noise: Noise::Fixed(10_f64.powf(-14.0 * rng.uniform())), ..GpSettings::default() };
        Gp::matern52(2).with_settings(settings).condition(x.as_ref(), &y).ok()
    };
    process.map(|process| (x, y, process))
}

/// Names of values and gradients that are no numbers.
fn faults(name: &str, seed: u64, acquisition: &dyn Acquisition, at: &Points, found: &mut Vec<String>) {
    let (mut values, mut gradients) = (vec![0.0; at.len()], vec![0.0; at.len() * at.dim()]);
    let mut alone = vec![0.0; at.len()];
    acquisition.values_into(at.as_ref(), &mut alone);
    let differentiable = acquisition.values_with_gradients_into(at.as_ref(), &mut values, &mut gradients);
    for (i, gradient) in gradients.chunks_exact(at.dim()).enumerate() {
        if alone[i].is_nan() || (differentiable && values[i].is_nan()) {
            found.push(format!("{name}, seed {seed}: value {} {} at {:?}", alone[i], values[i], at.row(i)));
        }
        if differentiable && gradient.iter().any(|g| g.is_nan()) {
            found.push(format!(
                "{name}, seed {seed}: {} has the gradient {gradient:?} at {:?}",
                values[i],
                at.row(i)
            ));
        }
    }
}

fn of_moments(
    seed: u64,
    posterior: &GpPosterior<Scaled<Matern52>>,
    best: f64,
    at: &Points,
    found: &mut Vec<String>,
) {
    for target in [best, best - 1e-3 * best.abs(), best + best.abs()] {
        let moments: [(&str, Box<dyn thrifty_acquisition::Utility>); 8] = [
            ("PI", Box::new(ProbabilityOfImprovement { target })),
            ("log PI", Box::new(LogProbabilityOfImprovement { target })),
            ("EI", Box::new(ExpectedImprovement { target })),
            ("log EI", Box::new(LogExpectedImprovement { target })),
            ("feasibility", Box::new(LogFeasibility { threshold: target })),
            ("bound", Box::new(ConfidenceBound { beta: 4.0 })),
            ("mean", Box::new(PosteriorMean)),
            ("deviation", Box::new(MaxStdDev)),
        ];
        for (name, utility) in moments {
            faults(name, seed, &Analytic::new(posterior, utility), at, found);
        }
    }
    let log_ei = || Analytic::new(posterior, LogExpectedImprovement { target: best });
    let feasible = || Analytic::new(posterior, LogFeasibility { threshold: best });
    faults("weighted log EI", seed, &Weighted::log_utility(log_ei()).times(feasible()), at, found);
    let ei = Analytic::new(posterior, ExpectedImprovement { target: best });
    faults("weighted EI", seed, &Weighted::utility(ei).times(feasible()), at, found);
}

fn check(seed: u64, found: &mut Vec<String>) {
    let Some((x, y, posterior)) = process(seed) else { return };
    let mut rng = Seed(seed).stream("acquisitions", 0);
    let best = y.iter().copied().fold(f64::INFINITY, f64::min);
    let noise = posterior.noise_variance();
    let mut at = points(6, &mut rng);
    // On, and nearly on, what was measured.
    for i in 0..x.len().min(4) {
        at.push(x.row(i));
        let near = 10_f64.powf(-3.0 - 12.0 * rng.uniform());
        at.push(&[(x.row(i)[0] + near).min(1.0), x.row(i)[1]]);
    }
    let pool = points(40, &mut rng);
    of_moments(seed, &posterior, best, &at, found);
    if let Ok(steepest) = lipschitz_constant(&posterior, pool.as_ref())
        && let Ok(penalties) = LocalPenalties::new(&posterior, x.as_ref(), best, steepest)
    {
        faults("penalties", seed, &penalties, &at, found);
    }
    if let Ok(path) = ThompsonPath::drawn(&posterior, &mut rng) {
        faults("path", seed, &path, &at, found);
    }
    match NoisyExpectedImprovement::new(&posterior, x.as_ref(), 16, &mut rng) {
        Ok(noisy) => {
            faults("NEI", seed, &noisy, &at, found);
            faults("log NEI", seed, &noisy.logarithm(), &at, found);
        }
        Err(error) => found.push(format!("NEI, seed {seed}: {error}")),
    }
    match fantasies(&posterior, pool.as_ref().slice(0, 3), noise, 4, &mut rng) {
        Ok(imagined) => {
            let each = imagined.iter().map(|p| {
                Box::new(Analytic::new(p, LogExpectedImprovement { target: best })) as Box<dyn Acquisition>
            });
            faults("fantasies", seed, &Average::of_logarithms(each.collect()).unwrap(), &at, found);
        }
        Err(error) => found.push(format!("fantasies, seed {seed}: {error}")),
    }
    let anchors = match choose_anchors(&posterior, pool.as_ref(), 12, &mut rng) {
        Ok(anchors) => anchors,
        Err(error) => return found.push(format!("anchors, seed {seed}: {error}")),
    };
    for anchors in [&anchors, &x] {
        let knowledge = || KnowledgeGradient::new(&posterior, anchors.as_ref(), noise).unwrap();
        faults("KG", seed, &knowledge(), &at, found);
        faults("KG among anchors", seed, &knowledge().among_anchors(), &at, found);
        faults("log KG", seed, &knowledge().logarithm(), &at, found);
        faults("log KG among anchors", seed, &knowledge().among_anchors().logarithm(), &at, found);
        match MinimizerDistribution::new(&posterior, anchors.as_ref(), noise, 32, &mut rng) {
            Ok(law) => faults("ES", seed, &EntropySearch::new(law), &at, found),
            Err(error) => found.push(format!("ES, seed {seed}: {error}")),
        }
        if let Ok(law) = MinimizerDistribution::new(&posterior, anchors.as_ref(), noise, 32, &mut rng) {
            faults("PES", seed, &PredictiveEntropySearch::new(law), &at, found);
        }
    }
    if let Ok(gumbel) = Gumbel::of(&posterior, pool.as_ref()) {
        let minima = gumbel.minima(6);
        if let Ok(utility) = MaxValueEntropySearch::new(minima.clone()) {
            faults("MES", seed, &Analytic::new(&posterior, utility), &at, found);
        }
        if let Ok(utility) = Gibbon::new(minima, noise) {
            faults("GIBBON", seed, &Analytic::new(&posterior, utility.clone()), &at, found);
            match utility.beside(&posterior, x.as_ref()) {
                Ok(batch) => faults("GIBBON beside others", seed, &batch, &at, found),
                Err(error) => found.push(format!("GIBBON beside others, seed {seed}: {error}")),
            }
        }
    }
    let search = PathSearch { raw: 32, climbs: 1 };
    if let Ok(found_minimizers) =
        minimizers_on(&posterior, &Domain::unit_cube(2), x.as_ref(), &search, 4, &mut rng)
        && let Ok(joint) = JointEntropySearch::on(&posterior, &found_minimizers, noise)
    {
        faults("JES", seed, &joint, &at, found);
    }
    if let Ok(one_shot) = OneShotKnowledgeGradient::new(&posterior, 2, 3, noise, best, &mut rng) {
        let mut together = Points::new(10);
        for _ in 0..4 {
            together.push(points(5, &mut rng).as_flat());
        }
        together.push(&x.row(0).repeat(5));
        faults("one-shot KG", seed, &one_shot, &together, found);
    }
}

#[test]
fn values_and_gradients_are_numbers() {
    let mut found = Vec::new();
    (0..300).for_each(|seed| check(seed, &mut found));
    assert!(
        found.is_empty(),
        "{} faults, the first:\n{}",
        found.len(),
        found[..found.len().min(20)].join("\n")
    );
}
