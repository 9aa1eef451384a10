//! Local upper bounds of a set of points.

use thrifty_domain::PointsRef;

use crate::{ParetoError, check, strictly_dominates};

/// Local upper bounds of a set of points: the corners of its non-dominated region.
///
/// ```text
/// {y < r : no z ∈ Z is ≼ y} = ∪_u {y : y < u}   over the local upper bounds u
/// ```
///
/// Each bound u is stored with its defining points. The k-th of them has coordinate `u_k` and is smaller than u in the others. Inserting a
/// point replaces the bounds above it by up to m children each. A child is kept if its defining points guarantee that no other child covers
/// it.
///
/// If points share a coordinate, a bound may lie under another. This costs time and changes no volume.
///
/// Cost per point: O(bounds · m). Bounds: n + 1 for m = 2, up to 2n + 1 for m = 3, O(n^⌊m/2⌋) in general.
/// Source: Klamroth, Lacour & Vanderpooten (2015); defining points as in Lacour, Klamroth & Fonseca (2017).
#[derive(Debug, Clone, PartialEq)]
pub struct LocalUpperBounds {
    reference: Vec<f64>,
    bounds: Vec<f64>,
    /// The m defining points of each bound, one after the other.
    defining: Vec<f64>,
}

impl LocalUpperBounds {
    /// Bounds of an empty set: the reference point.
    ///
    /// # Errors
    /// [`ParetoError::Empty`] without objectives, [`ParetoError::NonFiniteReference`].
    pub fn new(reference: &[f64]) -> Result<Self, ParetoError> {
        check::reference(reference)?;
        Ok(Self::below(reference.to_vec()))
    }

    /// Bounds of an empty set, as [`LocalUpperBounds::new`], for a reference point that may be infinite.
    pub(super) fn below(reference: Vec<f64>) -> Self {
        let m = reference.len();
        let mut defining = vec![f64::NEG_INFINITY; m * m];
        for (k, top) in reference.iter().enumerate() {
            defining[k * m + k] = *top;
        }
        Self { bounds: reference.clone(), defining, reference }
    }

    /// Adds a point. Points that are dominated, or outside the reference box, change nothing.
    ///
    /// # Errors
    /// [`ParetoError::NonFinite`], [`ParetoError::ObjectiveMismatch`]; the bounds are unchanged then.
    pub fn insert(&mut self, point: &[f64]) -> Result<(), ParetoError> {
        check::against(PointsRef::single(point), self.reference.len())?;
        self.add(point);
        Ok(())
    }

    pub(super) fn add(&mut self, point: &[f64]) {
        let m = self.reference.len();
        let (mut born, mut definers) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < self.len() {
            let bound = &self.bounds[at * m..(at + 1) * m];
            if !strictly_dominates(point, bound) {
                at += 1;
                continue;
            }
            let defining = &self.defining[at * m * m..(at + 1) * m * m];
            for child in (0..m).filter(|&j| point[j] >= largest(defining, j, m)) {
                let start = born.len();
                born.extend_from_slice(bound);
                born[start + child] = point[child];
                let start = definers.len() + child * m;
                definers.extend_from_slice(defining);
                definers[start..start + m].copy_from_slice(point);
            }
            self.remove(at);
        }
        self.bounds.append(&mut born);
        self.defining.append(&mut definers);
    }

    /// Removes a bound; the last one takes its place.
    fn remove(&mut self, at: usize) {
        let (m, last) = (self.reference.len(), self.len() - 1);
        self.bounds.copy_within(last * m.., at * m);
        self.bounds.truncate(last * m);
        self.defining.copy_within(last * m * m.., at * m * m);
        self.defining.truncate(last * m * m);
    }

    /// Number of bounds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bounds.len() / self.reference.len()
    }

    /// True if there are no bounds: never, since some region below all points remains.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    /// The bounds, in no particular order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> + '_ {
        self.bounds.chunks_exact(self.reference.len())
    }

    /// Disjoint boxes of the region that the points dominate, up to the reference point; empty boxes are left out.
    ///
    /// ```text
    /// [u_1, r_1] × Π_{j>1} [max_{k<j} z^k_j(u), u_j]
    /// ```
    ///
    /// Source: Lacour, Klamroth & Fonseca (2017), eq. 7.
    pub(super) fn dominated_boxes(&self, mut emit: impl FnMut(&[f64], &[f64])) {
        let m = self.reference.len();
        let mut lower = vec![0.0; m];
        let mut upper = vec![0.0; m];
        for (bound, defining) in self.rows().zip(self.defining.chunks_exact(m * m)) {
            upper.copy_from_slice(bound);
            lower[0] = bound[0];
            upper[0] = self.reference[0];
            for j in 1..m {
                lower[j] = (0..j).map(|k| defining[k * m + j]).fold(f64::NEG_INFINITY, f64::max);
            }
            if strictly_dominates(&lower, &upper) {
                emit(&lower, &upper);
            }
        }
    }
}

/// `max_{k≠j} z^k_j`.
fn largest(defining: &[f64], j: usize, m: usize) -> f64 {
    (0..m).filter(|&k| k != j).map(|k| defining[k * m + j]).fold(f64::NEG_INFINITY, f64::max)
}
