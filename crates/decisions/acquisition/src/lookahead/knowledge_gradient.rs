//! Knowledge gradient on finitely many anchors.

use thrifty_check::InputError;
use thrifty_domain::{Points, PointsRef};
use thrifty_prob::UpperEnvelope;
use thrifty_surrogate::{Description, JointPosterior, Lookahead, LookaheadCotangent, lookahead};

use crate::acquisition::settle;
use crate::factory::described;
use crate::lookahead::anchors::CANDIDATES;
use crate::{Acquisition, AcquisitionError, AcquisitionFactory, Context, UtilityScale, choose_anchors};

/// Knowledge gradient, exact on finitely many anchors `a_i`: the expected decrease of the best mean by one observation at x.
///
/// ```text
/// KG(x) = min_i μ_i - E[min_i (μ_i + σ̃_i Z)],   σ̃_i = cov[f(a_i), o(x)] / sd[o(x)],   Z standard normal
/// ```
///
/// The first minimum is over the anchors. The second is over the anchors and x itself, which may be recommended after it is observed.
///
/// With the evaluated points as anchors, this is the value of one more evaluation for a final recommendation of the best mean. It needs no
/// sampling or discretisation. The expectation is that of the upper envelope of lines ([`UpperEnvelope`]); an envelope of m lines costs O(m
/// log m).
/// Source: Frazier, Powell & Dayanik (2009); with x among the choices: Scott, Frazier & Powell (2011).
pub struct KnowledgeGradient<'a> {
    lookahead: Box<dyn Lookahead + 'a>,
    /// The anchor with the smallest mean.
    best: usize,
    only_anchors: bool,
    logarithm: bool,
}

impl<'a> KnowledgeGradient<'a> {
    /// Knowledge gradient of an observation with this noise variance.
    ///
    /// # Errors
    /// [`AcquisitionError`] for no anchors, or a noise variance that is negative or not finite.
    pub fn new(
        posterior: &'a dyn JointPosterior,
        anchors: PointsRef<'_>,
        noise_variance: f64,
    ) -> Result<Self, AcquisitionError> {
        thrifty_check::number(
            "noise variance",
            noise_variance,
            noise_variance >= 0.0,
            "a finite number from 0",
        )?;
        Self::of(lookahead(posterior, anchors, noise_variance))
    }

    /// Knowledge gradient of any [`Lookahead`].
    ///
    /// # Errors
    /// [`AcquisitionError`] for no anchors.
    pub fn of(lookahead: Box<dyn Lookahead + 'a>) -> Result<Self, AcquisitionError> {
        let means = lookahead.means();
        let best = (0..means.len()).min_by(|i, j| means[*i].total_cmp(&means[*j]));
        let best = best.ok_or(InputError::Empty { name: "anchors" })?;
        Ok(Self { lookahead, best, only_anchors: false, logarithm: false })
    }

    /// Restricts the recommendation to the anchors: the candidate itself cannot be recommended.
    #[must_use]
    pub fn among_anchors(mut self) -> Self {
        self.only_anchors = true;
        self
    }

    /// The natural logarithm; it has a gradient where the value underflows.
    #[must_use]
    pub fn logarithm(mut self) -> Self {
        self.logarithm = true;
        self
    }

    /// Lines of the negative means: intercepts and slopes, those of the point itself last; and the standard deviation of the observation.
    fn lines(&self, mean: f64, variance: f64, covariance: &[f64]) -> (Vec<f64>, Vec<f64>, f64) {
        let std_dev = variance.max(0.0).sqrt();
        let count = covariance.len() - usize::from(self.only_anchors);
        let own = (!self.only_anchors).then_some(-mean);
        let a = self.lookahead.means().iter().map(|mean| -mean).chain(own).collect();
        let slope = |c: &f64| if std_dev > 0.0 { c / std_dev } else { 0.0 };
        (a, covariance[..count].iter().map(slope).collect(), std_dev)
    }

    /// Distance of the point's own mean below that of the best anchor, and the envelope.
    fn parts(&self, a: &[f64], b: &[f64]) -> (f64, UpperEnvelope) {
        let ahead = if self.only_anchors { 0.0 } else { (a[a.len() - 1] - a[self.best]).max(0.0) };
        (ahead, UpperEnvelope::of(a, b))
    }

    fn value_of(&self, ahead: f64, envelope: &UpperEnvelope) -> f64 {
        match (self.logarithm, ahead > 0.0) {
            (true, true) => (ahead + envelope.expected_gain()).ln(),
            (true, false) => envelope.log_expected_gain(),
            (false, _) => ahead + envelope.expected_gain(),
        }
    }
}

impl Acquisition for KnowledgeGradient<'_> {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let width = self.lookahead.means().len() + 1;
        let (mut variance, mut covariance) = (vec![0.0; x.len()], vec![0.0; x.len() * width]);
        self.lookahead.moments_into(x, out, &mut variance, &mut covariance);
        for (i, slot) in out.iter_mut().enumerate() {
            let (a, b, _) = self.lines(*slot, variance[i], &covariance[i * width..(i + 1) * width]);
            let (ahead, envelope) = self.parts(&a, &b);
            *slot = self.value_of(ahead, &envelope);
        }
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        let (anchors, d) = (self.lookahead.means().len(), x.dim());
        let (mut variance, mut covariance) = (vec![0.0; x.len()], vec![0.0; x.len() * (anchors + 1)]);
        self.lookahead.moments_into(x, out, &mut variance, &mut covariance);
        gradients.fill(0.0);
        for (i, slot) in out.iter_mut().enumerate() {
            let covariance = &covariance[i * (anchors + 1)..(i + 1) * (anchors + 1)];
            let (a, b, std_dev) = self.lines(*slot, variance[i], covariance);
            let (ahead, envelope) = self.parts(&a, &b);
            let value = self.value_of(ahead, &envelope);
            let (mut of_a, mut of_b) = (vec![0.0; a.len()], vec![0.0; b.len()]);
            let mut of_mean = 0.0;
            if self.logarithm && ahead <= 0.0 {
                envelope.pull_back_logarithm(1.0, &mut of_a, &mut of_b);
            } else {
                let weight = if self.logarithm { (-value).exp() } else { 1.0 };
                envelope.pull_back(weight, &mut of_a, &mut of_b);
                of_mean -= if ahead > 0.0 { weight } else { 0.0 };
            }
            if !self.only_anchors {
                of_mean -= of_a[anchors];
            }
            *slot = value;
            if std_dev > 0.0 {
                // b = c / s: the derivative by each covariance is 1/s, and by the variance -b / 2s² for each line.
                let mut of_covariance: Vec<f64> = of_b.iter().map(|w| w / std_dev).collect();
                let of_variance =
                    -of_b.iter().zip(&b).map(|(w, b)| w * b).sum::<f64>() / (2.0 * std_dev * std_dev);
                of_covariance.resize(anchors + 1, 0.0);
                let gradient = &mut gradients[i * d..(i + 1) * d];
                let weights =
                    LookaheadCotangent { mean: of_mean, variance: of_variance, covariance: &of_covariance };
                if !self.lookahead.pull_back(x.row(i), weights, gradient) {
                    return false;
                }
                settle(gradient);
            }
        }
        true
    }

    fn has_unit(&self) -> bool {
        !self.logarithm
    }
}

/// Factory of the logarithm of [`KnowledgeGradient`] on anchors chosen from the posterior.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct KnowledgeGradientFactory {
    /// Number of anchors.
    pub anchors: usize,
}

impl KnowledgeGradientFactory {
    /// Anchors chosen from the posterior of the context.
    fn chosen(self, context: &mut Context<'_, '_>) -> Result<Points, AcquisitionError> {
        let (joint, candidates) = (context.joint()?, context.candidates(CANDIDATES));
        choose_anchors(joint, candidates.as_ref(), self.anchors, context.rng)
    }
}

impl AcquisitionFactory for KnowledgeGradientFactory {
    fn build<'a>(&self, mut context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let anchors = self.chosen(&mut context)?;
        OnAnchors { anchors }.build(context)
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::Log
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        described("knowledge gradient", self)
    }

    /// Factory on anchors chosen from the mixture.
    fn for_mixture(
        &self,
        mut context: Context<'_, '_>,
    ) -> Result<Option<Box<dyn AcquisitionFactory>>, AcquisitionError> {
        Ok(Some(Box::new(OnAnchors { anchors: self.chosen(&mut context)? })))
    }
}

/// Factory of the logarithm of [`KnowledgeGradient`] on fixed anchors.
struct OnAnchors {
    anchors: Points,
}

impl AcquisitionFactory for OnAnchors {
    fn build<'a>(&self, context: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        let (joint, anchors) = (context.joint()?, self.anchors.as_ref());
        Ok(Box::new(KnowledgeGradient::new(joint, anchors, context.noise_variance)?.logarithm()))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::Log
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        described("knowledge gradient on given anchors", self.anchors.as_flat())
    }
}
