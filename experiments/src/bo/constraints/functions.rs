//! Published functions with constraints.

use std::f64::consts::PI;

use thrifty_space::Space;
use thrifty_testbed::TestFunction;

use super::problem::{Constrained, Function};
use crate::error::ExperimentError;

/// A function with its bounds, and its least loss where the constraints hold.
pub struct Published {
    pub name: &'static str,
    pub bounds: &'static [(f64, f64)],
    pub optimum: f64,
    pub function: fn(&[f64]) -> (f64, Vec<f64>),
}

impl Published {
    pub fn space(&self) -> Result<Space, ExperimentError> {
        let named = self.bounds.iter().enumerate();
        let builder = named
            .fold(Space::builder(), |builder, (i, (low, high))| builder.float(&format!("x{i}"), *low, *high));
        Ok(builder.build()?)
    }

    pub fn problem(&self) -> Result<Constrained, ExperimentError> {
        let function: Function = Box::new(self.function);
        Ok(Constrained::new(self.name.into(), self.space()?, function, self.optimum))
    }
}

/// Number of the functions with an active constraint at the minimum.
pub const ACTIVE: usize = 7;

/// First those with an active constraint at the minimum, then those without.
pub const FUNCTIONS: [Published; 11] = [
    Published { name: "Gardner 2", bounds: &[(0.0, 6.0); 2], optimum: 0.253_235_897_4, function: gardner_2 },
    Published { name: "Gramacy", bounds: &[(0.0, 1.0); 2], optimum: 0.599_788_052, function: gramacy },
    Published {
        name: "Townsend",
        bounds: &[(-2.25, 2.5), (-2.5, 1.75)],
        optimum: -2.023_988_390_8,
        function: townsend,
    },
    Published { name: "Simionescu", bounds: &[(-1.25, 1.25); 2], optimum: -0.072, function: simionescu },
    Published {
        name: "spring",
        bounds: &[(0.05, 2.0), (0.25, 1.3), (2.0, 15.0)],
        optimum: 0.012_665_232_8,
        function: spring,
    },
    Published {
        name: "pressure vessel",
        bounds: &[(0.0625, 6.1875), (0.0625, 6.1875), (10.0, 200.0), (10.0, 200.0)],
        optimum: 5_885.332_773_6,
        function: vessel,
    },
    Published {
        name: "welded beam",
        bounds: &[(0.1, 2.0), (0.1, 10.0), (0.1, 10.0), (0.1, 2.0)],
        optimum: 1.724_852_308_6,
        function: beam,
    },
    Published { name: "Gardner 1", bounds: &[(0.0, 6.0); 2], optimum: -2.0, function: gardner_1 },
    Published {
        name: "Mishra's bird",
        bounds: &[(-10.0, 0.0), (-6.5, 0.0)],
        optimum: -106.764_536_749,
        function: bird,
    },
    Published {
        name: "Branin in a disk",
        bounds: &[(-5.0, 10.0), (0.0, 15.0)],
        optimum: 0.397_887_357_729_739,
        function: branin,
    },
    Published {
        name: "Hartmann-6 in a ball",
        bounds: &[(0.0, 1.0); 6],
        optimum: -3.322_368_011_415_512,
        function: hartmann,
    },
];

/// Functions without constraints.
pub const FREE: [Published; 3] = [
    Published {
        name: "six-hump camel",
        bounds: &[(-3.0, 3.0), (-2.0, 2.0)],
        optimum: -1.031_628_453_489_877,
        function: |x| (TestFunction::six_hump_camel().value(x), Vec::new()),
    },
    Published {
        name: "Hartmann-3",
        bounds: &[(0.0, 1.0); 3],
        optimum: -3.862_779_787_332_662,
        function: |x| (TestFunction::hartmann3().value(x), Vec::new()),
    },
    Published {
        name: "Hartmann-6",
        bounds: &[(0.0, 1.0); 6],
        optimum: -3.322_368_011_415_512,
        function: |x| (TestFunction::hartmann6().value(x), Vec::new()),
    },
];

/// Simulation 1 of Gardner et al. (2014).
fn gardner_1(x: &[f64]) -> (f64, Vec<f64>) {
    let (x, y) = (x[0], x[1]);
    ((2.0 * x).cos() * y.cos() + x.sin(), vec![(x + y).cos() - 0.5])
}

/// Simulation 2 of Gardner et al. (2014): one point in a hundred is feasible.
fn gardner_2(x: &[f64]) -> (f64, Vec<f64>) {
    (x[0].sin() + x[1], vec![x[0].sin() * x[1].sin() + 0.95])
}

/// Gramacy et al. (2016), equation 2.
fn gramacy(x: &[f64]) -> (f64, Vec<f64>) {
    let (a, b) = (x[0], x[1]);
    let wave = 1.5 - a - 2.0 * b - 0.5 * (2.0 * PI * (a * a - 2.0 * b)).sin();
    (a + b, vec![wave, a * a + b * b - 1.5])
}

/// Townsend (2014).
fn townsend(x: &[f64]) -> (f64, Vec<f64>) {
    let (x, y) = (x[0], x[1]);
    let t = x.atan2(y);
    let waist = 2.0 * t.cos() - 0.5 * (2.0 * t).cos() - 0.25 * (3.0 * t).cos() - 0.125 * (4.0 * t).cos();
    let loss = -((x - 0.1) * y).cos().powi(2) - x * (3.0 * x + y).sin();
    (loss, vec![x * x + y * y - waist * waist - (2.0 * t.sin()).powi(2)])
}

/// Simionescu (2014).
fn simionescu(x: &[f64]) -> (f64, Vec<f64>) {
    let (x, y) = (x[0], x[1]);
    let angle = if y == 0.0 { PI / 2.0 } else { (x / y).atan() };
    (0.1 * x * y, vec![x * x + y * y - (1.0 + 0.2 * (8.0 * angle).cos()).powi(2)])
}

/// Weight of a spring under tension and compression: Coello Coello (2000).
fn spring(x: &[f64]) -> (f64, Vec<f64>) {
    let (wire, coil, turns) = (x[0], x[1], x[2]);
    let (w2, w3, w4) = (wire.powi(2), wire.powi(3), wire.powi(4));
    let deflection = 1.0 - coil.powi(3) * turns / (71_785.0 * w4);
    let shear =
        (4.0 * coil * coil - wire * coil) / (12_566.0 * (coil * w3 - w4)) + 1.0 / (5_108.0 * w2) - 1.0;
    let surge = 1.0 - 140.45 * wire / (coil * coil * turns);
    ((turns + 2.0) * coil * w2, vec![deflection, shear, surge, (wire + coil) / 1.5 - 1.0])
}

/// Cost of a pressure vessel of continuous thickness: Coello Coello (2000).
fn vessel(x: &[f64]) -> (f64, Vec<f64>) {
    let (shell, head, radius, length) = (x[0], x[1], x[2], x[3]);
    let cost = 0.6224 * shell * radius * length
        + 1.7781 * head * radius * radius
        + 3.1661 * shell * shell * length
        + 19.84 * shell * shell * radius;
    let volume = PI * radius * radius * length + 4.0 / 3.0 * PI * radius.powi(3);
    (cost, vec![0.0193 * radius - shell, 0.00954 * radius - head, 1_296_000.0 - volume, length - 240.0])
}

/// Cost of a welded beam: Coello Coello (2000).
fn beam(x: &[f64]) -> (f64, Vec<f64>) {
    let (weld, joint, depth, width) = (x[0], x[1], x[2], x[3]);
    let (load, length, young, shear) = (6_000.0, 14.0, 30e6, 12e6);
    let arm = (joint * joint / 4.0 + weld.midpoint(depth).powi(2)).sqrt();
    let moment = load * (length + joint / 2.0);
    let polar = 2.0 * (2_f64.sqrt() * weld * joint) * (joint * joint / 12.0 + weld.midpoint(depth).powi(2));
    let (direct, bending) = (load / (2_f64.sqrt() * weld * joint), moment * arm / polar);
    let stress = (direct * direct + direct * bending * joint / arm + bending * bending).sqrt();
    let normal = 6.0 * load * length / (width * depth * depth);
    let deflection = 4.0 * load * length.powi(3) / (young * depth.powi(3) * width);
    let buckling = 4.013 * young * (depth * depth * width.powi(6) / 36.0).sqrt() / (length * length)
        * (1.0 - depth / (2.0 * length) * (young / (4.0 * shear)).sqrt());
    let cost = 1.104_71 * weld * weld * joint + 0.048_11 * depth * width * (14.0 + joint);
    let material = 0.104_71 * weld * weld + 0.048_11 * depth * width * (14.0 + joint) - 5.0;
    let constraints = vec![
        stress - 13_600.0,
        normal - 30_000.0,
        weld - width,
        material,
        0.125 - weld,
        deflection - 0.25,
        load - buckling,
    ];
    (cost, constraints)
}

/// Mishra (2006), in a disk.
fn bird(x: &[f64]) -> (f64, Vec<f64>) {
    let (x, y) = (x[0], x[1]);
    let loss =
        y.sin() * (1.0 - x.cos()).powi(2).exp() + x.cos() * (1.0 - y.sin()).powi(2).exp() + (x - y).powi(2);
    (loss, vec![(x + 5.0).powi(2) + (y + 5.0).powi(2) - 25.0])
}

/// Branin's function in a disk that leaves one of its minima out.
fn branin(x: &[f64]) -> (f64, Vec<f64>) {
    let outside = (x[0] - 2.5).powi(2) + (x[1] - 7.5).powi(2) - 50.0;
    (TestFunction::branin().value(x), vec![outside])
}

/// Letham et al. (2019): Hartmann's function where the norm is at most 1.
fn hartmann(x: &[f64]) -> (f64, Vec<f64>) {
    (TestFunction::hartmann6().value(x), vec![x.iter().map(|x| x * x).sum::<f64>().sqrt() - 1.0])
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::super::problem::within;
    use super::*;

    /// A long search finds the published optimum of each function, and nothing below it.
    #[test]
    fn optima_are_those_of_a_long_search() {
        for (i, published) in FUNCTIONS.iter().chain(&FREE).enumerate() {
            let bounds = published.bounds;
            let of_cube = |u: &[f64]| {
                let x: Vec<f64> =
                    u.iter().zip(bounds).map(|(u, (low, high))| low + u * (high - low)).collect();
                (published.function)(&x)
            };
            let found = within(&of_cube, bounds.len(), &mut Seed(1).stream("search", 0)).unwrap();
            let error = (found.loss - published.optimum) / published.optimum;
            assert!(error.abs() < 5e-5, "{}: {found:?}", published.name);
            assert_eq!(found.constraint > -1e-5, i < ACTIVE, "{}: {found:?}", published.name);
        }
    }
}
