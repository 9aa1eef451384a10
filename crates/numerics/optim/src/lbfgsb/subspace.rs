//! Subspace minimization of L-BFGS-B.

use super::cauchy::CauchyPoint;
use super::memory::Memory;
use super::small::SmallLu;

/// Minimises the model over the variables that are free at the Cauchy point, and brings the result into the box.
///
/// The unbounded minimiser is projected onto the box if that is still a direction of descent, else the step
/// from the Cauchy point is shortened until it is inside. Source: Byrd et al. (1995), section 5.1 (direct
/// primal method); Morales & Nocedal (2011).
pub(super) fn minimize_into(
    x: &[f64],
    gradient: &[f64],
    bounds: &[(f64, f64)],
    memory: &mut Memory,
    cauchy: &mut CauchyPoint,
    out: &mut [f64],
) {
    out.copy_from_slice(&cauchy.point);
    let free: Vec<usize> = (0..x.len()).filter(|&i| cauchy.free[i]).collect();
    if memory.is_empty() || free.is_empty() {
        return;
    }
    let Some(step) = unbounded_step(x, gradient, memory, cauchy, &free) else { return };
    for (&i, s) in free.iter().zip(&step) {
        out[i] = (cauchy.point[i] + s).clamp(bounds[i].0, bounds[i].1);
    }
    let slope: f64 = out.iter().zip(x).zip(gradient).map(|((t, x), g)| (t - x) * g).sum();
    if slope < 0.0 {
        return;
    }
    let mut share = 1.0_f64;
    for (&i, s) in free.iter().zip(&step) {
        let (low, high) = bounds[i];
        let room = if *s > 0.0 { high - cauchy.point[i] } else { low - cauchy.point[i] };
        if *s != 0.0 {
            share = share.min(room / s);
        }
    }
    for (&i, s) in free.iter().zip(&step) {
        out[i] = (cauchy.point[i] + share.max(0.0) * s).clamp(bounds[i].0, bounds[i].1);
    }
}

/// `-B_ff⁻¹ r` for the free variables by the Sherman–Morrison–Woodbury formula, with `r` the model's gradient at
/// the Cauchy point; nothing when the small system is singular.
fn unbounded_step(
    x: &[f64],
    gradient: &[f64],
    memory: &mut Memory,
    cauchy: &CauchyPoint,
    free: &[usize],
) -> Option<Vec<f64>> {
    let (width, theta) = (2 * memory.pairs(), memory.theta);
    let mut bent = cauchy.moved.clone();
    memory.multiply_middle(&mut bent);
    let w: Vec<Vec<f64>> = free.iter().map(|&i| (0..width).map(|c| memory.w(i, c)).collect()).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let r: Vec<f64> = free
        .iter()
        .zip(&w)
        .map(|(&i, w)| gradient[i] + theta * (cauchy.point[i] - x[i]) - dot(w, &bent))
        .collect();
    // v = (I - M WᵀW/θ)⁻¹ M Wᵀ r over the free rows.
    let mut v: Vec<f64> = (0..width).map(|c| w.iter().zip(&r).map(|(w, r)| w[c] * r).sum()).collect();
    memory.multiply_middle(&mut v);
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(width);
    for c in 0..width {
        let mut column: Vec<f64> =
            (0..width).map(|row| w.iter().map(|w| w[row] * w[c]).sum::<f64>() / theta).collect();
        memory.multiply_middle(&mut column);
        columns.push(column);
    }
    let mut system = SmallLu::default();
    if !system.factor(width, |row, c| f64::from(u8::from(row == c)) - columns[c][row]) {
        return None;
    }
    system.solve(&mut v);
    let step: Vec<f64> = r.iter().zip(&w).map(|(r, w)| -(r + dot(w, &v) / theta) / theta).collect();
    step.iter().all(|s| s.is_finite()).then_some(step)
}
