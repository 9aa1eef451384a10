//! Values that only change on purpose: kernels, their slopes and their features at fixed points.
//!
//! The numbers were recorded from this crate (`made_by` in the file); that they are right is the matter of other tests.

#![allow(clippy::single_range_in_vec_init)] // a block of columns is a range, and one block is common

use serde_json::Value;
use thrifty_domain::{Domain, Points, Variable};
use thrifty_kernel::{
    Conditional, Constant, Exchangeable, Hamming, Hierarchical, Inputs, Kernel, KernelWorkspace, Linear,
    Matern12, Matern32, Matern52, Matern52Profile, MemberCode, OnColumns, Periodic, Product,
    RationalQuadratic, Scaled, SquaredExponential, Sum, Warped, WhiteNoise, contract, dimension_scaled_prior,
    for_domain,
};
use thrifty_linalg::Matrix;
use thrifty_params::Parameterized;
use thrifty_sampling::Seed;

const RECORD: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden/stability_kernel.json"));

/// Compares with the record. The tolerance leaves room for other rounding on other machines.
fn check(name: &str, found: &[f64]) {
    println!("RECORD {name} {found:?}");
    let record: Value = serde_json::from_str(RECORD).unwrap();
    let expected: Vec<f64> =
        record[name].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-7 * expected.abs().max(1e-2), "{name}: {found} {expected}");
    }
}

const L: [f64; 2] = [0.4, 0.9];

fn points() -> Points {
    Points::from_rows(&[[0.1, 0.9], [0.45, 0.2], [0.8, 0.7], [0.6, 0.5], [0.1, 0.9]]).unwrap()
}

/// A warped kernel whose exponents are not 1.
fn warped() -> Box<dyn Kernel> {
    let mut kernel = Warped::new(Scaled::new(Matern52::new(L.to_vec()).unwrap(), 1.3).unwrap(), 2).unwrap();
    let values: Vec<f64> = kernel.params().iter().map(|p| p.value).collect();
    let inner = values.len() - 4;
    let moved: Vec<f64> = values
        .iter()
        .enumerate()
        .map(|(i, v)| if i < inner { *v } else { [1.7, 0.6, 0.8, 2.3][i - inner] })
        .collect();
    kernel.set_params(&moved);
    Box::new(kernel)
}

fn kernels() -> Vec<(&'static str, Box<dyn Kernel>)> {
    let l = || L.to_vec();
    let smooth = || Matern52::new(l()).unwrap();
    let one = || Matern52::new(vec![0.5]).unwrap();
    vec![
        ("matern12", Box::new(Matern12::new(l()).unwrap())),
        ("matern32", Box::new(Matern32::new(l()).unwrap())),
        ("matern52", Box::new(smooth())),
        ("squared_exponential", Box::new(SquaredExponential::new(l()).unwrap())),
        ("rational", Box::new(RationalQuadratic::new(l()).unwrap().with_alpha(1.7).unwrap())),
        ("periodic", Box::new(Periodic::new(l(), 0.8).unwrap())),
        ("linear", Box::new(Linear::new(l()).unwrap())),
        ("constant", Box::new(Scaled::new(Constant, 0.7).unwrap())),
        ("white", Box::new(Scaled::new(WhiteNoise, 0.4).unwrap())),
        ("scaled", Box::new(Scaled::new(smooth(), 2.3).unwrap())),
        ("product", Box::new(Product::new(smooth(), Linear::new(l()).unwrap()).unwrap())),
        ("sum", Box::new(Sum::new(smooth(), Scaled::new(Constant, 0.3).unwrap()).unwrap())),
        ("on_columns", Box::new(OnColumns::new(one(), vec![1]).unwrap())),
        ("conditional", Box::new(Conditional::new(one(), vec![0], 1, 0.3).unwrap())),
        ("exchangeable", Box::new(Exchangeable::new(vec![0..1, 1..2], vec![0.3, 0.8]).unwrap())),
        ("hamming", Box::new(Hamming::new(vec![0..2], vec![0.6]).unwrap())),
        ("warped", warped()),
        ("hierarchical", Box::new(Hierarchical::new(one(), Matern32::new(vec![0.7]).unwrap(), 0.4).unwrap())),
        (
            "blocks",
            Box::new(
                Hierarchical::new(one(), Matern32::new(vec![0.7]).unwrap(), 0.4)
                    .unwrap()
                    .with_blocks(2, 0.6, None)
                    .unwrap(),
            ),
        ),
    ]
}

fn told(kernel: &dyn Kernel, x: &Points) -> Vec<f64> {
    let (n, x) = (x.len(), x.as_ref());
    let (mut cross, mut symmetric, mut diagonal) = (Matrix::default(), Matrix::default(), vec![0.0; n]);
    let mut workspace = KernelWorkspace::default();
    kernel.cov_into(x, x, &mut cross);
    kernel.forward(x, 1.5, &mut workspace, &mut symmetric);
    kernel.diagonal_into(x, &mut diagonal);
    let weights = Matrix::from_fn(n, n, |i, j| if i >= j { ((i * 3 + j) as f64).cos() } else { 0.0 });
    let mut gradient = vec![0.0; kernel.num_params()];
    let total = kernel.pull_back_params(x, &mut workspace, &weights, 0.7, &mut gradient);
    let mut found: Vec<f64> = (0..n * n).map(|at| cross[(at / n, at % n)]).collect();
    found.extend((0..n).flat_map(|j| (j..n).map(move |i| (i, j))).map(|at| symmetric[at]));
    found.extend(diagonal);
    found.extend(gradient);
    found.push(total);
    let mut slope = vec![0.0; x.dim()];
    let point: Vec<f64> = x.row(1).iter().map(|v| v + 0.07).collect();
    kernel.pull_back_input(&point, x, &vec![0.3; n], &mut slope);
    found.extend(slope);
    found.extend(kernel.params().iter().flat_map(|p| [p.value, p.low, p.high]));
    found.push(f64::from(u8::from(kernel.has_constant_variance())));
    found.push(kernel.dim().map_or(-1.0, |dim| dim as f64));
    if let Some(features) = kernel.features(6, &mut Seed(3).stream("features", 0)) {
        let (mut values, mut slope) = (vec![0.0; 6], vec![0.0; x.dim()]);
        features.eval_into(x.row(2), &mut values);
        features.pull_back(x.row(2), &[0.1, -0.2, 0.3, 0.4, -0.5, 0.6], &mut slope);
        found.extend(values);
        found.extend(slope);
    }
    found
}

#[test]
fn kernels_keep_their_values() {
    for (name, kernel) in kernels() {
        let members = ["hierarchical", "blocks"].contains(&name);
        let code = |i: usize| [0.0, 1.0, 3.0, -2.0, -1.0][i];
        let x = if members {
            Points::from_rows(&points().rows().enumerate().map(|(i, p)| [p[0], code(i)]).collect::<Vec<_>>())
                .unwrap()
        } else {
            points()
        };
        check(name, &told(&*kernel, &x));
    }
    assert_eq!(MemberCode::MeanOf(4).column(), -4.0);
}

#[test]
fn slopes_of_a_warped_kernel_are_those_of_its_values() {
    contract::gradients_match(&*warped(), points().as_ref(), 1e-6);
}

#[test]
fn kernels_of_domains_keep_their_values() {
    let domain = Domain::new(vec![
        Variable::continuous(),
        Variable::stepped(5),
        Variable::one_hot(3),
        Variable::level(4),
        Variable::continuous().when(2, vec![0]),
        Variable::one_hot(2).when(2, vec![1, 2]),
    ])
    .unwrap();
    let mut rng = Seed(4).stream("points", 0);
    let mut x = Points::from_flat((0..4 * domain.dim()).map(|_| rng.uniform()).collect(), domain.dim());
    (0..4).for_each(|i| domain.snap(x.row_mut(i)));
    for (name, inputs) in [
        ("domain_plain", Inputs { lengthscale: 0.7, bounds: (0.02, 50.0), prior: None, warped: false }),
        ("domain_warped", Inputs { lengthscale: 0.7, bounds: (0.02, 50.0), prior: None, warped: true }),
        ("domain_scaled", Inputs::for_dimension(domain.dim())),
    ] {
        let kernel = for_domain::<Matern52Profile>(&domain, &inputs).unwrap();
        check(name, &told(&*kernel, &x));
        assert_eq!(kernel.params().iter().any(|p| p.prior.is_some()), name != "domain_plain");
    }
    let densities = |dim| [0.1, 1.0, 10.0].map(|l| dimension_scaled_prior(dim).log_density(l));
    check("prior", &[1, 2, 10, 100].map(densities).concat());
}
