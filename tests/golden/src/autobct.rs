//! Training under a budget: expected costs, posteriors, values of one to three trainings, the paper's tables.

use serde_json::Value;
use thrifty_autobct::{Expectation, Quadrature, State, expected_cost};
use thrifty_linear::Basis;
use thrifty_prob::SlopedLines;

use crate::autobct_reference::{GRID, Reference, index, state};
use crate::findings::Findings;
use crate::json::{number, numbers, relative, rows, text};
use crate::line::Family;

const SECTIONS: [&str; 18] = [
    "made_by",
    "note",
    "gamma",
    "sigma_H",
    "sigma_T",
    "basis",
    "prior_D1",
    "prior_D2",
    "prior_D3",
    "upsilon",
    "kalman_table1",
    "V1",
    "Lambda_phi_minus_inf_prior_D1",
    "Lambda_const_phi_prior_D1",
    "Lambda_const_phi_table1_step2",
    "kg_upper_envelope",
    "V2",
    "V3_coarse",
];

type Section = fn(&Reference, &Value) -> Result<Vec<Family>, String>;

/// Price, basis, noises and prior are those of the file.
pub(crate) fn check(file: &Value) -> Result<Findings, String> {
    let reference = Reference::read(file)?;
    let mut findings = Findings::default();
    let sections: [(&str, Section); 9] = [
        ("upsilon", costs),
        ("kalman_table1", posteriors),
        ("V1", one_step),
        ("Lambda_phi_minus_inf_prior_D1", closed_form),
        ("Lambda_const_phi_prior_D1", |of, cases| closed_form_or(of, cases, "prior_D1")),
        ("Lambda_const_phi_table1_step2", |of, cases| closed_form_or(of, cases, "table1_step2")),
        ("kg_upper_envelope", envelope),
        ("V2", two_steps),
        ("V3_coarse", three_steps),
    ];
    for (name, compare) in sections {
        if let Some(section) = findings.section(file, name) {
            findings.extend(compare(&reference, section).map_err(|error| format!("{name}: {error}"))?);
        }
    }
    if let Some(tables) = findings.section(file, "table_replay") {
        replay(&reference, file, tables, &mut findings)?;
    }
    let known: Vec<&str> = SECTIONS.into_iter().chain(["table_replay", "tolerances"]).collect();
    findings.name_others(file, &known);
    Ok(findings)
}

fn costs(_: &Reference, cases: &Value) -> Result<Vec<Family>, String> {
    let mut family = Family::new("expected cost", 1e-14);
    for case in rows(cases) {
        let found = expected_cost(number(&case["m"])?, number(&case["s2"])?);
        family.add(relative(found, number(&case["value"])?, 1e-290));
    }
    Ok(vec![family])
}

fn envelope(_: &Reference, case: &Value) -> Result<Vec<Family>, String> {
    let mut family = Family::new("upper envelope", 1e-14);
    let found = SlopedLines::new(&numbers(&case["B"])?).expected_maximum(&numbers(&case["A"])?);
    family.add((found - number(&case["E_max"])?).abs());
    Ok(vec![family])
}

fn posteriors(of: &Reference, cases: &Value) -> Result<Vec<Family>, String> {
    let (mut kalman, mut means) = (Family::new("posteriors", 1e-12), Family::new("posterior means", 1e-12));
    for (case, state) in rows(cases).iter().zip(of.after_rows()) {
        let truth = &case["posterior"];
        for (coefficients, mean, covariance) in
            [(&state.score, "mu_alpha", "Sigma_alpha"), (&state.cost, "mu_beta", "Sigma_beta")]
        {
            for (found, truth) in coefficients.mean().iter().zip(numbers(&truth[mean])?) {
                kalman.add((found - truth).abs() / (1.0 + truth.abs()));
            }
            for (found, truth) in coefficients.covariance().iter().zip(numbers(&truth[covariance])?) {
                kalman.add((found - truth).abs() / (1.0 + truth.abs()));
            }
        }
        let phi = Basis::eval(&of.basis, &[number(&case["u"])?]);
        means.add((state.score.moments(&phi).0 - number(&case["post_mean_at_u"])?).abs());
    }
    Ok(vec![kalman, means])
}

fn one_step(of: &Reference, cases: &Value) -> Result<Vec<Family>, String> {
    let decision = of.decision()?;
    let mut one = Family::new("one step", 1e-12);
    for case in rows(cases) {
        let values = decision.one_step(of.state(&case["state"])?);
        one.add((values.value() - number(&case["V1_grid101"])?).abs());
        one.add((values.best as f64 / (GRID - 1) as f64 - number(&case["u_grid101"])?).abs());
    }
    Ok(vec![one])
}

fn closed_form(of: &Reference, cases: &Value) -> Result<Vec<Family>, String> {
    let mut closed = Family::new("one step in closed form", 1e-12);
    let values = of.decision()?.one_step(of.prior());
    for case in rows(cases) {
        closed.add((values.of_controls[index(&case["u"])?] - number(&case["value"])?).abs());
    }
    Ok(vec![closed])
}

fn closed_form_or(of: &Reference, cases: &Value, name: &str) -> Result<Vec<Family>, String> {
    let (decision, state) = (of.decision()?, of.state(&Value::from(name))?);
    let mut closed = Family::new(format!("one step, or a constant, {name}"), 1e-12);
    for case in rows(cases) {
        let values = decision.one_step_or(state, number(&case["c"])?);
        closed.add((values.of_controls[index(&case["u"])?] - number(&case["value"])?).abs());
    }
    Ok(vec![closed])
}

fn two_steps(of: &Reference, cases: &Value) -> Result<Vec<Family>, String> {
    let decision = of.decision()?;
    let (mut two, mut hermite) =
        (Family::new("two steps", 1e-5), Family::new("two steps, Gauss-Hermite", 1e-9));
    for case in rows(cases) {
        let state = of.state(&case["state"])?;
        let values = decision.two_steps(state);
        two.add((values.value() - number(&case["V2_grid101"])?).abs());
        for at in rows(&case["q2_at_u"]) {
            two.add((values.of_controls[index(&at["u"])?] - number(&at["value"])?).abs());
        }
        for (nodes, truth) in case["GH"].as_object().into_iter().flatten() {
            let count = nodes.parse().map_err(|_| format!("GH: {nodes} is not a number of nodes"))?;
            let found = of.with_rule(GRID, Quadrature::Hermite(count))?.two_steps(state);
            hermite.add((found.value() - number(truth)?).abs());
        }
    }
    Ok(vec![two, hermite])
}

/// The whole number that follows a mark.
fn after(text: &str, mark: &str) -> Option<usize> {
    let (_, rest) = text.rsplit_once(mark)?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn three_steps(of: &Reference, cases: &Value) -> Result<Vec<Family>, String> {
    let mut three = Family::new("three steps", 1e-8);
    for case in rows(cases) {
        // As in "U=U2=V=21 points, inner GH5".
        let grid = case["grid"].as_str().unwrap_or_default();
        let (Some(count), Some(inner)) = (after(grid, "V="), after(grid, "GH")) else {
            return Err(format!("grid {} is not known to this build", case["grid"]));
        };
        let decision = of.with_rule(count, Quadrature::Hermite(inner))?;
        for (name, truth) in case["outer_GH"].as_object().into_iter().flatten() {
            let nodes = name.split_once('x').and_then(|(h, t)| Some((h.parse().ok()?, t.parse().ok()?)));
            let (score, cost) = nodes.ok_or_else(|| format!("outer_GH: {name} is not a pair of nodes"))?;
            let (of_score, of_cost) = (Quadrature::Hermite(score), Quadrature::Hermite(cost));
            let earlier = Expectation::Quadrature { of_score, of_cost };
            let found = decision.steps(of.state(&case["state"])?, 3, &earlier).map_err(text)?;
            three.add((found.value() - number(truth)?).abs());
        }
    }
    Ok(vec![three])
}

/// The prior that a table begins with: one that it names, else the file's prior of tables 1 to 3.
fn prior_of(file: &Value, name: &str, table: &Value) -> Option<Result<State, String>> {
    let own = ["table1", "table2", "table3"].contains(&name).then_some("prior_D1");
    let prior = file.get(table["prior"].as_str().or(own)?)?;
    Some(state(prior))
}

fn replay(of: &Reference, file: &Value, tables: &Value, findings: &mut Findings) -> Result<(), String> {
    // Printed to three decimals, as the scores and costs are from which they come.
    let (mut replay, mut printed) = (
        Family::new("replay: means, one and two steps", 1e-5),
        Family::new("replay: the paper's means", 1e-3),
    );
    for (name, table) in tables.as_object().into_iter().flatten() {
        let Some(prior) = prior_of(file, name, table) else {
            findings.skipped.push(format!("table_replay, {name}: its prior is not in the file"));
            continue;
        };
        let (decision, mut state) = (of.with_noise_of(table)?, prior?);
        for row in rows(&table["rows"]) {
            let at = index(&row["u"])?;
            state.learn(decision.controls(), at, number(&row["h"])?, number(&row["t"])?).map_err(text)?;
            let mean = state.score_at(decision.controls(), at);
            replay.add((mean - number(&row["post_mean"])?).abs());
            replay.add((decision.one_step(&state).value() - number(&row["V1_grid101"])?).abs());
            replay.add((decision.two_steps(&state).value() - number(&row["V2_grid101_GL"])?).abs());
            printed.add((mean - number(&row["paper_post_mean"])?).abs());
        }
    }
    findings.extend([replay, printed]);
    Ok(())
}
