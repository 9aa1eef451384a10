//! Convolution of images.

use super::product::{View, add_product, transpose};
use super::window::{ImageShape, Line, Padding, Windows};
use crate::LearnerError;

/// Convolution with square kernels, all channels at once.
///
/// ```text
/// y[r, c, f] = b[f] + Σ_{i,j,m} x[r + i - p, c + j - p, m] · w[i, j, m, f],   x = 0 outside of the image
/// ```
///
/// Patches are gathered into a matrix, one row per window, so that a convolution is one product. Parameters: weights in the order i, j, m, f,
/// then `filters` thresholds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conv2d {
    windows: Windows,
    filters: usize,
}

/// Values of patches at a time: 64 kB, so that the product finds them in the cache.
const PATCHES: usize = 1 << 14;

impl Conv2d {
    /// Convolution with kernels of `kernel`×`kernel` pixels, one pixel apart.
    ///
    /// # Errors
    /// As [`Windows::new`], and for no filter at all.
    pub fn new(
        input: ImageShape,
        kernel: usize,
        filters: usize,
        padding: Padding,
    ) -> Result<Self, LearnerError> {
        if filters == 0 {
            return Err(LearnerError::Layer {
                message: "a convolution with 0 filters, expected at least one".into(),
            });
        }
        Ok(Self { windows: Windows::new(input, kernel, 1, padding)?, filters })
    }

    pub fn output(&self) -> ImageShape {
        self.windows.output(self.filters)
    }

    pub fn filters(&self) -> usize {
        self.filters
    }

    /// Values of a patch: what goes into one neuron.
    pub fn inputs(&self) -> usize {
        self.windows.values()
    }

    /// Neurons that one value goes into, the border left aside.
    pub fn fan_out(&self) -> usize {
        self.windows.values() / self.windows.input().channels * self.filters
    }

    /// Neurons per filter.
    pub fn positions(&self) -> usize {
        self.windows.count()
    }

    /// Appends the outputs of a batch of images.
    ///
    /// # Panics
    /// If the batch is not a number of whole images.
    pub fn forward(&self, x: &[f32], parameters: &[f32], y: &mut Vec<f32>) {
        let (weights, thresholds) = parameters.split_at(self.inputs() * self.filters);
        let (lines, mut patches) = (self.windows.lines(), Vec::new());
        for images in x.chunks(self.block(x)) {
            let start = y.len();
            let windows = self.gather(images, &lines, &mut patches);
            (0..windows).for_each(|_| y.extend_from_slice(thresholds));
            add_product(View::new(&patches, self.inputs()), weights, &mut y[start..]);
        }
    }

    /// Adds the slopes of the parameters to `sums`, and those of the inputs to `before` where they are asked for.
    ///
    /// # Panics
    /// If the batch is not a number of whole images.
    pub fn backward(
        &self,
        x: &[f32],
        parameters: &[f32],
        delta: &[f32],
        sums: &mut [f32],
        mut before: Option<&mut [f32]>,
    ) {
        let (weights, thresholds) = sums.split_at_mut(self.inputs() * self.filters);
        for row in delta.chunks_exact(self.filters) {
            thresholds.iter_mut().zip(row).for_each(|(sum, d)| *sum += d);
        }
        let (lines, mut patches, mut turned) = (self.windows.lines(), Vec::new(), Vec::new());
        transpose(&parameters[..self.inputs() * self.filters], self.filters, &mut turned);
        let (block, image) = (self.block(x), self.windows.input().values());
        for (at, images) in x.chunks(block).enumerate() {
            let windows = self.gather(images, &lines, &mut patches);
            let first = at * block / image * self.positions();
            let delta = &delta[first * self.filters..(first + windows) * self.filters];
            add_product(View::new(&patches, self.inputs()).transposed(), delta, weights);
            if let Some(before) = &mut before {
                patches.fill(0.0);
                add_product(View::new(delta, self.filters), &turned, &mut patches);
                self.scatter(&patches, &lines, &mut before[at * block..][..images.len()]);
            }
        }
    }

    /// Values of the images whose patches are gathered at a time.
    fn block(&self, x: &[f32]) -> usize {
        let image = self.windows.input().values();
        assert!(x.len().is_multiple_of(image), "{} values, expected images of {image}", x.len());
        (PATCHES / (self.inputs() * self.positions())).max(1) * image
    }

    /// One patch per window, padded with 0. The result is the number of windows.
    fn gather(&self, images: &[f32], lines: &[Line], patches: &mut Vec<f32>) -> usize {
        let windows = images.len() / self.windows.input().values() * self.positions();
        patches.clear();
        patches.resize(windows * self.inputs(), 0.0);
        let own = patches.chunks_exact_mut(self.positions() * self.inputs());
        for (image, patches) in images.chunks_exact(self.windows.input().values()).zip(own) {
            for line in lines {
                let to = line.window * self.inputs() + line.in_window;
                patches[to..to + line.len].copy_from_slice(&image[line.in_image..][..line.len]);
            }
        }
        windows
    }

    /// Adds patches to the values that they were gathered from.
    fn scatter(&self, patches: &[f32], lines: &[Line], images: &mut [f32]) {
        let own = patches.chunks_exact(self.positions() * self.inputs());
        for (image, patches) in images.chunks_exact_mut(self.windows.input().values()).zip(own) {
            for line in lines {
                let from = &patches[line.window * self.inputs() + line.in_window..][..line.len];
                image[line.in_image..][..line.len].iter_mut().zip(from).for_each(|(sum, d)| *sum += d);
            }
        }
    }
}

#[cfg(test)]
mod tests;
