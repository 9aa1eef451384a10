//! The contract of acquisition functions, on every kind of the catalogue, and on some made wrong on purpose.

use std::panic::{AssertUnwindSafe, catch_unwind};

use thrifty_acquisition::{
    Acquisition, AcquisitionError, AcquisitionFactory, AcquisitionKind, Context, Description,
    ExpectedUtilityFactory, ImprovementTarget, MinValueSampler, Schedule, UtilityScale, contract,
};
use thrifty_domain::{Points, PointsRef};
use thrifty_gp::{Gp, GpPosterior};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_sampling::{Seed, Sobol};

fn posterior() -> (Points, GpPosterior<Scaled<Matern52>>) {
    let x = Sobol::scrambled(2, &mut Seed(1).stream("points", 0)).take(10);
    let y: Vec<f64> = x.rows().map(|x| (5.0 * x[0]).sin() + x[1] * x[1]).collect();
    let posterior = Gp::matern52(2).condition(x.as_ref(), &y).unwrap();
    (x, posterior)
}

#[test]
fn every_kind_obeys_it() {
    let (x, posterior) = posterior();
    for kind in [
        AcquisitionKind::ProbabilityOfImprovement(ImprovementTarget::BestObserved),
        AcquisitionKind::LogProbabilityOfImprovement(ImprovementTarget::BestWithMargin { xi: 0.05 }),
        AcquisitionKind::ExpectedImprovement(ImprovementTarget::BestMean),
        AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestObserved),
        AcquisitionKind::ConfidenceBound(Schedule::Brochu { dim: 2, delta: 0.1 }),
        AcquisitionKind::PosteriorMean,
        AcquisitionKind::MaxStdDev,
        AcquisitionKind::Thompson,
        AcquisitionKind::MaxValueEntropySearch(MinValueSampler::Gumbel { count: 8 }),
        AcquisitionKind::Gibbon(MinValueSampler::Sampled { count: 4 }),
        AcquisitionKind::JointEntropySearch { minimizers: 4 },
        AcquisitionKind::EntropySearch { representers: 10, draws: 32 },
        AcquisitionKind::PredictiveEntropySearch { representers: 10, draws: 32 },
        AcquisitionKind::LogNoisyExpectedImprovement { draws: 16 },
        AcquisitionKind::LogKnowledgeGradient { anchors: 10 },
    ] {
        contract::factory(&kind, &posterior, x.as_ref());
    }
    contract::factory(&ExpectedUtilityFactory::new("own", |x, v| x[0] - v), &posterior, x.as_ref());
}

/// The first coordinate with at most one defect.
#[derive(Clone, Copy)]
enum Defect {
    None,
    Nan,
    Negative,
    WrongGradient,
    Batch,
    Unsteady,
    OtherForMixture,
}

struct Wrong(Defect, f64);

impl Acquisition for Wrong {
    fn values_into(&self, x: PointsRef<'_>, out: &mut [f64]) {
        let many = x.len() > 1;
        for (x, slot) in x.rows().zip(out) {
            *slot = match self.0 {
                Defect::Nan if x[0] > 0.5 => f64::NAN,
                Defect::Negative => x[0] - 0.5,
                Defect::Batch if many => 2.0 * x[0],
                Defect::Unsteady => x[0] + self.1,
                _ => x[0],
            };
        }
    }

    fn values_with_gradients_into(&self, x: PointsRef<'_>, out: &mut [f64], gradients: &mut [f64]) -> bool {
        self.values_into(x, out);
        gradients.chunks_exact_mut(x.dim()).for_each(|gradient| {
            gradient.fill(0.0);
            gradient[0] = if matches!(self.0, Defect::WrongGradient) { -1.0 } else { 1.0 };
        });
        true
    }
}

struct WrongFactory(Defect);

impl AcquisitionFactory for WrongFactory {
    fn build<'a>(&self, _: Context<'a, '_>) -> Result<Box<dyn Acquisition + 'a>, AcquisitionError> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static CALLS: AtomicU32 = AtomicU32::new(0);
        Ok(Box::new(Wrong(self.0, f64::from(CALLS.fetch_add(1, Ordering::Relaxed)))))
    }

    fn scale(&self) -> UtilityScale {
        UtilityScale::NonNegative
    }

    fn describe(&self) -> Result<Description, AcquisitionError> {
        Ok(Description::without_settings("wrong on purpose"))
    }

    /// Another function.
    fn for_mixture(
        &self,
        _: Context<'_, '_>,
    ) -> Result<Option<Box<dyn AcquisitionFactory>>, AcquisitionError> {
        let is_other = matches!(self.0, Defect::OtherForMixture);
        Ok(is_other.then(|| Box::new(Self(Defect::Unsteady)) as Box<dyn AcquisitionFactory>))
    }
}

#[test]
fn defects_are_found() {
    use Defect::{Batch, Nan, Negative, OtherForMixture, Unsteady, WrongGradient};
    let (x, posterior) = posterior();
    contract::factory(&WrongFactory(Defect::None), &posterior, x.as_ref());
    for defect in [Nan, Negative, WrongGradient, Batch, Unsteady, OtherForMixture] {
        let run = || contract::factory(&WrongFactory(defect), &posterior, x.as_ref());
        assert!(catch_unwind(AssertUnwindSafe(run)).is_err(), "defect {}", defect as u8);
    }
}
