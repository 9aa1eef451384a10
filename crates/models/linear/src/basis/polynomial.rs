//! Polynomial basis.

use thrifty_check::length;

use super::Basis;
use crate::LinearError;

/// Centred monomials.
///
/// ```text
/// φ_e(x) = Π_d (x_d - c_d)^{e_d}
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Polynomial {
    #[serde(rename = "centre")]
    center: Vec<f64>,
    /// One exponent per dimension for each function.
    exponents: Vec<Vec<u32>>,
}

/// A basis as a file has it.
#[derive(serde::Deserialize)]
struct Unchecked {
    #[serde(rename = "centre", alias = "center")]
    center: Vec<f64>,
    exponents: Vec<Vec<u32>>,
}

impl TryFrom<Unchecked> for Polynomial {
    type Error = LinearError;

    fn try_from(Unchecked { center, exponents }: Unchecked) -> Result<Self, LinearError> {
        exponents.iter().try_for_each(|own| length("exponents", own.len(), center.len()))?;
        Ok(Self { center, exponents })
    }
}

impl Polynomial {
    /// Powers of one variable around `center`: 1, d, …, `d^degree`.
    #[must_use]
    pub fn of_one(degree: u32, center: f64) -> Self {
        Self::additive(1, degree, center)
    }

    /// 1, then the powers of each variable alone.
    #[must_use]
    pub fn additive(dim: usize, degree: u32, center: f64) -> Self {
        let mut exponents = vec![vec![0; dim]];
        for d in 0..dim {
            for power in 1..=degree {
                let mut own = vec![0; dim];
                own[d] = power;
                exponents.push(own);
            }
        }
        Self { center: vec![center; dim], exponents }
    }

    /// All monomials up to a total degree, by degree, within one by falling power of the first variable.
    #[must_use]
    pub fn full(dim: usize, degree: u32, center: f64) -> Self {
        fn fill(left: u32, own: &mut Vec<u32>, dim: usize, all: &mut Vec<Vec<u32>>) {
            if own.len() + 1 == dim {
                own.push(left);
                all.push(own.clone());
                own.pop();
                return;
            }
            for power in (0..=left).rev() {
                own.push(power);
                fill(left - power, own, dim, all);
                own.pop();
            }
        }
        let mut exponents = Vec::new();
        if dim > 0 {
            for total in 0..=degree {
                fill(total, &mut Vec::new(), dim, &mut exponents);
            }
        }
        Self { center: vec![center; dim], exponents }
    }

    /// Any monomials: a row of exponents for each, as long as the centre. Rows of another length are left out.
    #[must_use]
    pub fn of_exponents(exponents: Vec<Vec<u32>>, center: Vec<f64>) -> Self {
        let exponents = exponents.into_iter().filter(|own| own.len() == center.len()).collect();
        Self { center, exponents }
    }
}

impl Basis for Polynomial {
    fn dim(&self) -> usize {
        self.center.len()
    }

    fn len(&self) -> usize {
        self.exponents.len()
    }

    fn eval_into(&self, x: &[f64], out: &mut [f64]) {
        for (slot, powers) in out.iter_mut().zip(&self.exponents) {
            let terms = x.iter().zip(&self.center).zip(powers);
            *slot = terms.map(|((x, c), power)| (x - c).powi(*power as i32)).product();
        }
    }

    fn gradient_into(&self, x: &[f64], out: &mut [f64]) -> bool {
        let d = self.dim();
        for (row, powers) in out.chunks_exact_mut(d.max(1)).zip(&self.exponents) {
            for (k, slot) in row.iter_mut().enumerate() {
                let term = |(i, power): (usize, &u32)| {
                    let offset = x[i] - self.center[i];
                    match (i == k, *power) {
                        (true, 0) => 0.0,
                        (true, power) => f64::from(power) * offset.powi(power as i32 - 1),
                        (false, power) => offset.powi(power as i32),
                    }
                };
                *slot = powers.iter().enumerate().map(term).product();
            }
        }
        true
    }

    fn name(&self) -> String {
        format!("polynomial of {:?} around {:?}", self.exponents, self.center)
    }
}
