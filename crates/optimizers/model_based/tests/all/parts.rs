//! Small parts: scales, fingerprints, turns, weights, fits of several outputs.

use thrifty_acquisition::{Acquisition, AcquisitionFactory, AcquisitionKind, ImprovementTarget};
use thrifty_domain::{Points, PointsRef};
use thrifty_model_based::{
    Candidate, GpSurrogate, LossTransform, Modelled, Outlook, OutputFitter, Scale, Turn,
    acquisition_fingerprint, carried, feasibilities, probability_feasible, surrogate_fingerprint,
    weighted_logarithm,
};
use thrifty_sampling::{Seed, Stream};
use thrifty_space::Space;
use thrifty_study::{Ask, Fingerprint, OptimizerError, StopReason, Suggestion, TrialId};
use thrifty_surrogate::{Observations, Posterior};

/// A scale increases, its inverse takes it back, its slope is its derivative; straight ones have mean 0 and standard deviation 1.
#[test]
fn scales_are_maps_with_inverse_and_slope() {
    let losses = [1.0, 2.0, 2.5, 4.0, 30.0];
    for transform in
        [LossTransform::None, LossTransform::UpperTail, LossTransform::UpperHalf, LossTransform::BothTails]
    {
        let scale = Scale::of(&losses, transform);
        for loss in [-3.0, 1.0, 2.2, 17.0] {
            let value = scale.apply(loss);
            assert!((scale.invert(value) - loss).abs() < 1e-9 * (1.0 + loss.abs()), "{transform:?} {loss}");
            let slope = (scale.apply(loss + 1e-5) - scale.apply(loss - 1e-5)) / 2e-5;
            assert!(slope > 0.0 && (scale.slope(loss) - slope).abs() < 1e-5 * slope, "{transform:?} {loss}");
        }
    }
    let straight = losses.map(|loss| Scale::of(&losses, LossTransform::None).apply(loss));
    let mean = straight.iter().sum::<f64>() / 5.0;
    let variance = straight.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 4.0;
    assert!(mean.abs() < 1e-12 && (variance - 1.0).abs() < 1e-12, "{mean} {variance}");
    // The upper tail is drawn in.
    let of = |transform| Scale::of(&losses, transform).apply(30.0);
    assert!(of(LossTransform::UpperTail) < of(LossTransform::None));
}

#[test]
fn values_are_carried_within_the_range_of_a_surrogate() {
    let largest = thrifty_gp::LARGEST_TARGET;
    assert_eq!([carried(2.0), carried(-3.0)], [2.0, -3.0]);
    assert_eq!([carried(f64::INFINITY), carried(-2.0 * largest)], [largest, -largest]);
}

#[test]
fn fingerprints_name_surrogate_and_acquisition() {
    let of = |surrogate: &GpSurrogate| surrogate_fingerprint(surrogate).unwrap();
    let default = of(&GpSurrogate::default());
    assert!(default.differences(&of(&GpSurrogate::default())).is_empty());
    assert!(!default.differences(&Fingerprint::new("another")).is_empty());
    let by = |kind: &AcquisitionKind| acquisition_fingerprint(Fingerprint::new("a"), kind).unwrap();
    let (mean, improvement) = (
        AcquisitionKind::PosteriorMean,
        AcquisitionKind::LogExpectedImprovement(ImprovementTarget::BestMean),
    );
    assert!(by(&mean).differences(&by(&mean)).is_empty());
    let found = by(&mean).differences(&by(&improvement));
    assert!(!found.is_empty() && found.iter().all(|d| d.path.starts_with("acquisition")), "{found:?}");
}

/// A turn that suggests 7 of its own.
struct Seven(Space);

impl Modelled<u64> for Seven {
    fn space(&self) -> &Space {
        &self.0
    }

    fn posteriors(&self) -> Vec<&dyn Posterior> {
        vec![]
    }

    fn exploit(&mut self, by: Option<&dyn AcquisitionFactory>) -> Result<Ask<u64>, OptimizerError> {
        assert!(by.is_none());
        Ok(Ask::Evaluate(Suggestion::new(7)))
    }

    fn outlook(&mut self, _: Option<&dyn AcquisitionFactory>) -> Result<Option<Outlook>, OptimizerError> {
        Ok(None)
    }

    fn maximize(&self, _: &dyn Acquisition, _: &str) -> Vec<Candidate> {
        vec![]
    }

    fn suggest(&mut self, _: Vec<Candidate>) -> Result<Option<Suggestion<u64>>, OptimizerError> {
        Ok(None)
    }
}

fn stream() -> Stream {
    Seed(3).stream("uniform", 0)
}

/// Uniform points are those of the stream, on the levels of the space; a turn answers by its own choice.
#[test]
fn turns_answer_by_their_own_choice() {
    let space = Space::builder().float("x", 0.0, 1.0).int("i", 0, 4).build().unwrap();
    let domain = space.domain().clone();
    let points = Seven(space.clone()).uniform(20, &mut stream());
    let mut rng = stream();
    assert_eq!((points.len(), points.dim()), (20, 2));
    for row in points.rows() {
        let mut expected = [rng.uniform(), rng.uniform()];
        domain.snap(&mut expected);
        assert_eq!(row, expected);
    }
    let mut levels: Vec<i64> = points.rows().map(|row| space.decode(row).int("i").unwrap()).collect();
    levels.sort_unstable();
    levels.dedup();
    assert_eq!(levels, [0, 1, 2, 3, 4]);
    assert_eq!(Turn::Modelled(Box::new(Seven(space))).ask().unwrap(), Ask::Evaluate(Suggestion::new(7)));
    let decided: Turn<'_, u64> = Turn::Decided(Ask::Stop(StopReason::Exhausted));
    assert_eq!(decided.ask().unwrap(), Ask::Stop(StopReason::Exhausted));
}

/// Normal with a mean and a standard deviation everywhere.
struct Constant(f64, f64);

impl Posterior for Constant {
    fn dim(&self) -> usize {
        1
    }

    fn predict_into(&self, x: PointsRef<'_>, mean: &mut [f64], variance: &mut [f64]) {
        mean[..x.len()].fill(self.0);
        variance[..x.len()].fill(self.1 * self.1);
    }
}

/// The probability that normal constraints are not positive is the product of `Φ(-μ/σ)`.
#[test]
fn probabilities_of_constraints_are_multiplied() {
    let (a, b) = (Constant(0.5, 1.0), Constant(-3.0, 2.0));
    let both: [&dyn Posterior; 2] = [&a, &b];
    let expected = thrifty_prob::cdf(-0.5) * thrifty_prob::cdf(1.5);
    assert!((probability_feasible(both.into_iter(), &[0.3]) - expected).abs() < 1e-12);
    assert_eq!(probability_feasible(std::iter::empty(), &[0.3]), 1.0);
    let logs: Vec<f64> = feasibilities(both.into_iter()).iter().map(|log| log.value(&[0.3])).collect();
    assert!((logs[0] - thrifty_prob::cdf(-0.5).ln()).abs() < 1e-12 && logs.len() == 2);
    let weights = weighted_logarithm(None, feasibilities(both.into_iter()));
    assert!((weights.value(&[0.3]) - expected.ln()).abs() < 1e-12);
    let utility = feasibilities(both.into_iter()).swap_remove(0);
    let weighted = weighted_logarithm(Some(utility), feasibilities(both.into_iter()));
    assert!((weighted.value(&[0.3]) - expected.ln() - logs[0]).abs() < 1e-12);
}

/// Each output has its column, its noise, its name and its stream.
#[test]
fn several_outputs_are_fitted_one_by_one() {
    let space = Space::builder().float("x", 0.0, 1.0).build().unwrap();
    let surrogate = GpSurrogate::default();
    let (seed, id) = (Seed(5), TrialId(9));
    let (surrogates, trials) = ((&surrogate, &surrogate), Vec::new());
    let fitter = OutputFitter {
        space: &space,
        surrogate: surrogates.0,
        weight_surrogate: surrogates.1,
        trials,
        seed,
        id,
    };
    let x = Points::from_flat(vec![0.1, 0.4, 0.7, 0.9], 1);
    let columns = vec![vec![1.0, 2.0, 1.5, 0.0], vec![-5.0, 3.0, 4.0, 1.0]];
    let noise = vec![vec![0.0; 4], vec![9.0, 0.0, 9.0, 9.0]];
    let plain = fitter.fit_all("objective", &x, &columns, None).unwrap();
    let noisy = fitter.fit_all("objective", &x, &columns, Some(&noise)).unwrap();
    let names: Vec<&str> = plain.iter().map(|model| &model.name[..]).collect();
    assert_eq!(names, ["objective 0", "objective 1"]);
    for (j, y) in columns.iter().enumerate() {
        let alone = fitter.fit(format!("objective {j}"), Observations::new(x.as_ref(), y)).unwrap();
        let at = |posterior: &dyn Posterior| posterior.predict(&[0.3]);
        assert_eq!(at(plain[j].posterior()), at(alone.posterior()));
        let weight = fitter.fit_weight(format!("objective {j}"), Observations::new(x.as_ref(), y)).unwrap();
        assert_eq!(at(weight.posterior()), at(alone.posterior()));
        assert!(plain[j].joint().is_some());
    }
    let at = |j: usize| (plain[j].posterior().predict(&[0.1]), noisy[j].posterior().predict(&[0.1]));
    assert_eq!(at(0).0, at(0).1);
    assert!(at(1).1.variance > at(1).0.variance, "{:?}", at(1));
    let bad = [1.0, f64::NAN, 0.0, 0.0];
    let error = fitter.fit("cost".into(), Observations::new(x.as_ref(), &bad)).err().unwrap().to_string();
    assert!(error.contains("fitting the model of cost for trial 9"), "{error}");
    let error = fitter.fit("model".into(), Observations::new(x.as_ref(), &bad)).err().unwrap().to_string();
    assert!(error.contains("fitting the model for trial 9"), "{error}");
}
