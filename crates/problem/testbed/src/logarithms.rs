//! Logarithms of test functions.

use crate::TestFunction;
use crate::function::{CAMEL, HARTMANN6, STYBLINSKI_TANG};
use crate::functions as f;

const LOG_CAMEL: f64 = -9.545_162_828_516_157;
/// The minimum of Styblinski–Tang in one dimension, plus 40.
const STYBLINSKI_TANG_ABOVE: f64 = 0.833_834_296_228_584_6;

/// Logarithms of known functions: same minima, values of one order of magnitude.
impl TestFunction {
    /// `ln GoldsteinPrice` on [-2, 2]², minimum ln 3. Source: De Ath et al. (2021).
    #[must_use]
    pub fn log_goldstein_price() -> Self {
        let bounds = vec![(-2.0, 2.0); 2];
        Self::new("logGoldsteinPrice", bounds, f::log_goldstein_price, 3.0_f64.ln(), &[&[0.0, -1.0]])
    }

    /// `ln(SixHumpCamel + 1.0316 + 10⁻⁴)` on [-3, 3] × [-2, 2], minimum -9.545: the offset leaves 7.2·10⁻⁵ at the
    /// minima, so that the last steps towards them count most. Source: De Ath et al. (2021).
    #[must_use]
    pub fn log_six_hump_camel() -> Self {
        let bounds = vec![(-3.0, 3.0), (-2.0, 2.0)];
        let minima: [&[f64]; 2] = [&CAMEL, &CAMEL.map(|v| -v)];
        Self::new("logSixHumpCamel", bounds, f::log_six_hump_camel, LOG_CAMEL, &minima)
    }

    /// `-ln(-Hartmann6)` on the unit cube, minimum -1.2007. Source: De Ath et al. (2021).
    #[must_use]
    pub fn log_hartmann6() -> Self {
        let optimum = -3.322_368_011_415_514_f64.ln();
        Self::new("logHartmann6", vec![(0.0, 1.0); 6], f::log_hartmann6, optimum, &[&HARTMANN6])
    }

    /// `ln(Rosenbrock + 1/2)` on [-5, 10]^d, minimum -ln 2. Source: De Ath et al. (2021).
    #[must_use]
    pub fn log_rosenbrock(dim: usize) -> Self {
        let optimum = -std::f64::consts::LN_2;
        Self::new("logRosenbrock", vec![(-5.0, 10.0); dim], f::log_rosenbrock, optimum, &[&vec![1.0; dim]])
    }

    /// `ln(StyblinskiTang + 40 d)` on [-5, 5]^d, minimum ln(0.833834 d). Source: De Ath et al. (2021).
    #[must_use]
    pub fn log_styblinski_tang(dim: usize) -> Self {
        let optimum = (STYBLINSKI_TANG_ABOVE * dim as f64).ln();
        let minimum = vec![STYBLINSKI_TANG; dim];
        Self::new("logStyblinskiTang", vec![(-5.0, 5.0); dim], f::log_styblinski_tang, optimum, &[&minimum])
    }
}
