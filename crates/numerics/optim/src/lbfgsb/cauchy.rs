//! Generalized Cauchy point of L-BFGS-B.

use super::memory::{Memory, dot};

/// The generalised Cauchy point: the first minimiser of the model along the projected gradient path.
///
/// Source: Byrd, Lu, Nocedal & Zhu (1995), algorithm CP.
pub(super) struct CauchyPoint {
    pub(super) point: Vec<f64>,
    /// `Wᵀ (point - x)`.
    pub(super) moved: Vec<f64>,
    /// True if each variable is strictly inside its bounds at the point.
    pub(super) free: Vec<bool>,
    direction: Vec<f64>,
    breaks: Vec<(f64, usize)>,
    p: Vec<f64>,
    row: Vec<f64>,
    product: Vec<f64>,
}

impl CauchyPoint {
    pub(super) fn new(n: usize, memory: usize) -> Self {
        Self {
            point: vec![0.0; n],
            moved: Vec::with_capacity(2 * memory),
            free: vec![true; n],
            direction: vec![0.0; n],
            breaks: Vec::with_capacity(n),
            p: Vec::with_capacity(2 * memory),
            row: Vec::with_capacity(2 * memory),
            product: Vec::with_capacity(2 * memory),
        }
    }

    pub(super) fn find(&mut self, x: &[f64], gradient: &[f64], bounds: &[(f64, f64)], memory: &mut Memory) {
        let width = 2 * memory.pairs();
        self.find_breaks(x, gradient, bounds);
        let direction = &self.direction;
        self.p.clear();
        self.p.extend((0..width).map(|c| (0..x.len()).map(|i| memory.w(i, c) * direction[i]).sum::<f64>()));
        self.moved.clear();
        self.moved.resize(width, 0.0);
        let squared = dot(direction, direction);
        let mut slope = -squared;
        self.product.clone_from(&self.p);
        memory.multiply_middle(&mut self.product);
        let mut curvature = memory.theta * squared - dot(&self.p, &self.product);
        let smallest = f64::EPSILON * memory.theta * squared;
        let mut step = -slope / curvature.max(smallest);
        let mut reached = 0.0;
        for at in 0..self.breaks.len() {
            let (time, i) = self.breaks[at];
            let interval = time - reached;
            if step < interval {
                break;
            }
            let (g, (low, high)) = (gradient[i], bounds[i]);
            self.point[i] = if g < 0.0 { high } else { low };
            self.free[i] = false;
            let z = self.point[i] - x[i];
            for (c, p) in self.moved.iter_mut().zip(&self.p) {
                *c += interval * p;
            }
            self.row.clear();
            self.row.extend((0..width).map(|c| memory.w(i, c)));
            self.product.clone_from(&self.row);
            memory.multiply_middle(&mut self.product);
            slope +=
                interval * curvature + g * g + memory.theta * g * z - g * dot(&self.product, &self.moved);
            curvature -= memory.theta * g * g
                + 2.0 * g * dot(&self.product, &self.p)
                + g * g * dot(&self.product, &self.row);
            for (p, w) in self.p.iter_mut().zip(&self.row) {
                *p += g * w;
            }
            self.direction[i] = 0.0;
            reached = time;
            // At a bound with nothing left that moves, the path has ended.
            step = if slope < 0.0 { -slope / curvature.max(smallest) } else { 0.0 };
        }
        self.finish(x, bounds, reached, step);
    }

    /// The steepest descent direction, the variables that move, and the steps at which they reach a bound.
    fn find_breaks(&mut self, x: &[f64], gradient: &[f64], bounds: &[(f64, f64)]) {
        self.point.copy_from_slice(x);
        self.breaks.clear();
        for (i, (&g, &(low, high))) in gradient.iter().zip(bounds).enumerate() {
            let bound = if g < 0.0 { high } else { low };
            let time = if g == 0.0 { f64::INFINITY } else { (x[i] - bound) / g };
            let moves = g != 0.0 && time > 0.0;
            self.direction[i] = if moves { -g } else { 0.0 };
            self.free[i] = low < x[i] && x[i] < high || moves;
            if moves && time.is_finite() {
                self.breaks.push((time, i));
            }
        }
        self.breaks.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }

    /// The point after the last break point that was reached and a step beyond it.
    fn finish(&mut self, x: &[f64], bounds: &[(f64, f64)], reached: f64, step: f64) {
        let step = if self.direction.iter().any(|d| *d != 0.0) { step.max(0.0) } else { 0.0 };
        let total = reached + step;
        for (i, d) in self.direction.iter().enumerate() {
            if *d != 0.0 {
                let (low, high) = bounds[i];
                self.point[i] = (x[i] + total * d).clamp(low, high);
            }
        }
        for (c, p) in self.moved.iter_mut().zip(&self.p) {
            *c += step * p;
        }
    }
}
