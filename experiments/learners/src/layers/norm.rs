//! Normalisation over a batch or over a row.

/// Values for the backward pass: normalised values, and the reciprocal deviation of each column or row.
#[derive(Debug, Clone, Default)]
pub(super) struct Normed {
    values: Vec<f32>,
    scales: Vec<f32>,
}

/// Keeps the reciprocal finite for equal values.
const EPSILON: f32 = 1e-5;
/// Share of a batch in what is remembered.
const SHARE: f32 = 0.1;

/// Normalises columns, in training by the batch, which is remembered, otherwise by what is remembered.
pub(super) fn by_batch(
    x: &[f32],
    width: usize,
    parameters: &[f32],
    remembered: &mut [f32],
    training: bool,
    normed: &mut Normed,
    y: &mut Vec<f32>,
) {
    let (gains, shifts) = parameters.split_at(width);
    let rows = (x.len() / width) as f32;
    let (means, variances) = remembered.split_at_mut(width);
    let (mut mean, mut variance) = (vec![0.0; width], vec![0.0; width]);
    if training {
        for row in x.chunks_exact(width) {
            mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x / rows);
        }
        for row in x.chunks_exact(width) {
            variance
                .iter_mut()
                .zip(row.iter().zip(&mean))
                .for_each(|(sum, (x, m))| *sum += (x - m).powi(2) / rows);
        }
        // The variance that is remembered is that of a sample.
        let sample = rows / (rows - 1.0).max(1.0);
        means.iter_mut().zip(&mean).for_each(|(old, new)| *old += SHARE * (new - *old));
        variances.iter_mut().zip(&variance).for_each(|(old, new)| *old += SHARE * (sample * new - *old));
    } else {
        mean.copy_from_slice(means);
        variance.copy_from_slice(variances);
    }
    let Normed { values, scales } = normed;
    scales.clear();
    scales.extend(variance.iter().map(|v| 1.0 / (v + EPSILON).sqrt()));
    values.clear();
    for row in x.chunks_exact(width) {
        values.extend(row.iter().zip(mean.iter().zip(&*scales)).map(|(x, (m, s))| (x - m) * s));
    }
    scaled(values, gains, shifts, y);
}

/// Normalises rows.
pub(super) fn by_row(x: &[f32], width: usize, parameters: &[f32], normed: &mut Normed, y: &mut Vec<f32>) {
    let (gains, shifts) = parameters.split_at(width);
    let Normed { values, scales } = normed;
    values.clear();
    scales.clear();
    for row in x.chunks_exact(width) {
        let mean = row.iter().sum::<f32>() / width as f32;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / width as f32;
        let scale = 1.0 / (variance + EPSILON).sqrt();
        scales.push(scale);
        values.extend(row.iter().map(|x| (x - mean) * scale));
    }
    scaled(values, gains, shifts, y);
}

fn scaled(values: &[f32], gains: &[f32], shifts: &[f32], y: &mut Vec<f32>) {
    for row in values.chunks_exact(gains.len()) {
        y.extend(row.iter().zip(gains.iter().zip(shifts)).map(|(v, (gain, shift))| gain * v + shift));
    }
}

/// Adds slopes of scales and shifts, and turns slopes of outputs into those of normalised values.
fn back_to_values(delta: &mut [f32], gains: &[f32], normed: &Normed, sums: &mut [f32]) {
    let width = gains.len();
    let (of_gains, of_shifts) = sums.split_at_mut(width);
    for (delta, values) in delta.chunks_exact_mut(width).zip(normed.values.chunks_exact(width)) {
        for column in 0..width {
            of_gains[column] += delta[column] * values[column];
            of_shifts[column] += delta[column];
            delta[column] *= gains[column];
        }
    }
}

/// ```text
/// ∂/∂x_i = s (d_i - mean(d) - v_i mean(d v)),   v normalised values, s the reciprocal deviation; means over the batch
/// ```
pub(super) fn back_by_batch(
    delta: &mut [f32],
    width: usize,
    parameters: &[f32],
    normed: &Normed,
    sums: &mut [f32],
) {
    back_to_values(delta, &parameters[..width], normed, sums);
    let rows = (delta.len() / width) as f32;
    let (mut mean, mut product) = (vec![0.0; width], vec![0.0; width]);
    for (delta, values) in delta.chunks_exact(width).zip(normed.values.chunks_exact(width)) {
        for column in 0..width {
            mean[column] += delta[column] / rows;
            product[column] += delta[column] * values[column] / rows;
        }
    }
    for (delta, values) in delta.chunks_exact_mut(width).zip(normed.values.chunks_exact(width)) {
        for column in 0..width {
            let left = delta[column] - mean[column] - values[column] * product[column];
            delta[column] = normed.scales[column] * left;
        }
    }
}

/// The same with means over each row.
pub(super) fn back_by_row(
    delta: &mut [f32],
    width: usize,
    parameters: &[f32],
    normed: &Normed,
    sums: &mut [f32],
) {
    back_to_values(delta, &parameters[..width], normed, sums);
    let rows = delta.chunks_exact_mut(width).zip(normed.values.chunks_exact(width)).zip(&normed.scales);
    for ((delta, values), scale) in rows {
        let mean = delta.iter().sum::<f32>() / width as f32;
        let product = delta.iter().zip(values).map(|(d, v)| d * v).sum::<f32>() / width as f32;
        delta.iter_mut().zip(values).for_each(|(d, v)| *d = scale * (*d - mean - v * product));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_by_hand_and_what_is_remembered() {
        let (mut normed, mut y, mut kept) = (Normed::default(), Vec::new(), vec![0.0, 0.0, 1.0, 1.0]);
        // Columns 1, 3 and 5, 5; scale 2 and shift 1 in the first.
        by_batch(&[1.0, 5.0, 3.0, 5.0], 2, &[2.0, 1.0, 1.0, 0.0], &mut kept, true, &mut normed, &mut y);
        let expected = [-1.0, 0.0, 3.0, 0.0];
        assert!(y.iter().zip(expected).all(|(y, e)| (y - e).abs() < 2e-5), "{y:?}");
        // A tenth of the means 2 and 5 and of the sample variances 2 and 0.
        let expected = [0.2, 0.5, 1.1, 0.9];
        assert!(kept.iter().zip(expected).all(|(k, e)| (k - e).abs() < 1e-6), "{kept:?}");
        y.clear();
        by_batch(&[0.2, 0.5], 2, &[1.0, 1.0, 0.0, 7.0], &mut kept, false, &mut normed, &mut y);
        assert_eq!(y, [0.0, 7.0]);
        // A batch of one row has no deviation.
        y.clear();
        by_batch(&[9.0, 9.0], 2, &[1.0, 1.0, 0.0, 0.0], &mut kept, true, &mut normed, &mut y);
        assert!(y == [0.0, 0.0] && kept.iter().all(|k| k.is_finite()));
    }

    #[test]
    fn rows_by_hand() {
        let (mut normed, mut y) = (Normed::default(), Vec::new());
        by_row(&[1.0, 3.0, 4.0, 4.0], 2, &[1.0, 1.0, 0.0, 0.5], &mut normed, &mut y);
        let expected = [-1.0, 1.5, 0.0, 0.5];
        assert!(y.iter().zip(expected).all(|(y, e)| (y - e).abs() < 2e-5), "{y:?}");
    }
}
