//! Error of a model of a subset of the observations against one of all, on the points of a search that has narrowed down.
//!
//! ```text
//! subset OBSERVATIONS SIZE           Hartmann's function in six dimensions, repeatable and with noise
//! ```
//!
//! Half of the observations are spread over the cube, half are around the minimum. Hyperparameters are learnt once, from 300 of the
//! observations, and are the same for all. The newest observations alone are there to be found worse.

use std::error::Error;

use cpu_time::ProcessTime;
use rand_distr::{Distribution, StandardNormal};
use thrifty_domain::{Domain, Points, PointsRef};
use thrifty_gp::{Gp, GpSurrogate};
use thrifty_sampling::{Seed, Sobol, Stream};
use thrifty_surrogate::Posterior;
use thrifty_testbed::{Problem, TestFunction};

/// Place of the minimum of Hartmann's function in six dimensions.
const MINIMUM: [f64; 6] = [0.201_69, 0.150_011, 0.476_874, 0.275_332, 0.311_652, 0.657_3];

/// Standard deviation of the points around the minimum.
const NEAR: f64 = 0.05;

/// Points to predict at, of each kind.
const TEST: usize = 500;

/// Observations that the hyperparameters are learnt from.
const LEARNT: usize = 300;

fn near(count: usize, rng: &mut Stream) -> Points {
    let mut points = Points::new(6);
    for _ in 0..count {
        let mut step = |m: f64| {
            let z: f64 = StandardNormal.sample(rng);
            (m + NEAR * z).clamp(0.0, 1.0)
        };
        let point: Vec<f64> = MINIMUM.iter().map(|m| step(*m)).collect();
        points.push(&point);
    }
    points
}

fn values(x: PointsRef<'_>) -> Result<Vec<f64>, Box<dyn Error>> {
    let problem = TestFunction::hartmann6();
    x.rows().map(|point| Ok(problem.truth(&problem.space().decode(point))?)).collect()
}

/// Root of the mean squared error, and the share of values within two standard deviations.
fn score(posterior: &dyn Posterior, x: &Points) -> Result<(f64, f64), Box<dyn Error>> {
    let truth = values(x.as_ref())?;
    let (mut mean, mut variance) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    posterior.predict_into(x.as_ref(), &mut mean, &mut variance);
    let errors: Vec<f64> = truth.iter().zip(&mean).map(|(y, m)| y - m).collect();
    let rmse = (errors.iter().map(|e| e * e).sum::<f64>() / x.len() as f64).sqrt();
    let within = errors.iter().zip(&variance).filter(|(e, v)| e.abs() <= 2.0 * v.sqrt()).count();
    Ok((rmse, within as f64 / x.len() as f64))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<usize> =
        std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let &[observations, size] = &arguments[..] else {
        return Err("expected a number of observations and a size".into());
    };
    let seed = Seed(1);
    let mut x = Sobol::scrambled(6, &mut seed.stream("spread", 0)).take(observations / 2);
    near(observations - x.len(), &mut seed.stream("near", 0)).rows().for_each(|row| x.push(row));
    let truth = values(x.as_ref())?;
    let spread = Sobol::scrambled(6, &mut seed.stream("test", 0)).take(TEST);
    let local = near(TEST, &mut seed.stream("test", 1));
    for noise in [0.0, 0.1] {
        let mut rng = seed.stream("noise", 0);
        let mut observed = |y: &f64| {
            let z: f64 = StandardNormal.sample(&mut rng);
            y + noise * z
        };
        let y: Vec<f64> = truth.iter().map(&mut observed).collect();
        let of = |kept: &[usize]| {
            let mut points = Points::new(6);
            kept.iter().for_each(|&i| points.push(x.row(i)));
            (points, kept.iter().map(|&i| y[i]).collect::<Vec<f64>>())
        };
        let process = GpSurrogate::default().process(&Domain::unit_cube(6))?;
        let (few, of_few) = of(&(0..LEARNT).map(|i| i * observations / LEARNT).collect::<Vec<_>>());
        let learnt = process.fit(few.as_ref(), &of_few, &mut seed.stream("fit", 0))?.hyperparameters();
        let process: Gp<_> = process.warm_started(learnt);
        let started_at = ProcessTime::now();
        let kept = process.subset(x.as_ref(), &y, size)?;
        println!("noise {noise}: subset chosen in {:.0} ms", 1e3 * started_at.elapsed().as_secs_f64());
        let newest: Vec<usize> = (observations - size..observations).collect();
        for (name, kept) in [("all", (0..observations).collect()), ("subset", kept), ("newest", newest)] {
            let (x, y) = of(&kept);
            let posterior = process.condition(x.as_ref(), &y)?;
            let ((everywhere, held), (nearby, held_nearby)) =
                (score(&posterior, &spread)?, score(&posterior, &local)?);
            println!(
                "  {name}: rmse {everywhere:.1e} everywhere, {nearby:.1e} near the minimum; within 2 standard deviations {held:.3}, {held_nearby:.3}"
            );
        }
    }
    Ok(())
}
