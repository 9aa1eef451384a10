//! Hypervolume of more than four objectives by the WFG recursion.

use super::dim4::Sweep;
use crate::weakly_dominates;

/// WFG recursion for more than four objectives.
///
/// ```text
/// HV(S) = Σ_i (r_m - s_im) · [ Π_{j<m} (r_j - s_ij) - HV({max(s_k, s_i) : s_km below s_im}) ]
/// ```
///
/// The sum runs up the last objective. Points clipped to `s_i` have one objective less, and dominated ones are dropped. The cost is
/// exponential in m at worst, so the steps are counted. Source: While, Bradstreet & Barone (2012).
pub(super) struct Recursion {
    base: Sweep,
    rows: Vec<[f64; 4]>,
    spare: Vec<Vec<f64>>,
    steps: u64,
    limit: u64,
}

/// The limit on the steps was exceeded.
pub(super) struct Exhausted;

impl Recursion {
    pub(super) fn new(limit: u64) -> Self {
        Self { base: Sweep::new(), rows: Vec::new(), spare: Vec::new(), steps: 0, limit }
    }

    /// Hypervolume of points, row after row, all inside the reference box.
    pub(super) fn volume(&mut self, points: &[f64], reference: &[f64]) -> Result<f64, Exhausted> {
        let m = reference.len();
        let count = points.len() / m;
        self.work(count * m)?;
        match count {
            0 => return Ok(0.0),
            1 => return Ok(content(points, reference)),
            2 => return Ok(pair(points, reference)),
            _ => {}
        }
        if let &[x, y, z, w] = reference {
            self.rows.clear();
            self.rows.extend(points.as_chunks::<4>().0);
            return Ok(self.base.volume(&mut self.rows, [x, y, z, w]));
        }
        let mut order: Vec<&[f64]> = points.chunks_exact(m).collect();
        order.sort_unstable_by(|a, b| a[m - 1].total_cmp(&b[m - 1]));
        let mut total = 0.0;
        for (at, point) in order.iter().enumerate() {
            let height = reference[m - 1] - point[m - 1];
            total += height * self.exclusive(&order[..at], &point[..m - 1], &reference[..m - 1])?;
        }
        Ok(total)
    }

    /// Volume that a point adds to others. The objectives that are read are as many as the point has.
    pub(super) fn exclusive(
        &mut self,
        others: &[&[f64]],
        point: &[f64],
        reference: &[f64],
    ) -> Result<f64, Exhausted> {
        let mut clipped = self.spare.pop().unwrap_or_default();
        let steps = clip(others, point, &mut clipped);
        let inner = match steps {
            None => None,
            Some(steps) => {
                self.work(steps)?;
                Some(self.volume(&clipped, reference)?)
            }
        };
        self.spare.push(clipped);
        Ok(inner.map_or(0.0, |inner| (content(point, reference) - inner).max(0.0)))
    }

    fn work(&mut self, steps: usize) -> Result<(), Exhausted> {
        self.steps = self.steps.saturating_add(steps as u64);
        if self.steps > self.limit { Err(Exhausted) } else { Ok(()) }
    }
}

/// The non-dominated points among `max(other, point)`, and the number of comparisons; `None` if another point weakly dominates this one.
fn clip(others: &[&[f64]], point: &[f64], clipped: &mut Vec<f64>) -> Option<usize> {
    let m = point.len();
    clipped.clear();
    let mut steps = 0;
    for other in others.iter().rev() {
        let start = clipped.len();
        clipped.extend(other.iter().zip(point).map(|(other, own)| other.max(*own)));
        if clipped[start..] == *point {
            return None;
        }
        let (kept, new) = clipped.split_at(start);
        steps += start;
        if kept.chunks_exact(m).any(|old| weakly_dominates(old, new)) {
            clipped.truncate(start);
            continue;
        }
        keep_undominated(clipped, m);
    }
    Some(steps)
}

/// Removes the rows that the last one dominates, and moves the last one to the slot of the first of them.
fn keep_undominated(rows: &mut Vec<f64>, m: usize) {
    let last = rows.len() - m;
    let mut end = 0;
    for start in (0..last).step_by(m) {
        if !weakly_dominates(&rows[last..], &rows[start..start + m]) {
            rows.copy_within(start..start + m, end);
            end += m;
        }
    }
    rows.copy_within(last.., end);
    rows.truncate(end + m);
}

/// The volume between a point and the reference point.
fn content(point: &[f64], reference: &[f64]) -> f64 {
    point.iter().zip(reference).map(|(own, top)| top - own).product()
}

/// Two boxes minus their intersection.
fn pair(points: &[f64], reference: &[f64]) -> f64 {
    let (a, b) = points.split_at(reference.len());
    let both: f64 = a.iter().zip(b).zip(reference).map(|((a, b), top)| top - a.max(*b)).product();
    content(a, reference) + (content(b, reference) - both)
}
