//! Hypervolume of two objectives.

/// Hypervolume of points in the plane, all inside the reference box; sorts them. O(n log n).
pub(super) fn volume(points: &mut [[f64; 2]], reference: [f64; 2]) -> f64 {
    points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    let (mut height, mut total) = (reference[1], 0.0);
    for &[x, y] in &*points {
        if y < height {
            total += (reference[0] - x) * (height - y);
            height = y;
        }
    }
    total
}
