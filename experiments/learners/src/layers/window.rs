//! Square windows that slide over an image.

use crate::LearnerError;

/// Shape of an image. Its values lie row by row, the channels of a pixel together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageShape {
    /// Pixels from top to bottom.
    pub height: usize,
    /// Pixels from left to right.
    pub width: usize,
    /// Values of a pixel.
    pub channels: usize,
}

impl ImageShape {
    /// Number of values.
    pub fn values(self) -> usize {
        self.height * self.width * self.channels
    }
}

/// Treatment of the border of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// Windows lie inside the image.
    Valid,
    /// One window per stride, rounded up: the image is continued on both sides, on the far side by one pixel more where the number is odd.
    Same,
}

/// Windows of one layer over one image.
///
/// ```text
/// valid: floor((n - size) / stride) + 1,   same: ceil(n / stride)        windows along an axis of n pixels
/// ```
///
/// Source: the rules of Keras, which `cironis2022` uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Windows {
    input: ImageShape,
    size: usize,
    stride: usize,
    /// Windows, and pixels of padding before the image, by axis.
    rows: Axis,
    columns: Axis,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Axis {
    windows: usize,
    before: usize,
}

/// Part of a window that lies in one row of the image: neighbouring values in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// Number of the window, row by row.
    pub window: usize,
    /// First value in the image, and in the window.
    pub in_image: usize,
    pub in_window: usize,
    /// Number of values.
    pub len: usize,
}

impl Windows {
    /// # Errors
    /// [`LearnerError::Layer`] for an image or window without pixels, and where not a single window fits without padding.
    pub(super) fn new(
        input: ImageShape,
        size: usize,
        stride: usize,
        padding: Padding,
    ) -> Result<Self, LearnerError> {
        let ImageShape { height, width, channels } = input;
        let of = |message: &str| {
            let message = format!(
                "windows of {size}×{size} pixels, {stride} apart, over an image of {height}×{width} pixels and {channels} channels: {message}"
            );
            LearnerError::Layer { message }
        };
        if input.values() == 0 || size == 0 || stride == 0 {
            return Err(of("expected at least one of each"));
        }
        if padding == Padding::Valid && size > height.min(width) {
            return Err(of("no window fits without padding"));
        }
        let axis = |pixels: usize| match padding {
            Padding::Valid => Axis { windows: (pixels - size) / stride + 1, before: 0 },
            Padding::Same => {
                let windows = pixels.div_ceil(stride);
                Axis { windows, before: ((windows - 1) * stride + size).saturating_sub(pixels) / 2 }
            }
        };
        Ok(Self { input, size, stride, rows: axis(height), columns: axis(width) })
    }

    pub(super) fn input(&self) -> ImageShape {
        self.input
    }

    /// Shape of an image with one pixel per window.
    pub(super) fn output(&self, channels: usize) -> ImageShape {
        ImageShape { height: self.rows.windows, width: self.columns.windows, channels }
    }

    /// Windows per image.
    pub(super) fn count(&self) -> usize {
        self.rows.windows * self.columns.windows
    }

    /// Values per window, padding included.
    pub(super) fn values(&self) -> usize {
        self.size * self.size * self.input.channels
    }

    /// Lines of all windows of an image, window by window and row by row.
    pub(super) fn lines(&self) -> Vec<Line> {
        let ImageShape { height, width, channels } = self.input;
        let mut lines = Vec::with_capacity(self.count() * self.size);
        for window in 0..self.count() {
            let (row, column) = (window / self.columns.windows, window % self.columns.windows);
            // Coordinates in the padded image.
            let (top, left) = (row * self.stride, column * self.stride);
            let first = left.max(self.columns.before);
            let last = (left + self.size).min(self.columns.before + width);
            for y in top.max(self.rows.before)..(top + self.size).min(self.rows.before + height) {
                lines.push(Line {
                    window,
                    in_image: ((y - self.rows.before) * width + first - self.columns.before) * channels,
                    in_window: ((y - top) * self.size + first - left) * channels,
                    len: (last - first) * channels,
                });
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn image(height: usize, width: usize, channels: usize) -> ImageShape {
        ImageShape { height, width, channels }
    }

    #[test]
    fn numbers_of_windows_are_those_of_keras() {
        let of = |pixels, size, stride, padding| {
            let windows = Windows::new(image(pixels, pixels, 1), size, stride, padding).unwrap();
            (windows.rows.windows, windows.rows.before)
        };
        assert_eq!(of(50, 3, 1, Padding::Valid), (48, 0));
        assert_eq!(of(11, 2, 2, Padding::Valid), (5, 0));
        assert_eq!(of(11, 2, 2, Padding::Same), (6, 0));
        assert_eq!(of(8, 3, 1, Padding::Same), (8, 1));
        // An even window has one pixel of padding more behind the image than before it.
        assert_eq!(of(8, 4, 1, Padding::Same), (8, 1));
        assert_eq!(of(2, 5, 5, Padding::Same), (1, 1));
        assert_eq!(of(144, 5, 5, Padding::Same), (29, 0));
        assert_eq!(of(3, 3, 1, Padding::Valid), (1, 0));
        // Strides longer than windows leave pixels out and need no padding.
        assert_eq!(of(7, 1, 3, Padding::Same), (3, 0));
    }

    #[test]
    fn lines_are_clipped_at_the_border() {
        let windows = Windows::new(image(2, 3, 2), 3, 2, Padding::Same).unwrap();
        assert_eq!((windows.count(), windows.values()), (2, 18));
        let line = |window, in_image, in_window, len| Line { window, in_image, in_window, len };
        // One pixel of padding to the left and right, none above and one below.
        assert_eq!(windows.lines(), [line(0, 0, 2, 4), line(0, 6, 8, 4), line(1, 2, 0, 4), line(1, 8, 6, 4)]);
    }

    #[test]
    fn impossible_windows_are_refused() {
        for (input, size, stride, padding, expected) in [
            (image(4, 2, 1), 3, 1, Padding::Valid, "no window fits without padding"),
            (image(4, 4, 0), 3, 1, Padding::Same, "expected at least one of each"),
            (image(4, 4, 1), 0, 1, Padding::Valid, "expected at least one of each"),
            (image(4, 4, 1), 2, 0, Padding::Valid, "expected at least one of each"),
        ] {
            let error = Windows::new(input, size, stride, padding).unwrap_err().to_string();
            assert!(error.ends_with(expected), "{error}");
        }
    }
}
