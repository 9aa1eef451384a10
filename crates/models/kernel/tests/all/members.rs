//! Covariances of members of a hierarchical process against their definition, member by member.

use thrifty_domain::Points;
use thrifty_kernel::{Constant, Hierarchical, Kernel, KernelWorkspace, Scaled};
use thrifty_linalg::Matrix;
use thrifty_params::Parameterized;

const COMMON: f64 = 0.7;
const DEVIATION: f64 = 1.3;

/// Members that a code stands for.
fn members(code: f64) -> Vec<usize> {
    if code >= 0.0 { vec![code as usize] } else { (0..-code as usize).collect() }
}

/// Mean over all pairs of members of 1, β within a block, or βγ between blocks.
fn by_pairs(i: f64, j: f64, beta: f64, blocks: Option<(usize, f64)>) -> f64 {
    if i == -1.0 || j == -1.0 {
        return COMMON;
    }
    let (left, right) = (members(i), members(j));
    let mut sum = 0.0;
    for a in &left {
        for b in &right {
            let between = blocks.map_or(1.0, |(size, gamma)| if a / size == b / size { 1.0 } else { gamma });
            sum += if a == b { 1.0 } else { beta * between };
        }
    }
    COMMON + DEVIATION * sum / (left.len() * right.len()) as f64
}

fn kernel(beta: f64, blocks: Option<(usize, f64)>) -> Hierarchical<Scaled<Constant>, Scaled<Constant>> {
    let kernel = Hierarchical::new(
        Scaled::new(Constant, COMMON).unwrap(),
        Scaled::new(Constant, DEVIATION).unwrap(),
        beta,
    )
    .unwrap();
    match blocks {
        Some((size, gamma)) => kernel.with_blocks(size, gamma, None).unwrap(),
        None => kernel,
    }
}

const CODES: [f64; 10] = [-1.0, 0.0, 1.0, 2.0, 3.0, 5.0, -2.0, -3.0, -4.0, -6.0];

#[test]
fn covariances_are_means_over_pairs_of_members() {
    let mut x = Points::new(2);
    CODES.iter().for_each(|code| x.push(&[0.5, *code]));
    for (beta, blocks) in [(0.4, None), (0.4, Some((2, 0.3))), (0.6, Some((3, 0.8))), (0.9, Some((1, 0.5)))] {
        let kernel = kernel(beta, blocks);
        assert_eq!((kernel.dim(), kernel.correlation()), (None, beta));
        assert_eq!(kernel.num_params(), kernel.params().len());
        let (mut cross, mut symmetric, mut diagonal) = (Matrix::default(), Matrix::default(), [0.0; 10]);
        kernel.cov_into(x.as_ref(), x.as_ref(), &mut cross);
        kernel.forward(x.as_ref(), 1.0, &mut KernelWorkspace::default(), &mut symmetric);
        kernel.diagonal_into(x.as_ref(), &mut diagonal);
        for (r, i) in CODES.iter().enumerate() {
            assert!((diagonal[r] - by_pairs(*i, *i, beta, blocks)).abs() < 1e-14, "{i} {blocks:?}");
            for (c, j) in CODES.iter().enumerate() {
                let expected = by_pairs(*i, *j, beta, blocks);
                for found in [kernel.eval(x.row(r), x.row(c)), cross[(r, c)]] {
                    assert!((found - expected).abs() < 1e-14, "{i} {j} {blocks:?}: {found} {expected}");
                }
                if r >= c {
                    assert!((symmetric[(r, c)] - expected).abs() < 1e-14, "{i} {j} {blocks:?}");
                }
            }
        }
    }
}

#[test]
fn slopes_are_those_of_the_means_over_pairs() {
    let (step, size) = (1e-6, 2);
    for (i, j) in CODES.iter().flat_map(|i| CODES.iter().map(move |j| (*i, *j))) {
        let (beta, gamma) = (0.4, 0.3);
        let mut gradient = [0.25; 4];
        kernel(beta, Some((size, gamma))).pull_back_pair(&[0.1, i], &[0.2, j], 2.0, &mut gradient);
        let at = |beta: f64, gamma: f64| by_pairs(i, j, beta, Some((size, gamma)));
        let of_beta = (at(beta + step, gamma) - at(beta - step, gamma)) / (2.0 * step);
        let of_gamma = (at(beta, gamma + step) - at(beta, gamma - step)) / (2.0 * step);
        let likeness = (at(beta, gamma) - COMMON) / DEVIATION;
        let expected = [1.0, likeness, of_beta, of_gamma];
        for (found, expected) in gradient.iter().zip(expected) {
            assert!((found - 0.25 - 2.0 * expected).abs() < 1e-8, "{i} {j}: {gradient:?} {expected:?}");
        }
    }
    let names: Vec<String> = kernel(0.4, Some((2, 0.3))).params().into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["common.variance", "deviation.variance", "correlation", "between_blocks"]);
    let mut moved = kernel(0.4, Some((2, 0.3)));
    moved.set_params(&[COMMON, DEVIATION, 0.6, 0.8]);
    assert!((moved.eval(&[0.0, 0.0], &[0.0, 3.0]) - by_pairs(0.0, 3.0, 0.6, Some((2, 0.8)))).abs() < 1e-14);
}
