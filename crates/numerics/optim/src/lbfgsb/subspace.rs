//! Subspace minimization of L-BFGS-B.

use super::cauchy::CauchyPoint;
use super::memory::{Memory, add_scaled, dot};
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
    // Rows of W of the free variables, one after the other: sums over them run along contiguous numbers.
    let mut w = vec![0.0; free.len() * width];
    memory.rows_into(free, &mut w);
    let rows = || w.chunks_exact(width);
    let r: Vec<f64> = free
        .iter()
        .zip(rows())
        .map(|(&i, row)| gradient[i] + theta * (cauchy.point[i] - x[i]) - dot(row, &bent))
        .collect();
    // v = (I - M WᵀW/θ)⁻¹ M Wᵀ r over the free rows.
    let (mut v, mut gram) = (vec![0.0; width], vec![0.0; width * width]);
    for (row, r) in rows().zip(&r) {
        add_scaled(&mut v, *r, row);
        for (sums, entry) in gram.chunks_exact_mut(width).zip(row) {
            add_scaled(sums, *entry, row);
        }
    }
    memory.multiply_middle(&mut v);
    gram.iter_mut().for_each(|sum| *sum /= theta);
    gram.chunks_exact_mut(width).for_each(|column| memory.multiply_middle(column));
    let mut system = SmallLu::default();
    if !system.factor(width, |row, c| f64::from(u8::from(row == c)) - gram[c * width + row]) {
        return None;
    }
    system.solve(&mut v);
    let step: Vec<f64> = r.iter().zip(rows()).map(|(r, row)| -(r + dot(row, &v) / theta) / theta).collect();
    step.iter().all(|s| s.is_finite()).then_some(step)
}
