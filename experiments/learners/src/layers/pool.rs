//! Max pooling of images.

use super::window::{ImageShape, Padding, Windows};
use crate::LearnerError;

/// Largest value per channel of windows that lie side by side.
///
/// Without padding, rows and columns that do not fill a window are left out. Padding never wins. The first of several largest values wins, and
/// gets the whole slope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxPool {
    windows: Windows,
}

impl MaxPool {
    /// # Errors
    /// As [`Windows::new`].
    pub fn new(input: ImageShape, size: usize, padding: Padding) -> Result<Self, LearnerError> {
        Ok(Self { windows: Windows::new(input, size, size, padding)? })
    }

    pub fn output(&self) -> ImageShape {
        self.windows.output(self.windows.input().channels)
    }

    /// Appends the outputs of a batch; `winners` has the place of each in the inputs.
    ///
    /// # Panics
    /// If the batch is not a number of whole images.
    pub fn forward(&self, x: &[f32], winners: &mut Vec<usize>, y: &mut Vec<f32>) {
        let (image, channels) = (self.windows.input().values(), self.windows.input().channels);
        assert!(x.len().is_multiple_of(image), "{} values, expected images of {image}", x.len());
        let lines = self.windows.lines();
        winners.clear();
        for start in (0..x.len()).step_by(image) {
            for lines in lines.chunk_by(|a, b| a.window == b.window) {
                let first = start + lines[0].in_image;
                let (values, places) = (y.len(), winners.len());
                y.extend_from_slice(&x[first..first + channels]);
                winners.extend(first..first + channels);
                let (best, place) = (&mut y[values..], &mut winners[places..]);
                for line in lines {
                    let from = start + line.in_image;
                    for pixel in (from..from + line.len).step_by(channels) {
                        let one =
                            x[pixel..pixel + channels].iter().zip(best.iter_mut().zip(place.iter_mut()));
                        for (channel, (value, (best, place))) in one.enumerate() {
                            if value > best {
                                (*best, *place) = (*value, pixel + channel);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Adds each slope of the outputs to that of its winner.
    pub fn backward(winners: &[usize], delta: &[f32], before: &mut [f32]) {
        winners.iter().zip(delta).for_each(|(winner, d)| before[*winner] += d);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pooled(pool: MaxPool, x: &[f32]) -> (Vec<f32>, Vec<usize>) {
        let (mut winners, mut y) = (vec![9], Vec::new());
        pool.forward(x, &mut winners, &mut y);
        (y, winners)
    }

    const fn image(height: usize, width: usize, channels: usize) -> ImageShape {
        ImageShape { height, width, channels }
    }

    #[test]
    fn windows_by_hand() {
        let pool = MaxPool::new(image(3, 5, 1), 2, Padding::Valid).unwrap();
        let x = [
            [1.0, 2.0, 7.0, 3.0, 99.0], // the last column and row fill no window
            [4.0, -1.0, 0.0, 8.0, 99.0],
            [99.0; 5],
        ];
        assert_eq!(pool.output(), image(1, 2, 1));
        assert_eq!(pooled(pool, x.as_flattened()), (vec![4.0, 8.0], vec![5, 8]));
        let pool = MaxPool::new(image(3, 5, 1), 2, Padding::Same).unwrap();
        assert_eq!(pool.output(), image(2, 3, 1));
        let (y, _) = pooled(pool, x.as_flattened());
        assert_eq!(y, [4.0, 8.0, 99.0, 99.0, 99.0, 99.0]);
    }

    #[test]
    fn channels_and_images_are_apart() {
        let pool = MaxPool::new(image(2, 2, 2), 2, Padding::Valid).unwrap();
        let x = [[1.0, -8.0, 2.0, -7.0, 3.0, -6.0, 0.0, -9.0], [5.0, 0.0, 4.0, 0.0, 4.0, 1.0, 4.0, 0.0]];
        assert_eq!(pooled(pool, x.as_flattened()), (vec![3.0, -6.0, 5.0, 1.0], vec![4, 5, 8, 13]));
    }

    /// The padding is not 0, which would win here.
    #[test]
    fn padding_never_wins() {
        let pool = MaxPool::new(image(2, 2, 1), 5, Padding::Same).unwrap();
        assert_eq!(pooled(pool, &[-4.0, -3.0, -2.0, -5.0]), (vec![-2.0], vec![2]));
    }

    #[test]
    fn the_first_of_equal_values_gets_the_slope() {
        let pool = MaxPool::new(image(2, 4, 1), 2, Padding::Valid).unwrap();
        let (_, winners) = pooled(pool, &[0.0, 6.0, 1.0, 1.0, 6.0, 6.0, 1.0, 1.0]);
        let mut before = vec![0.5; 8];
        MaxPool::backward(&winners, &[2.0, 3.0], &mut before);
        assert_eq!(before, [0.5, 2.5, 3.5, 0.5, 0.5, 0.5, 0.5, 0.5]);
    }

    #[test]
    fn windows_larger_than_the_image_are_refused() {
        assert!(MaxPool::new(image(1, 1, 8), 2, Padding::Valid).is_err());
        assert_eq!(MaxPool::new(image(1, 1, 8), 2, Padding::Same).unwrap().output(), image(1, 1, 8));
        // A single window.
        assert_eq!(MaxPool::new(image(2, 3, 1), 2, Padding::Valid).unwrap().output(), image(1, 1, 1));
    }

    #[test]
    #[should_panic(expected = "5 values, expected images of 4")]
    fn parts_of_images_are_refused() {
        pooled(MaxPool::new(image(2, 2, 1), 2, Padding::Valid).unwrap(), &[0.0; 5]);
    }
}
