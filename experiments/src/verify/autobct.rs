use serde_json::Value;
use thrifty_autobct::{Controls, Decision, Expectation, Noise, Quadrature, State, expected_cost};
use thrifty_linear::Polynomial;
use thrifty_prob::SlopedLines;

use super::{Family, Findings, number, numbers, relative, rows};

/// Everything is a cubic around the middle of one control on a grid of 101.
pub fn check(file: &Value) -> Result<Findings, String> {
    let reference = Reference::read(file)?;
    let mut families = vec![costs(file)?];
    families.extend(reference.posteriors(file)?);
    families.extend(reference.one_step(file)?);
    families.push(envelope(file)?);
    families.extend(reference.two_steps(file)?);
    families.push(reference.three_steps(file)?);
    families.extend(reference.replay(file)?);
    let lines = families.into_iter().map(|family| family.line("autobct.json")).collect();
    Ok(Findings { lines, ..Findings::default() })
}

fn costs(file: &Value) -> Result<Family, String> {
    let mut family = Family::new("expected cost", 1e-14);
    for case in rows(&file["upsilon"]) {
        let found = expected_cost(number(&case["m"])?, number(&case["s2"])?);
        family.add(relative(found, number(&case["value"])?, 1e-290));
    }
    Ok(family)
}

fn envelope(file: &Value) -> Result<Family, String> {
    let mut family = Family::new("upper envelope", 1e-14);
    let case = &file["kg_upper_envelope"];
    let found = SlopedLines::new(&numbers(&case["B"])?).expected_maximum(&numbers(&case["A"])?);
    family.add((found - number(&case["E_max"])?).abs());
    Ok(family)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn cubic() -> Polynomial {
    Polynomial::of_one(3, 0.5)
}

/// The grid of 101 at which a control stands.
fn index(u: &Value) -> Result<usize, String> {
    Ok((100.0 * number(u)?).round() as usize)
}

/// What the paper believes before the runs of a table, Appendices D.1 to D.3.
fn prior_of(table: usize) -> Result<State, String> {
    Ok(crate::autobct::paper::prior(table.max(3) - 2).map_err(text)?.0)
}

/// The prior of Appendix D.1, and what is believed after each row of table 1.
struct Reference {
    gamma: f64,
    after: Vec<State>,
}

impl Reference {
    fn read(file: &Value) -> Result<Self, String> {
        let gamma = number(&file["gamma"])?;
        let mut reference = Self { gamma, after: vec![prior_of(1)?] };
        let decision = reference.decision(number(&file["sigma_H"])?, number(&file["sigma_T"])?)?;
        for row in rows(&file["kalman_table1"]) {
            let mut state = reference.after[reference.after.len() - 1].clone();
            let (h, t) = (number(&row["h"])?, number(&row["t"])?);
            state.learn(decision.controls(), index(&row["u"])?, h, t).map_err(text)?;
            reference.after.push(state);
        }
        Ok(reference)
    }

    fn posteriors(&self, file: &Value) -> Result<[Family; 2], String> {
        let (mut kalman, mut means) =
            (Family::new("posteriors", 1e-12), Family::new("posterior means", 1e-12));
        for (case, state) in rows(&file["kalman_table1"]).iter().zip(&self.after[1..]) {
            let truth = &case["posterior"];
            for (belief, mean, covariance) in
                [(&state.score, "mu_alpha", "Sigma_alpha"), (&state.cost, "mu_beta", "Sigma_beta")]
            {
                for (found, truth) in belief.mean().iter().zip(numbers(&truth[mean])?) {
                    kalman.add((found - truth).abs() / (1.0 + truth.abs()));
                }
                for (found, truth) in belief.covariance().iter().zip(numbers(&truth[covariance])?) {
                    kalman.add((found - truth).abs() / (1.0 + truth.abs()));
                }
            }
            let phi = thrifty_linear::Basis::eval(&cubic(), &[number(&case["u"])?]);
            means.add((state.score.moments(&phi).0 - number(&case["post_mean_at_u"])?).abs());
        }
        Ok([kalman, means])
    }

    fn one_step(&self, file: &Value) -> Result<[Family; 2], String> {
        let decision = self.decision(0.05, 0.1)?;
        let mut one = Family::new("one step", 1e-12);
        for case in rows(&file["V1"]) {
            let values = decision.one_step(self.state(&case["state"])?);
            one.add((values.value() - number(&case["V1_grid101"])?).abs());
            one.add((values.best as f64 / 100.0 - number(&case["u_grid101"])?).abs());
        }
        let mut closed = Family::new("one step, or a constant", 1e-12);
        let prior = &self.after[0];
        let values = decision.one_step(prior);
        for case in rows(&file["Lambda_phi_minus_inf_prior_D1"]) {
            closed.add((values.of_controls[index(&case["u"])?] - number(&case["value"])?).abs());
        }
        for (key, state) in [("Lambda_const_phi_prior_D1", 0), ("Lambda_const_phi_table1_step2", 2)] {
            for case in rows(&file[key]) {
                let values = decision.one_step_or(&self.after[state], number(&case["c"])?);
                closed.add((values.of_controls[index(&case["u"])?] - number(&case["value"])?).abs());
            }
        }
        Ok([one, closed])
    }

    fn two_steps(&self, file: &Value) -> Result<[Family; 2], String> {
        let decision = self.decision(0.05, 0.1)?;
        let mut two = Family::new("two steps", 1e-5);
        for case in rows(&file["V2"]) {
            let values = decision.two_steps(self.state(&case["state"])?);
            two.add((values.value() - number(&case["V2_grid101"])?).abs());
            for at in rows(&case["q2_at_u"]) {
                two.add((values.of_controls[index(&at["u"])?] - number(&at["value"])?).abs());
            }
        }
        let mut hermite = Family::new("two steps, Gauss-Hermite", 1e-9);
        for case in rows(&file["V2"]) {
            for nodes in [3, 5, 9, 15] {
                let decision = self.on_grid(101, 0.05, 0.1, Quadrature::Hermite(nodes))?;
                let values = decision.two_steps(self.state(&case["state"])?);
                hermite.add((values.value() - number(&case["GH"][&nodes.to_string()])?).abs());
            }
        }
        Ok([two, hermite])
    }

    fn three_steps(&self, file: &Value) -> Result<Family, String> {
        let mut three = Family::new("three steps", 1e-8);
        for case in rows(&file["V3_coarse"]) {
            let decision = self.on_grid(21, 0.05, 0.1, Quadrature::Hermite(5))?;
            for (name, score, cost) in [("5x5", 5, 5), ("9x7", 9, 7)] {
                let (of_score, of_cost) = (Quadrature::Hermite(score), Quadrature::Hermite(cost));
                let earlier = Expectation::Quadrature { of_score, of_cost };
                let found = decision.steps(self.state(&case["state"])?, 3, &earlier).map_err(text)?;
                three.add((found.value() - number(&case["outer_GH"][name])?).abs());
            }
        }
        Ok(three)
    }

    fn replay(&self, file: &Value) -> Result<[Family; 2], String> {
        // Printed to three decimals, as the scores and costs are from which they come.
        let (mut replay, mut printed) = (
            Family::new("replay: means, one and two steps", 1e-5),
            Family::new("replay: the paper's means", 1e-3),
        );
        for table in 1..=5 {
            let case = &file["table_replay"][&format!("table{table}")];
            if case.is_null() {
                continue;
            }
            let decision = self.decision(number(&case["sigma_H"])?, number(&case["sigma_T"])?)?;
            let mut state = prior_of(table)?;
            for row in rows(&case["rows"]) {
                let at = index(&row["u"])?;
                state.learn(decision.controls(), at, number(&row["h"])?, number(&row["t"])?).map_err(text)?;
                let mean = state.score_at(decision.controls(), at);
                replay.add((mean - number(&row["post_mean"])?).abs());
                replay.add((decision.one_step(&state).value() - number(&row["V1_grid101"])?).abs());
                replay.add((decision.two_steps(&state).value() - number(&row["V2_grid101_GL"])?).abs());
                printed.add((mean - number(&row["paper_post_mean"])?).abs());
            }
        }
        Ok([replay, printed])
    }

    fn decision(&self, of_score: f64, of_cost: f64) -> Result<Decision, String> {
        self.on_grid(101, of_score, of_cost, Quadrature::ACCURATE)
    }

    fn on_grid(&self, count: usize, score: f64, cost: f64, rule: Quadrature) -> Result<Decision, String> {
        let grid = Controls::grid(1, count);
        let noise = |_: &[f64]| Noise { score, cost };
        let controls = Controls::new(grid.as_ref(), &cubic(), &cubic(), noise).map_err(text)?;
        Decision::new(self.gamma, controls, rule).map_err(text)
    }

    fn state(&self, name: &Value) -> Result<&State, String> {
        let name = name.as_str().unwrap_or_default();
        let step = if name == "prior_D1" {
            Some(0)
        } else {
            name.strip_prefix("table1_step").and_then(|n| n.parse().ok())
        };
        step.and_then(|step: usize| self.after.get(step)).ok_or_else(|| format!("no state {name}"))
    }
}
