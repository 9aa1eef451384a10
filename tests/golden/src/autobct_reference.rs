//! Inputs of an autobct file: price, basis, noises, priors, and the states that its sections name.

use serde_json::Value;
use thrifty_autobct::{Controls, Decision, NoiseStdDev, Quadrature, State};
use thrifty_linear::{Coefficients, Polynomial};

use crate::json::{number, numbers, rows, text};

/// The grid that the names of the file's numbers speak of.
pub(crate) const GRID: usize = 101;

/// Price, basis and noise of a file, its prior, and what is known after each row of table 1.
pub(crate) struct Reference {
    pub(crate) basis: Polynomial,
    gamma: f64,
    noise: (f64, f64),
    after: Vec<State>,
}

impl Reference {
    pub(crate) fn read(file: &Value) -> Result<Self, String> {
        let mut reference = Self {
            basis: basis(&file["basis"])?,
            gamma: number(&file["gamma"])?,
            noise: (number(&file["sigma_H"])?, number(&file["sigma_T"])?),
            after: vec![state(&file["prior_D1"]).map_err(|error| format!("prior_D1: {error}"))?],
        };
        let decision = reference.decision()?;
        for row in rows(&file["kalman_table1"]) {
            let mut state = reference.after[reference.after.len() - 1].clone();
            let (h, t) = (number(&row["h"])?, number(&row["t"])?);
            state.learn(decision.controls(), index(&row["u"])?, h, t).map_err(text)?;
            reference.after.push(state);
        }
        Ok(reference)
    }

    pub(crate) fn prior(&self) -> &State {
        &self.after[0]
    }

    /// After the rows of table 1.
    pub(crate) fn after_rows(&self) -> &[State] {
        &self.after[1..]
    }

    /// A state by the name that the file gives it.
    pub(crate) fn state(&self, name: &Value) -> Result<&State, String> {
        let name = name.as_str().unwrap_or_default();
        let step = if name == "prior_D1" {
            Some(0)
        } else {
            name.strip_prefix("table1_step").and_then(|n| n.parse().ok())
        };
        step.and_then(|step: usize| self.after.get(step)).ok_or_else(|| format!("no state {name}"))
    }

    /// On the grid and with the noises of the file.
    pub(crate) fn decision(&self) -> Result<Decision, String> {
        self.on_grid(GRID, self.noise, Quadrature::ACCURATE)
    }

    /// A decision with the file's noises.
    pub(crate) fn with_rule(&self, count: usize, rule: Quadrature) -> Result<Decision, String> {
        self.on_grid(count, self.noise, rule)
    }

    /// A decision with the noises of a table.
    pub(crate) fn with_noise_of(&self, table: &Value) -> Result<Decision, String> {
        let noise = (number(&table["sigma_H"])?, number(&table["sigma_T"])?);
        self.on_grid(GRID, noise, Quadrature::ACCURATE)
    }

    fn on_grid(&self, count: usize, (score, cost): (f64, f64), rule: Quadrature) -> Result<Decision, String> {
        let grid = Controls::grid(1, count);
        let noise = |_: &[f64]| NoiseStdDev { score, cost };
        let controls = Controls::new(grid.as_ref(), &self.basis, &self.basis, noise).map_err(text)?;
        Decision::new(self.gamma, controls, rule).map_err(text)
    }
}

/// Index of a control on the grid.
pub(crate) fn index(u: &Value) -> Result<usize, String> {
    Ok(((GRID - 1) as f64 * number(u)?).round() as usize)
}

/// Means and covariances of the coefficients of score and cost.
pub(crate) fn state(prior: &Value) -> Result<State, String> {
    let of = |mean: &str, covariance: &str| {
        let found = Coefficients::new(numbers(&prior[mean])?, numbers(&prior[covariance])?);
        found.map_err(|error| format!("{mean}, {covariance}: {error}"))
    };
    Ok(State { score: of("mu_alpha", "Sigma_alpha")?, cost: of("mu_beta", "Sigma_beta")? })
}

/// Powers of the distance from a centre, as in `phi(u)=psi(u)=(1,d,d^2,d^3), d=u-0.5`.
fn basis(value: &Value) -> Result<Polynomial, String> {
    let written = value.as_str().unwrap_or_default();
    let unknown =
        || format!("basis {value} is not known to this build, expected powers (1,d,d^2,…), d=u-centre");
    let (_, powers) = written.split_once("=(1,").ok_or_else(unknown)?;
    let (powers, rest) = powers.split_once(')').ok_or_else(unknown)?;
    let powers: Vec<&str> = powers.split(',').collect();
    let expected = |(i, power): (usize, &&str)| match i {
        0 => *power == "d",
        i => *power == format!("d^{}", i + 1),
    };
    let center = rest.rsplit_once("d=u-").and_then(|(_, center)| center.trim().parse().ok());
    match center {
        Some(center) if powers.iter().enumerate().all(expected) => {
            Ok(Polynomial::of_one(powers.len() as u32, center))
        }
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_basis_is_read_and_another_is_named() {
        let of = |text: &str| basis(&Value::from(text));
        assert!(of("phi(u)=psi(u)=(1,d,d^2,d^3), d=u-0.5").is_ok());
        assert!(of("phi(u)=(1,d), d=u-0.25").is_ok());
        for bad in ["phi(u)=(1,d,d^3), d=u-0.5", "phi(u)=(1,sin u)", "phi(u)=(1,d,d^2)", ""] {
            let Err(error) = of(bad) else { panic!("{bad} is a basis") };
            assert!(error.contains(bad) && error.contains("not known"), "{error}");
        }
    }
}
