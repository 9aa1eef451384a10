//! Laws of single functions: draws at some of the points, gains in their slopes, ends of the real line, bad input.

use thrifty_acquisition::{
    AcquisitionError, BoundaryInformation, ConditionalDraws, ExpectedReduction, Gibbon, IntegratedBernoulli,
    MaxValueEntropySearch, MisclassifiedVolume, PathSearch, PointState, Utility, minimizers_on,
};
use thrifty_check::InputError;
use thrifty_domain::{Domain, Points};
use thrifty_gp::{Gp, GpPosterior, GpSettings, Noise};
use thrifty_kernel::{Matern52, Scaled};
use thrifty_sampling::Seed;

fn points(count: usize, seed: u64) -> Points {
    let mut rng = Seed(seed).stream("points", 0);
    Points::from_flat((0..2 * count).map(|_| rng.uniform()).collect(), 2)
}

fn posterior() -> GpPosterior<Scaled<Matern52>> {
    let x = points(6, 1);
    let y: Vec<f64> = x.rows().map(|p| (6.0 * p[0]).sin() + p[1]).collect();
    let settings = GpSettings { noise: Noise::Fixed(1e-2), ..GpSettings::default() };
    Gp::matern52(2).with_settings(settings).condition(x.as_ref(), &y).unwrap()
}

/// Restricting draws to some of the points leaves the draws at those points unchanged.
#[test]
fn draws_at_some_of_the_points_are_those_at_all() {
    let (posterior, x) = (posterior(), points(5, 2));
    let all = ConditionalDraws::new(&posterior, x.as_ref(), 8, &mut Seed(3).stream("draws", 0)).unwrap();
    for kept in [vec![0, 1, 2, 3, 4], vec![4, 1], vec![2]] {
        let some = all.only(&posterior, x.as_ref(), &kept).unwrap();
        assert_eq!(some.draws(), 8);
        for draw in 0..8 {
            let (values, expected) = (some.values(draw), all.values(draw));
            assert_eq!(values.len(), kept.len());
            for (value, at) in values.iter().zip(&kept) {
                assert!((value - expected[*at]).abs() < 1e-7, "{draw} {at}: {value} {expected:?}");
            }
        }
    }
}

/// Gains of a share below a thousandth, which have a formula of their own, and above: their slope is the slope.
#[test]
fn gains_are_integrals_of_their_slopes() {
    let gains: [&dyn ExpectedReduction; 3] =
        [&BoundaryInformation::default(), &IntegratedBernoulli::default(), &MisclassifiedVolume];
    for (k, gain) in gains.iter().enumerate() {
        for u in [-1.2, 0.3, 0.9] {
            let seen = PointState { standardized: u, std_dev: 1.0 };
            for rho in [3e-4, 7e-4, 0.02, 0.4, 0.9] {
                let step = 1e-3 * rho;
                let slope = (gain.gain(seen, rho + step) - gain.gain(seen, rho - step)) / (2.0 * step);
                let found = gain.slope(seen, rho);
                assert!((found - slope).abs() <= 2e-4 * slope.abs() + 1e-9, "{k} {u} {rho}: {found} {slope}");
            }
            assert_eq!((gain.gain(seen, 0.0), gain.slope(seen, 1.0)), (0.0, 0.0), "{k}");
        }
    }
}

/// Misclassified volume that a small share of the variance saves: the integral of `exp(-u²/2r) / (2π √(r(1 - r)))` over r up to ρ, which
/// rises, so that the gain is at most `exp(-u²/2ρ) asin(√ρ)/π`, and at least what the upper half of the range adds by the rate at ρ/2. Gains
/// far below the rounding of the volume keep their digits.
#[test]
fn small_gains_are_between_their_bounds() {
    use std::f64::consts::PI;
    for (u, rho) in
        [(0.5_f64, 1e-3_f64), (1.0, 0.01), (-2.0, 0.05), (3.0, 0.2), (4.0, 0.3), (7.0, 0.4), (-1.0, 2e-3)]
    {
        let seen = PointState { standardized: u, std_dev: 1.0 };
        let bound = |rho: f64, share: f64| (-0.5 * u * u / rho).exp() * share / PI;
        let whole = rho.sqrt().asin();
        let (low, high) = (bound(0.5 * rho, whole - (0.5 * rho).sqrt().asin()), bound(rho, whole));
        let gain = MisclassifiedVolume.gain(seen, rho);
        assert!(low < gain && gain < high, "u = {u}, ρ = {rho}: {gain:e}, not from {low:e} to {high:e}");
    }
}

/// A mean so far from the sampled minima, in standard deviations, that the quotient is infinite.
#[test]
fn information_far_away_has_slopes() {
    for (mean, std_dev) in [(1e200, 1e-120), (1e200, 1.0), (1e160, 0.5)] {
        for utility in [
            &MaxValueEntropySearch::new(vec![0.0, -1.0]).unwrap() as &dyn Utility,
            &Gibbon::new(vec![0.0, -1.0], 0.0).unwrap(),
            &Gibbon::new(vec![0.0, -1.0], 0.1).unwrap(),
        ] {
            let (value, by_mean, by_std_dev) = utility.value_and_slopes(mean, std_dev);
            assert!(
                (value, by_mean) == (0.0, 0.0) && by_std_dev == 0.0,
                "{mean}: {value} {by_mean} {by_std_dev}"
            );
        }
    }
}

#[test]
fn searches_on_paths_name_what_does_not_fit() {
    let posterior = posterior();
    let found = |domain: usize, known: &Points, raw: usize| {
        let (domain, search) = (Domain::unit_cube(domain), PathSearch { raw, climbs: 1 });
        minimizers_on(&posterior, &domain, known.as_ref(), &search, 2, &mut Seed(4).stream("paths", 0))
    };
    let (none, two, three) = (Points::new(2), points(2, 5), Points::from_flat(vec![0.1, 0.2, 0.3], 3));
    assert_eq!(found(2, &none, 8).unwrap().len(), 2);
    assert_eq!(found(2, &two, 0).unwrap().len(), 2);
    // An empty list has no dimension to speak of.
    assert_eq!(found(2, &Points::new(3), 8).unwrap().len(), 2);
    for (domain, known) in [(3, &none), (2, &three), (1, &two)] {
        assert!(
            matches!(found(domain, known, 8), Err(AcquisitionError::Input(InputError::Dimension { .. }))),
            "{domain}"
        );
    }
    assert_eq!(
        found(2, &none, 0),
        Err(AcquisitionError::Input(InputError::Empty { name: "points to look at" }))
    );
}
