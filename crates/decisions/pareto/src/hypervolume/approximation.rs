//! Hypervolume by sampling.

use thrifty_sampling::Seed;

use crate::weakly_dominates;

/// Hypervolume estimated by sampling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ApproximateVolume {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// Dominated share of uniform points of the box between ideal and reference point, times its volume.
pub(super) fn volume(points: &[f64], reference: &[f64], samples: u64, seed: Seed) -> ApproximateVolume {
    let m = reference.len();
    if points.is_empty() {
        return ApproximateVolume { value: 0.0, standard_error: 0.0 };
    }
    let ideal: Vec<f64> =
        (0..m).map(|j| points.iter().skip(j).step_by(m).copied().fold(reference[j], f64::min)).collect();
    let content: f64 = ideal.iter().zip(reference).map(|(low, top)| top - low).product();
    // Large boxes first: one of them decides most samples.
    let mut rows: Vec<&[f64]> = points.chunks_exact(m).collect();
    let size = |row: &[f64]| -> f64 {
        (0..m).map(|j| ((reference[j] - row[j]) / (reference[j] - ideal[j])).ln()).sum()
    };
    rows.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let mut stream = seed.stream("hypervolume", 0);
    let mut sample = vec![0.0; m];
    let mut hits = 0_u64;
    for _ in 0..samples {
        for ((value, low), top) in sample.iter_mut().zip(&ideal).zip(reference) {
            *value = low + (top - low) * stream.uniform();
        }
        hits += u64::from(rows.iter().any(|row| weakly_dominates(row, &sample)));
    }
    // One extra success and one extra failure keep the error above zero if all samples agree.
    let share = hits as f64 / samples as f64;
    let careful = (hits as f64 + 1.0) / (samples as f64 + 2.0);
    let std_dev = (careful * (1.0 - careful) / samples as f64).sqrt();
    ApproximateVolume { value: share * content, standard_error: std_dev * content }
}
