//! Masses of kernels within bounds, remembered from one fit to the next.

use crate::Axis;

/// Masses within bounds of the kernels of the last fit, by place. From one suggestion to the next few kernels change, and a mass near a
/// bound costs an error function.
///
/// A mass is taken only from a kernel of the same bits on the same axis, so that results do not depend on what was fitted before.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownMasses {
    axis: Option<Axis>,
    /// Mean, standard deviation and mass of kernels near a bound, in ascending order of the mean.
    kernels: Vec<[f64; 3]>,
}

impl KnownMasses {
    /// Masses of kernels with means in ascending order.
    pub(crate) fn of(&mut self, axis: &Axis, means: &[f64], std_devs: &[f64]) -> Vec<f64> {
        if self.axis != Some(*axis) {
            *self = Self { axis: Some(*axis), kernels: Vec::new() };
        }
        let before = std::mem::take(&mut self.kernels);
        self.kernels.reserve(before.len() + 1);
        let mut out = Vec::with_capacity(means.len() + 1);
        let mut at = 0;
        for (&mean, &std_dev) in means.iter().zip(std_devs) {
            if axis.is_whole(mean, std_dev) {
                out.push(1.0);
                continue;
            }
            while before.get(at).is_some_and(|[m, s, _]| *m < mean || (*m == mean && *s != std_dev)) {
                at += 1;
            }
            let mass = match before.get(at) {
                Some([m, s, mass]) if *m == mean && *s == std_dev => *mass,
                _ => axis.mass(mean, std_dev),
            };
            self.kernels.push([mean, std_dev, mass]);
            out.push(mass);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use thrifty_sampling::Seed;

    use super::*;

    /// The bits of the masses themselves, whatever was asked for before: other kernels, equal means, another axis.
    #[test]
    fn remembered_masses_have_the_same_bits() {
        let axes = [Axis::float(0.0, 1.0, false).unwrap(), Axis::float(-1.0, 1.0, false).unwrap()];
        let mut rng = Seed(1).stream("masses", 0);
        let (mut known, mut means): (KnownMasses, Vec<f64>) = (KnownMasses::default(), Vec::new());
        for round in 0..200 {
            let axis = &axes[usize::from(round % 50 == 49)];
            let mean = if round % 7 == 3 { means[0] } else { rng.uniform() };
            means.push(mean);
            means.sort_by(f64::total_cmp);
            if round % 11 == 10 {
                means.remove(rng.index(means.len()));
            }
            let std_devs: Vec<f64> = means.iter().map(|_| [0.03, 0.2, 1.0][rng.index(3)]).collect();
            let expected: Vec<f64> = means.iter().zip(&std_devs).map(|(m, s)| axis.mass(*m, *s)).collect();
            for _ in 0..2 {
                assert_eq!(known.of(axis, &means, &std_devs), expected);
            }
        }
        assert!(known.of(&axes[0], &[], &[]).is_empty());
    }

    /// The second time nothing is computed: what is remembered is what is given back.
    #[test]
    fn masses_are_remembered() {
        let axis = Axis::float(0.0, 1.0, false).unwrap();
        let mut known = KnownMasses::default();
        let (means, std_devs) = ([0.0, 0.1, 0.1, 0.5, 0.9], [0.1, 0.1, 0.2, 0.01, 0.1]);
        known.of(&axis, &means, &std_devs);
        assert_eq!(known.kernels.len(), 4);
        known.kernels.iter_mut().for_each(|kernel| kernel[2] = 7.0);
        assert_eq!(known.of(&axis, &means, &std_devs), [7.0, 7.0, 7.0, 1.0, 7.0]);
    }
}
