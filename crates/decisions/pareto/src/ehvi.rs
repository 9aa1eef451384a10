//! Exact expected hypervolume improvement and its logarithm.

mod edge;
mod gap;
mod sum;

use edge::{EdgeTable, Fill};
use gap::{GapTable, Measure};
use sum::Sum;
use thrifty_domain::PointsRef;
use thrifty_simd::dispatch;

use crate::{NonDominatedBoxes, ParetoError, check};

/// Exact expected hypervolume improvement of a point with independent normal objectives.
///
/// ```text
/// EHVI = E[HV(front ∪ {Y}) - HV(front)] = Σ_b Π_j [ψ_j(u_bj) - ψ_j(l_bj)],   ψ_j(a) = E[max(a - Y_j, 0)] = σ_j h((a - μ_j)/σ_j)
/// ```
///
/// The sum is over the [boxes](NonDominatedBoxes) b of the non-dominated region, for any number of objectives. h(z) is φ(z) + z Φ(z).
/// Prefer the logarithm: it has the same maximiser, and a gradient where EHVI itself underflows.
///
/// No variance is clamped. At σ = 0 the improvement is that of the mean, its derivative by σ is 0, and its logarithm is -∞ without
/// improvement. Otherwise the logarithm is finite for every posterior.
///
/// Shapes: means, standard deviations and gradients m.
/// Cost: one density and one Mills ratio per distinct edge of an objective, and O(m) per box.
/// Source: Yang et al. (2019); departure: numbers with a separate exponent for the logarithm.
#[derive(Debug, Clone)]
pub struct ExpectedHypervolumeImprovement {
    objectives: Vec<Objective>,
    boxes: usize,
    gaps: usize,
}

/// The boxes in one objective.
#[derive(Debug, Clone)]
struct Objective {
    /// The distinct edges, ascending; the first is -∞.
    edges: Vec<f64>,
    /// The distinct pairs of lower and upper edge.
    pairs: Vec<[u32; 2]>,
    /// For each box the index of its pair, counted over all objectives.
    gap: Vec<u32>,
}

/// Buffers of an evaluation, reused by the next one.
struct Workspace {
    edges: Vec<EdgeTable>,
    gaps: GapTable,
    term: Vec<f64>,
    power: Vec<f64>,
}

impl ExpectedHypervolumeImprovement {
    /// Improvements over a front, up to a reference point.
    ///
    /// # Errors
    /// As [`NonDominatedBoxes::new`].
    ///
    /// ```
    /// use thrifty_domain::Points;
    /// use thrifty_pareto::ExpectedHypervolumeImprovement;
    /// let front = Points::from_flat(vec![0.0, 1.0, 1.0, 0.0], 2);
    /// let ehvi = ExpectedHypervolumeImprovement::new(front.as_ref(), &[2.0, 2.0])?;
    /// assert_eq!(ehvi.value(&[0.5, 0.5], &[0.0, 0.0])?, 0.25);
    /// // Far beyond the reference point EHVI is 0 in double precision. Its logarithm still has a gradient towards it.
    /// let (mut by_mean, mut by_std_dev) = ([0.0; 2], [0.0; 2]);
    /// let log = ehvi.log_value_with_grad(&[50.0, 1.0], &[0.1, 0.1], &mut by_mean, &mut by_std_dev)?;
    /// assert!(log < -1e5 && by_mean[0] < -1000.0);
    /// # Ok::<(), thrifty_pareto::ParetoError>(())
    /// ```
    pub fn new(front: PointsRef<'_>, reference: &[f64]) -> Result<Self, ParetoError> {
        Ok(Self::over(&NonDominatedBoxes::new(front, reference)?))
    }

    /// Improvements over given boxes, such as those with pending points.
    pub fn over(boxes: &NonDominatedBoxes) -> Self {
        let mut objectives = Vec::new();
        let mut gaps = 0;
        for j in 0..boxes.reference().len() {
            let objective = Objective::new(boxes, j, gaps);
            gaps += objective.pairs.len();
            objectives.push(objective);
        }
        Self { objectives, boxes: boxes.len(), gaps }
    }

    /// EHVI; 0 where it underflows.
    ///
    /// # Errors
    /// [`ParetoError::InvalidBelief`] for a mean or standard deviation that is not finite and a negative standard deviation,
    /// [`ParetoError::ObjectiveMismatch`].
    pub fn value(&self, mean: &[f64], std_dev: &[f64]) -> Result<f64, ParetoError> {
        self.require(mean, std_dev)?;
        Ok(self.evaluate(mean, std_dev, &mut self.workspace(), None).value())
    }

    /// `ln EHVI`.
    ///
    /// # Errors
    /// As [`ExpectedHypervolumeImprovement::value`].
    pub fn log_value(&self, mean: &[f64], std_dev: &[f64]) -> Result<f64, ParetoError> {
        self.require(mean, std_dev)?;
        Ok(self.evaluate(mean, std_dev, &mut self.workspace(), None).log())
    }

    /// EHVI and its derivatives by means and standard deviations, which overwrite the gradients.
    ///
    /// # Errors
    /// As [`ExpectedHypervolumeImprovement::value`].
    pub fn value_with_grad(
        &self,
        mean: &[f64],
        std_dev: &[f64],
        by_mean: &mut [f64],
        by_std_dev: &mut [f64],
    ) -> Result<f64, ParetoError> {
        self.require_all(mean, std_dev, by_mean, by_std_dev)?;
        let slopes = Some((&mut *by_mean, &mut *by_std_dev));
        let sum = self.evaluate(mean, std_dev, &mut self.workspace(), slopes);
        let value = sum.value();
        by_mean.iter_mut().chain(by_std_dev).for_each(|slope| *slope *= value);
        Ok(value)
    }

    /// `ln EHVI` and its derivatives by means and standard deviations, which overwrite the gradients.
    ///
    /// Gradients are 0 where EHVI is exactly 0, as it can be at standard deviations of 0.
    ///
    /// # Errors
    /// As [`ExpectedHypervolumeImprovement::value`].
    pub fn log_value_with_grad(
        &self,
        mean: &[f64],
        std_dev: &[f64],
        by_mean: &mut [f64],
        by_std_dev: &mut [f64],
    ) -> Result<f64, ParetoError> {
        self.require_all(mean, std_dev, by_mean, by_std_dev)?;
        let slopes = Some((by_mean, by_std_dev));
        Ok(self.evaluate(mean, std_dev, &mut self.workspace(), slopes).log())
    }

    /// `ln EHVI` of many posteriors.
    ///
    /// Shapes: `means` and `std_devs` k×m, `out` k.
    ///
    /// # Errors
    /// As [`ExpectedHypervolumeImprovement::value`]; [`ParetoError::LengthMismatch`] where the lists have
    /// different lengths.
    pub fn log_values_into(
        &self,
        means: PointsRef<'_>,
        std_devs: PointsRef<'_>,
        out: &mut [f64],
    ) -> Result<(), ParetoError> {
        check::rows("the list of deviations", std_devs.len(), means.len())?;
        check::rows("the list of results", out.len(), means.len())?;
        let mut workspace = self.workspace();
        for ((mean, std_dev), out) in means.rows().zip(std_devs.rows()).zip(out) {
            self.require(mean, std_dev)?;
            *out = self.evaluate(mean, std_dev, &mut workspace, None).log();
        }
        Ok(())
    }

    /// Number of boxes.
    pub fn boxes(&self) -> usize {
        self.boxes
    }

    fn workspace(&self) -> Workspace {
        Workspace {
            edges: self.objectives.iter().map(|objective| EdgeTable::new(objective.edges.len())).collect(),
            gaps: GapTable::new(self.gaps),
            term: vec![0.0; self.boxes],
            power: vec![0.0; self.boxes],
        }
    }

    /// Sum over the boxes, and the derivatives of its logarithm.
    fn evaluate(
        &self,
        mean: &[f64],
        std_dev: &[f64],
        workspace: &mut Workspace,
        slopes: Option<(&mut [f64], &mut [f64])>,
    ) -> Sum {
        let Workspace { edges: tables, gaps, term, power } = workspace;
        let mut start = 0;
        for (j, objective) in self.objectives.iter().enumerate() {
            let (edges, table) = (&objective.edges, &mut tables[j]);
            dispatch(Fill { edges, mean: mean[j], std_dev: std_dev[j], table });
            dispatch(Measure { pairs: &objective.pairs, table, slopes: slopes.is_some(), start, gaps });
            start += objective.pairs.len();
        }
        let sum = sum::over_boxes(&self.objectives, gaps, term, power);
        if let Some((by_mean, by_std_dev)) = slopes {
            for (j, objective) in self.objectives.iter().enumerate() {
                (by_mean[j], by_std_dev[j]) = sum.slopes(objective, gaps, term);
            }
        }
        sum
    }

    fn require(&self, mean: &[f64], std_dev: &[f64]) -> Result<(), ParetoError> {
        let m = self.objectives.len();
        check::objectives("the list of means", mean.len(), m)?;
        check::objectives("the list of deviations", std_dev.len(), m)?;
        for (objective, (&mean, &std_dev)) in mean.iter().zip(std_dev).enumerate() {
            if !(mean.is_finite() && std_dev.is_finite() && std_dev >= 0.0) {
                return Err(ParetoError::InvalidBelief { objective, mean, std_dev });
            }
        }
        Ok(())
    }

    fn require_all(&self, mean: &[f64], std_dev: &[f64], a: &[f64], b: &[f64]) -> Result<(), ParetoError> {
        self.require(mean, std_dev)?;
        check::objectives("the gradient by means", a.len(), self.objectives.len())?;
        check::objectives("the gradient by deviations", b.len(), self.objectives.len())
    }
}

impl Objective {
    /// Objective `j` of the boxes; the indices of its pairs begin at `start`.
    fn new(boxes: &NonDominatedBoxes, j: usize, start: usize) -> Self {
        let sides: Vec<[f64; 2]> =
            boxes.rows().map(|(lower, upper)| [lower[j] + 0.0, upper[j] + 0.0]).collect();
        let mut edges: Vec<f64> = sides.iter().flatten().copied().chain([f64::NEG_INFINITY]).collect();
        edges.sort_unstable_by(f64::total_cmp);
        edges.dedup();
        let place = |edge: f64| edges.partition_point(|other| *other < edge) as u32;
        let of_box: Vec<[u32; 2]> = sides.iter().map(|&[low, high]| [place(low), place(high)]).collect();
        let mut pairs = of_box.clone();
        pairs.sort_unstable();
        pairs.dedup();
        let gap =
            of_box.iter().map(|pair| (start + pairs.partition_point(|other| other < pair)) as u32).collect();
        Self { edges, pairs, gap }
    }
}
