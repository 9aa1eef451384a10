//! Lists of points in one allocation.

use crate::DomainError;

/// A list of n points of dimension d; each point is a contiguous slice.
///
/// A bare matrix does not state whether rows or columns are points; this type does.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Points {
    dim: usize,
    len: usize,
    data: Vec<f64>,
}

/// Borrowed [`Points`]. Copy it freely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointsRef<'a> {
    dim: usize,
    len: usize,
    data: &'a [f64],
}

/// Points as they are read.
#[derive(serde::Deserialize)]
#[serde(rename = "Points")]
struct Unchecked {
    dim: usize,
    len: usize,
    data: Vec<f64>,
}

impl TryFrom<Unchecked> for Points {
    type Error = String;

    fn try_from(Unchecked { dim, len, data }: Unchecked) -> Result<Self, String> {
        if dim.checked_mul(len) == Some(data.len()) {
            Ok(Self { dim, len, data })
        } else {
            Err(format!("{} coordinates for {len} points of dimension {dim}", data.len()))
        }
    }
}

impl Points {
    /// An empty list of points of dimension `dim`.
    #[must_use]
    pub fn new(dim: usize) -> Self {
        Self { dim, len: 0, data: Vec::new() }
    }

    /// `len` points at the origin.
    #[must_use]
    pub fn zeros(len: usize, dim: usize) -> Self {
        Self { dim, len, data: vec![0.0; len * dim] }
    }

    /// Points from rows of equal length. No rows make an empty list of dimension 0.
    ///
    /// # Errors
    /// [`DomainError::DimensionMismatch`] names the first row of another length.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Self, DomainError> {
        let dim = rows.first().map_or(0, |row| row.as_ref().len());
        let mut points = Self::new(dim);
        for row in rows {
            points.try_push(row.as_ref())?;
        }
        Ok(points)
    }

    /// Points from coordinates laid out point after point.
    ///
    /// # Panics
    /// When `data.len()` is not a multiple of `dim`, or `dim` is 0.
    #[must_use]
    pub fn from_flat(data: Vec<f64>, dim: usize) -> Self {
        assert!(
            dim > 0 && data.len().is_multiple_of(dim),
            "{} coordinates are not points of dimension {dim}",
            data.len()
        );
        Self { dim, len: data.len() / dim, data }
    }

    /// Adds a point.
    ///
    /// # Panics
    /// When the point has another dimension: a caller's bug. Use [`Points::try_push`] on data.
    pub fn push(&mut self, point: &[f64]) {
        assert_eq!(point.len(), self.dim, "a point of another dimension");
        self.data.extend_from_slice(point);
        self.len += 1;
    }

    /// Adds a point that comes from data.
    ///
    /// # Errors
    /// [`DomainError::DimensionMismatch`] when the point has another dimension.
    pub fn try_push(&mut self, point: &[f64]) -> Result<(), DomainError> {
        if point.len() != self.dim {
            return Err(DomainError::DimensionMismatch {
                index: self.len,
                found: point.len(),
                expected: self.dim,
            });
        }
        self.push(point);
        Ok(())
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there are no points.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Dimension of each point.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Coordinates, point after point.
    #[must_use]
    pub fn as_flat(&self) -> &[f64] {
        &self.data
    }

    /// Coordinates for writing, point after point.
    #[must_use]
    pub fn as_flat_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// Point `index`.
    #[must_use]
    pub fn row(&self, index: usize) -> &[f64] {
        self.as_ref().row(index)
    }

    /// Point `index` for writing.
    #[must_use]
    pub fn row_mut(&mut self, index: usize) -> &mut [f64] {
        &mut self.data[index * self.dim..(index + 1) * self.dim]
    }

    /// The points in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> + '_ {
        self.as_ref().rows()
    }

    /// Borrows the list.
    #[must_use]
    pub fn as_ref(&self) -> PointsRef<'_> {
        PointsRef { dim: self.dim, len: self.len, data: &self.data }
    }
}

impl<'a> PointsRef<'a> {
    /// One point as a list.
    #[must_use]
    pub fn single(point: &'a [f64]) -> Self {
        Self { dim: point.len(), len: 1, data: point }
    }

    /// Number of points.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        self.len
    }

    /// True if there are no points.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Dimension of each point.
    #[inline]
    #[must_use]
    pub fn dim(self) -> usize {
        self.dim
    }

    /// Point `index`.
    ///
    /// # Panics
    /// When there is no such point.
    #[inline]
    #[must_use]
    pub fn row(self, index: usize) -> &'a [f64] {
        assert!(index < self.len, "point {index} of {}", self.len);
        &self.data[index * self.dim..(index + 1) * self.dim]
    }

    /// The points in order.
    pub fn rows(self) -> impl ExactSizeIterator<Item = &'a [f64]> + 'a {
        (0..self.len).map(move |index| self.row(index))
    }

    /// Coordinates, point after point.
    #[must_use]
    pub fn as_flat(self) -> &'a [f64] {
        self.data
    }

    /// Points `start..end`.
    #[must_use]
    pub fn slice(self, start: usize, end: usize) -> Self {
        Self { dim: self.dim, len: end - start, data: &self.data[start * self.dim..end * self.dim] }
    }

    /// A copy that owns its coordinates.
    #[must_use]
    pub fn to_owned(self) -> Points {
        Points { dim: self.dim, len: self.len, data: self.data.to_vec() }
    }

    /// Checks that every coordinate is finite.
    ///
    /// # Errors
    /// [`DomainError::NonFinite`] names the first coordinate that is not.
    pub fn require_finite(self) -> Result<(), DomainError> {
        match self.data.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(at) => Err(DomainError::NonFinite {
                index: at / self.dim,
                column: at % self.dim,
                value: self.data[at],
            }),
        }
    }
}
