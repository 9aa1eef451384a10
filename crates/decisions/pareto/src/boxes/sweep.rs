//! Box decompositions of two and three objectives by a sweep.

/// Strip of the non-dominated region of the plane between two steps of a staircase.
struct Strip {
    left: f64,
    height: f64,
    /// Level of the sweep at which the strip began.
    since: f64,
}

/// Boxes below a front of the plane, sorted by the first objective: one before the front, and one right of each point.
pub(super) fn plane(front: &[[f64; 2]], reference: [f64; 2], mut emit: impl FnMut(&[f64], &[f64])) {
    let low = f64::NEG_INFINITY;
    let mut left = [low, reference[1]];
    for &point in front {
        emit(&[left[0], low], &[point[0], left[1]]);
        left = point;
    }
    emit(&[left[0], low], &[reference[0], left[1]]);
}

/// At most 2n + 1 boxes below a front in space, sorted by the third objective.
///
/// A plane moves along the third objective. Its non-dominated region consists of strips right of each step of a staircase. A new point ends
/// the strips that it cuts; each becomes a box. It begins at most two new strips.
/// Source: Yang et al. (2019), section 3.2; departure: an array in place of a balanced tree.
pub(super) fn space(front: &[[f64; 3]], reference: [f64; 3], mut emit: impl FnMut(&[f64], &[f64])) {
    let low = f64::NEG_INFINITY;
    let mut strips = vec![Strip { left: low, height: reference[1], since: low }];
    let mut close = |strip: &Strip, right: f64, level: f64| {
        if strip.since < level && strip.left < right {
            emit(&[strip.left, low, strip.since], &[right, strip.height, level]);
        }
    };
    let right = |strips: &[Strip], at: usize| strips.get(at + 1).map_or(reference[0], |next| next.left);
    for &[x, y, z] in front {
        let first = strips.partition_point(|strip| strip.left <= x) - 1;
        let mut end = first;
        while strips.get(end).is_some_and(|strip| strip.height > y) {
            close(&strips[end], right(&strips, end), z);
            end += 1;
        }
        if end == first {
            continue;
        }
        let cut = Strip { since: z, ..strips[first] };
        let begun = Strip { left: x, height: y, since: z };
        let keep_cut = cut.left < x;
        strips.splice(first..end, keep_cut.then_some(cut).into_iter().chain([begun]));
    }
    for at in 0..strips.len() {
        close(&strips[at], right(&strips, at), reference[2]);
    }
}
