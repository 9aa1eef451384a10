//! Features in bins.

/// Borders of the bins of every feature, of rows to train on.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bins {
    /// Numbers up to the border of a bin, and above that of the bin before.
    borders: Vec<Vec<f32>>,
}

/// Bins of a feature.
pub(super) const BINS: usize = 64;

impl Bins {
    /// A bin a value where there are few values, else about as many rows in each. For row-major features.
    pub(super) fn new(x: &[f32], columns: usize) -> Self {
        let of_column = |column: usize| {
            let mut sorted: Vec<f32> = x[column.min(x.len())..].iter().step_by(columns).copied().collect();
            sorted.sort_unstable_by(f32::total_cmp);
            let mut borders: Vec<f32> = if sorted.chunk_by(|a, b| a == b).count() <= BINS {
                sorted.clone()
            } else {
                (1..BINS).map(|bin| sorted[bin * sorted.len() / BINS - 1]).collect()
            };
            borders.dedup();
            // Nothing is above the last value.
            borders.pop_if(|last| sorted.last() == Some(last));
            borders
        };
        Self { borders: (0..columns).map(of_column).collect() }
    }

    pub(super) fn columns(&self) -> usize {
        self.borders.len()
    }

    /// The bin of every number of row-major features.
    pub(super) fn codes(&self, x: &[f32]) -> Vec<u8> {
        let rows = x.chunks_exact(self.columns());
        let of_row = |row: &[f32]| -> Vec<u8> {
            let code = |(x, borders): (&f32, &Vec<f32>)| borders.partition_point(|border| border < x) as u8;
            row.iter().zip(&self.borders).map(code).collect()
        };
        rows.flat_map(of_row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_have_a_bin_each() {
        let x = [3.0, 7.0, 1.0, 7.0, 3.0, 7.0];
        let bins = Bins::new(&x, 2);
        assert_eq!(bins.borders, [vec![1.0], vec![]]);
        assert_eq!(bins.codes(&[0.0, 0.0, 1.0, 9.0, 2.0, 7.0, 99.0, 7.0]), [0, 0, 0, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn many_values_share_bins_evenly() {
        let x: Vec<f32> = (0..640).map(|i| ((i * 277) % 640) as f32).collect();
        let bins = Bins::new(&x, 1);
        let codes = bins.codes(&x);
        for bin in 0..BINS {
            assert_eq!(codes.iter().filter(|code| usize::from(**code) == bin).count(), 10, "{bin}");
        }
        assert!(x.iter().zip(&codes).all(|(x, code)| usize::from(*code) == *x as usize / 10));
        // Most rows of one value: its bin is the largest, and others stay apart from it.
        let x: Vec<f32> = (0..640).map(|i| if i < 500 { 0.0 } else { i as f32 }).collect();
        let codes = Bins::new(&x, 1).codes(&x);
        assert!(codes[..500].iter().all(|code| *code == 0) && codes[500..].iter().all(|code| *code > 0));
    }

    #[test]
    fn no_rows_are_no_bins() {
        let bins = Bins::new(&[], 3);
        assert_eq!((bins.columns(), bins.codes(&[1.0, 2.0, 3.0])), (3, vec![0, 0, 0]));
    }
}
