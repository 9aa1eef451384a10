//! Expectation propagation for a normal vector truncated on one side in each component.

use thrifty_linalg::{Cholesky, JitterLadder, Matrix, subtract_inner_products};
use thrifty_prob::{log_cdf, log_h_derivative, truncated_variance, truncation_loss};

use crate::CensoredError;

/// Smallest ratio of posterior to prior variance at which the cavity is computed from the posterior moments. Below it too few digits are left.
const CANCELLED: f64 = 1e-5;

/// Largest distance on the wrong side of a bound, in standard deviations. The log probability, about -z²/2, is finite there.
const FARTHEST: f64 = 1e100;

/// Side of a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// At most the bound.
    Below,
    /// At least the bound.
    Above,
}

/// Bound of one component: it lies on one side of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// The number.
    pub at: f64,
    /// The side of the number on which the component lies.
    pub side: Side,
}

/// Settings of expectation propagation.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Propagation {
    /// Largest number of sweeps over all bounds; after it the posterior reports that it has not converged.
    pub max_sweeps: usize,
    /// Convergence tolerance: the largest change of a mean or standard deviation per sweep, in prior standard
    /// deviations.
    pub tolerance: f64,
    /// Share of each update that is applied, in (0, 1].
    pub step: f64,
}

impl Default for Propagation {
    /// 100 sweeps, tolerance 1e-8, full steps. Bounds are log-concave, and sequential updates of such sites converge in practice (Rasmussen
    /// & Williams, 2006, section 3.6).
    fn default() -> Self {
        Self { max_sweeps: 100, tolerance: 1e-8, step: 1.0 }
    }
}

impl Propagation {
    pub(crate) fn validate(&self) -> Result<(), CensoredError> {
        let check = |name, value: f64, holds, expected| {
            if holds { Ok(()) } else { Err(CensoredError::InvalidSetting { name, value, expected }) }
        };
        check("max_sweeps", self.max_sweeps as f64, self.max_sweeps > 0, "at least 1")?;
        let tolerance = self.tolerance;
        check("tolerance", tolerance, tolerance > 0.0 && tolerance.is_finite(), "a positive finite number")?;
        check("step", self.step, self.step > 0.0 && self.step <= 1.0, "a share in (0, 1]")
    }
}

/// Normal observations that replace bounds: exp(-½ τ y² + ν y) each.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sites {
    /// Precisions τ ≥ 0; a site with precision 0 has no effect.
    pub precision: Vec<f64>,
    /// Shifts ν: τ times the pseudo-target. The pseudo-target is relative to the mean of the vector.
    pub shift: Vec<f64>,
}

/// Approximation of a truncated normal vector by expectation propagation.
#[derive(Debug, Clone)]
pub struct Truncated {
    /// Sites that replace the bounds.
    pub sites: Sites,
    /// Means of the truncated vector.
    pub mean: Vec<f64>,
    /// Covariances of the truncated vector.
    pub covariance: Matrix,
    /// Log probability that the vector satisfies all bounds.
    pub log_probability: f64,
    /// Number of sweeps over all bounds.
    pub sweeps: usize,
    /// True if the changes in the last sweep were within the tolerance.
    pub converged: bool,
}

/// Moments of a normal vector with one bound per component, and the probability that it satisfies them.
///
/// ```text
/// site i:  z = s(c - μ)/√V,  1/τ = V v(z)/(1 - v(z)),  target = μ - s √V w(z)⁻¹,   w = z + φ(z)/Φ(z)
/// log p = Σ ln Φ(z_i) + ½ ln(1 + τ_i V_i) + ½ τ_i (t_i - μ_i)²/(1 + τ_i V_i) - ½ ln|B| - ½ tᵀ S B⁻¹ S t,   B = I + S C S,  S = √diag τ
/// ```
///
/// s = 1 for upper bounds and -1 for lower ones; c is the bound. μ and V are the mean and variance of component i without its own bound. v
/// is the variance of a truncated standard normal variable; φ and Φ are the standard normal density and distribution function. t is the
/// pseudo-target and C the prior covariance.
///
/// The result is exact for independent components. Both tails are computed without cancellation.
///
/// The sites of `start` are used if there is one per component. Cost: about 3 n³ flops per sweep.
/// Source: Minka (2001); Rasmussen & Williams (2006), alg. 3.5; departures: truncation in place of the probit, and the sites in closed form.
///
/// # Errors
/// [`CensoredError::Contradiction`] for a component without variance on the wrong side of its bound; otherwise a covariance that is not
/// positive definite.
///
/// # Panics
/// If the sizes do not match.
pub fn expectation_propagation(
    mean: &[f64],
    covariance: &Matrix,
    bounds: &[Bound],
    settings: &Propagation,
    start: Option<&Sites>,
) -> Result<Truncated, CensoredError> {
    let n = mean.len();
    assert!(bounds.len() == n && covariance.rows() == n && covariance.cols() == n, "one bound a component");
    settings.validate()?;
    let fits = |sites: &&Sites| sites.precision.len() == n && sites.shift.len() == n;
    let sites =
        start.filter(fits).cloned().unwrap_or_else(|| Sites { precision: vec![0.0; n], shift: vec![0.0; n] });
    let mut state =
        State { prior: mean, covariance, bounds, sites, moments: Moments::default(), of_sites: 0.0 };
    state.recompute()?;
    let (mut sweeps, mut converged) = (0, n == 0);
    while sweeps < settings.max_sweeps && !converged {
        let before = (state.moments.mean.clone(), diagonal(&state.moments.covariance));
        (0..n).try_for_each(|i| state.update(i, settings.step))?;
        state.recompute()?;
        sweeps += 1;
        converged = (0..n).all(|i| {
            let scale = settings.tolerance * covariance[(i, i)].max(0.0).sqrt();
            let std_dev = state.moments.covariance[(i, i)].max(0.0).sqrt();
            (state.moments.mean[i] - before.0[i]).abs() <= scale
                && (std_dev - before.1[i].max(0.0).sqrt()).abs() <= scale
        });
    }
    let log_probability = state.log_probability();
    let State { sites, moments: Moments { mean: shifts, covariance }, .. } = state;
    let mean = mean.iter().zip(shifts).map(|(prior, shift)| prior + shift).collect();
    Ok(Truncated { sites, mean, covariance, log_probability, sweeps, converged })
}

/// Moments of the vector relative to its prior mean.
#[derive(Default)]
struct Moments {
    mean: Vec<f64>,
    covariance: Matrix,
}

struct State<'a> {
    prior: &'a [f64],
    covariance: &'a Matrix,
    bounds: &'a [Bound],
    sites: Sites,
    moments: Moments,
    /// -½ ln|B| - ½ tᵀ S B⁻¹ S t.
    of_sites: f64,
}

/// Cavity distribution: a component without its own site, and its distance from the bound.
struct Cavity {
    mean: f64,
    variance: f64,
    /// s(c - μ)/√V.
    z: f64,
}

impl State<'_> {
    fn sign(&self, i: usize) -> f64 {
        if self.bounds[i].side == Side::Below { 1.0 } else { -1.0 }
    }

    /// `None` if no variance is left to bound.
    fn cavity(&self, i: usize) -> Option<Cavity> {
        let (own, variance) = (self.covariance[(i, i)], self.moments.covariance[(i, i)].max(0.0));
        let (tau, nu) = (self.sites.precision[i], self.sites.shift[i]);
        if variance < CANCELLED * own && tau > 0.0 {
            return self.cavity_from_the_others(i);
        }
        // Rounding must not raise it above the prior variance.
        let without = (variance / (1.0 - tau * variance).max(f64::MIN_POSITIVE)).min(own);
        if without.is_nan() || without <= own * 1e-15 {
            return None;
        }
        let mean = self.moments.mean[i] + without * (tau * self.moments.mean[i] - nu);
        Some(self.cavity_of(i, mean, without))
    }

    /// Cavity from the sites of all other components, for when rounding dominates the remaining variance.
    ///
    /// Cost: n³/3 flops.
    fn cavity_from_the_others(&self, i: usize) -> Option<Cavity> {
        let mut others = self.sites.clone();
        // A shift has no effect without precision.
        others.precision[i] = 0.0;
        let root = roots(&others);
        let factor = Cholesky::new(&self.scaled_covariance(&root), &JitterLadder::default()).ok()?;
        let mut white: Vec<f64> = root.iter().zip(self.covariance.column(i)).map(|(r, c)| r * c).collect();
        factor.solve_lower_in_place(&mut white);
        let mut targets = scaled_targets(&others, &root);
        factor.solve_lower_in_place(&mut targets);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let variance = self.covariance[(i, i)] - dot(&white, &white);
        if variance.is_nan() || variance <= self.covariance[(i, i)] * 1e-15 {
            return None;
        }
        let mean = dot(&white, &targets);
        Some(self.cavity_of(i, mean, variance))
    }

    /// Cavity of given moments, with its signed distance from the bound.
    fn cavity_of(&self, i: usize, mean: f64, variance: f64) -> Cavity {
        let z = self.sign(i) * (self.bounds[i].at - self.prior[i] - mean) / variance.sqrt();
        Cavity { mean, variance, z }
    }

    /// Updates the site of one component, and the moments of all components.
    fn update(&mut self, i: usize, step: f64) -> Result<(), CensoredError> {
        let Some(Cavity { mean, variance, z }) = self.cavity(i) else { return self.require_kept(i) };
        if z < -FARTHEST || z.is_nan() {
            return Err(CensoredError::Contradiction { index: i, std_devs: -z });
        }
        let precision = truncation_loss(z) / (truncated_variance(z) * variance);
        let target = mean - self.sign(i) * variance.sqrt() * log_h_derivative(z);
        let (tau, nu) = (self.sites.precision[i], self.sites.shift[i]);
        let (more_tau, more_nu) = (step * (precision - tau), step * (precision * target - nu));
        self.sites.precision[i] = tau + more_tau;
        self.sites.shift[i] = nu + more_nu;
        // Σ - Δτ/(1 + Δτ Σ_ii) Σ_i Σ_iᵀ
        let moments = &mut self.moments;
        let column = moments.covariance.column(i).to_vec();
        let damped = 1.0 + more_tau * column[i];
        let shift = (more_nu - more_tau * moments.mean[i]) / damped;
        for (j, of_j) in column.iter().enumerate() {
            let factor = more_tau / damped * of_j;
            let target = moments.covariance.column_mut(j).iter_mut();
            target.zip(&column).for_each(|(slot, of_i)| *slot -= factor * of_i);
            moments.mean[j] += shift * of_j;
        }
        Ok(())
    }

    /// Checks that a component without variance is on the allowed side of its bound.
    fn require_kept(&self, i: usize) -> Result<(), CensoredError> {
        let beyond = self.sign(i) * (self.prior[i] + self.moments.mean[i] - self.bounds[i].at);
        if beyond <= 1e-9 * self.bounds[i].at.abs().max(self.prior[i].abs()).max(f64::MIN_POSITIVE) {
            return Ok(());
        }
        Err(CensoredError::Contradiction { index: i, std_devs: f64::INFINITY })
    }

    /// Recomputes the moments from the sites: Σ = C - (L⁻¹SC)ᵀ L⁻¹SC and μ = C S B⁻¹ S t, with L Lᵀ = B. Also computes the sites' part of
    /// the log probability.
    fn recompute(&mut self) -> Result<(), CensoredError> {
        let n = self.prior.len();
        let root = roots(&self.sites);
        let factor = Cholesky::new(&self.scaled_covariance(&root), &JitterLadder::default())?;
        let mut white = self.scaled_rows(&root);
        factor.solve_lower_matrix_in_place(&mut white);
        let mut posterior = self.covariance.clone();
        subtract_inner_products(&mut posterior, &white, &white);
        let mut targets = scaled_targets(&self.sites, &root);
        factor.solve_lower_in_place(&mut targets);
        let fit: f64 = targets.iter().map(|t| t * t).sum();
        let of = |j: usize| white.column(j).iter().zip(&targets).map(|(w, t)| w * t).sum();
        self.moments = Moments { mean: (0..n).map(of).collect(), covariance: posterior };
        self.of_sites = -0.5 * (factor.log_det() + fit);
        Ok(())
    }

    /// S C.
    fn scaled_rows(&self, root: &[f64]) -> Matrix {
        let mut rows = self.covariance.clone();
        for j in 0..root.len() {
            rows.column_mut(j).iter_mut().zip(root).for_each(|(c, r)| *c *= r);
        }
        rows
    }

    /// B = I + S C S.
    fn scaled_covariance(&self, root: &[f64]) -> Matrix {
        let mut b = self.scaled_rows(root);
        for (j, r) in root.iter().enumerate() {
            b.column_mut(j).iter_mut().for_each(|c| *c *= r);
        }
        b.add_to_diagonal(1.0);
        b
    }

    fn log_probability(&self) -> f64 {
        let mut total = self.of_sites;
        for i in 0..self.prior.len() {
            let Some(Cavity { mean, variance, z }) = self.cavity(i) else { continue };
            let (tau, nu) = (self.sites.precision[i], self.sites.shift[i]);
            total += log_cdf(z) + 0.5 * (tau * variance).ln_1p();
            if tau > 0.0 {
                let (target, spread) = (nu / tau, 1.0 + tau * variance);
                total += 0.5 * tau * (target - mean).powi(2) / spread;
            }
        }
        total
    }
}

/// Diagonal of S.
fn roots(sites: &Sites) -> Vec<f64> {
    sites.precision.iter().map(|tau| tau.max(0.0).sqrt()).collect()
}

/// S t = ν/√τ.
fn scaled_targets(sites: &Sites, root: &[f64]) -> Vec<f64> {
    let of = |(nu, root): (&f64, &f64)| if *root > 0.0 { nu / root } else { 0.0 };
    sites.shift.iter().zip(root).map(of).collect()
}

fn diagonal(matrix: &Matrix) -> Vec<f64> {
    (0..matrix.rows()).map(|i| matrix[(i, i)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A smooth covariance over five places.
    fn covariance() -> Matrix {
        let at = [0.0_f64, 0.3, 0.9, 1.4, 2.5];
        Matrix::from_fn(5, 5, |i, j| 2.0 * (-0.5 * (at[i] - at[j]).powi(2)).exp())
    }

    /// Calls `look` on a state with sites of different strength.
    fn with_sites(covariance: &Matrix, look: impl FnOnce(&State<'_>)) {
        let sides = [Side::Below, Side::Above].into_iter().cycle().take(5);
        let bounds: Vec<Bound> = sides.map(|side| Bound { at: 0.4, side }).collect();
        let mut state = State {
            prior: &[0.1, -0.2, 0.3, 0.0, 0.5],
            covariance,
            bounds: &bounds,
            sites: Sites { precision: vec![0.7, 0.0, 2.5, 1.1, 0.2], shift: vec![0.4, 0.0, -1.3, 0.6, 0.1] },
            moments: Moments::default(),
            of_sites: 0.0,
        };
        state.recompute().unwrap();
        look(&state);
    }

    /// Both ways to a cavity are one formula.
    #[test]
    fn cavities_from_the_others_are_cavities() {
        let covariance = covariance();
        with_sites(&covariance, |state| {
            for i in 0..5 {
                let (own, others) = (state.cavity(i).unwrap(), state.cavity_from_the_others(i).unwrap());
                for (a, b) in [(own.mean, others.mean), (own.variance, others.variance), (own.z, others.z)] {
                    assert!((a - b).abs() < 1e-9 * (1.0 + a.abs()), "component {i}: {a} and {b}");
                }
                assert!(own.variance < covariance[(i, i)], "the sites of others leave less");
            }
        });
    }

    /// A component without variance has no cavity, whichever way.
    #[test]
    fn a_component_without_variance_has_no_cavity() {
        let mut covariance = covariance();
        (0..5).for_each(|j| (covariance[(2, j)], covariance[(j, 2)]) = (0.0, 0.0));
        with_sites(&covariance, |state| {
            assert!(state.cavity(2).is_none() && state.cavity_from_the_others(2).is_none());
            assert!(state.cavity(1).is_some());
        });
    }

    /// A cavity is what is left without the own site, however little; below 1e-15 of the prior variance it is rounding.
    #[test]
    fn a_variance_within_rounding_is_none() {
        let (bounds, covariance) =
            ([Bound { at: 0.4, side: Side::Below }], Matrix::from_fn(1, 1, |_, _| 2.0));
        let mut state = State {
            prior: &[0.0],
            covariance: &covariance,
            bounds: &bounds,
            sites: Sites { precision: vec![0.0], shift: vec![0.0] },
            moments: Moments { mean: vec![0.1], covariance: Matrix::from_fn(1, 1, |_, _| 3e-15) },
            of_sites: 0.0,
        };
        let cavity = state.cavity(0).unwrap();
        assert_eq!((cavity.mean, cavity.variance), (0.1, 3e-15));
        assert!((cavity.z - 0.3 / 3e-15_f64.sqrt()).abs() < 1e-6);
        for nothing in [1.9e-15, 0.0, -1e-12] {
            state.moments.covariance[(0, 0)] = nothing;
            assert!(state.cavity(0).is_none(), "{nothing}");
        }
        // More than the variance without any bound is rounding too.
        state.moments.covariance[(0, 0)] = 2.0 + 1e-12;
        assert_eq!(state.cavity(0).unwrap().variance, 2.0);
    }

    /// Rounding is relative to the larger of the prior mean and the bound.
    #[test]
    fn bounds_are_kept_to_rounding() {
        let covariance = Matrix::from_fn(1, 1, |_, _| 0.0);
        let kept = |prior: f64, shift: f64, at: f64| {
            let state = State {
                prior: &[prior],
                covariance: &covariance,
                bounds: &[Bound { at, side: Side::Below }],
                sites: Sites { precision: vec![0.0], shift: vec![0.0] },
                moments: Moments { mean: vec![shift], covariance: covariance.clone() },
                of_sites: 0.0,
            };
            state.require_kept(0).is_ok()
        };
        assert!(kept(0.0, 5.0 + 4e-9, 5.0) && kept(0.0, -5.0 + 4e-9, -5.0));
        assert!(kept(5.0, -5.0 + 4e-9, 0.0) && kept(-5.0, 5.0 + 4e-9, 0.0));
        assert!(!kept(0.0, 5.0 + 6e-9, 5.0) && !kept(5.0, -5.0 + 6e-9, 0.0));
    }
}
