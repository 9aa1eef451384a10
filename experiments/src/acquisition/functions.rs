//! Acquisition functions against the default of the optimiser.

use std::path::Path;

use thrifty_bo::{BayesianOptimizer, BoSettings, Convergence, InitialDesign};
use thrifty_figures::{LinePlot, Series, panels_with_legend};
use thrifty_testbed::{Problem, TestFunction};

use super::rules::{DEFAULT, Family, NamedRule, RULES};
use crate::bench::egreedy::{self, DESIGNS, Published, QUANTILES};
use crate::bench::race::{self, Race};
use crate::bench::sample::{Sample, finals};
use crate::bench::{charts, regrets, versus};
use crate::data;
use crate::error::ExperimentError;
use crate::harness::ablation::{Ablation, NO_REGRET};
use crate::harness::clock::Clock;
use crate::harness::method::AnyOptimizer;
use crate::harness::stats::quantile;
use crate::harness::{Experiment, Figure, Report, RunContext, Table, number};

pub const EXPERIMENT: Experiment = Experiment {
    id: "acquisition/functions",
    paper: "Greed Is Good: Exploration and Exploitation Trade-offs in Bayesian Optimisation (De Ath et al., 2021): its functions, \
            initial designs and published regrets",
    claim: "no other acquisition of the Bayesian optimiser has a lower regret than its default, log expected improvement",
    quick_cost: "1 function, 2 designs, 8 evaluations, all 16 rules: some seconds",
    full_cost: "8 functions, 51 designs, 50 evaluations, all 16 rules: hours; --seeds 10 for a fifth of it, --evaluations for more",
    run,
};

/// Evaluations after which tables look, as far as a run goes.
const CHECKPOINTS: [usize; 3] = [50, 100, 250];

fn optimizer(
    rule: &NamedRule,
    problem: &TestFunction,
    design: Vec<thrifty_space::Config>,
) -> Result<AnyOptimizer, thrifty_study::OptimizerError> {
    let settings = BoSettings {
        initial: InitialDesign::Only(design),
        rule: (rule.rule)(problem.bounds().len()),
        convergence: Convergence::Continue,
        ..BoSettings::default()
    };
    let optimizer = BayesianOptimizer::new(problem.space().clone()).with_settings(settings)?;
    Ok(AnyOptimizer::new(optimizer))
}

/// The default, and those of the others that were asked for.
fn chosen(methods: Option<&[String]>) -> Vec<&'static NamedRule> {
    let asked = |rule: &&NamedRule| {
        methods.is_none_or(|methods| rule.name == DEFAULT || methods.iter().any(|name| name == rule.name))
    };
    RULES.iter().filter(asked).collect()
}

/// Final regrets by problem, by rule, by design.
fn finals_of(
    rules: &[&NamedRule],
    samples: &[Sample],
    names: &[String],
    evaluations: usize,
) -> Vec<Vec<Vec<f64>>> {
    let of = |function: &String, rule: &&NamedRule| {
        let regrets = finals(samples, rule.name, function, evaluations);
        regrets.into_values().map(|regret| regret.max(NO_REGRET)).collect()
    };
    names.iter().map(|function| rules.iter().map(|rule| of(function, rule)).collect()).collect()
}

/// Milliseconds of the optimiser for each evaluation that a model chose, by rule and function.
fn cost(rules: &[&NamedRule], samples: &[Sample], problems: &[TestFunction], evaluations: usize) -> Table {
    let of = |rule: &NamedRule, problem: &TestFunction| {
        let name = problem.name();
        let own = samples.iter().filter(|s| s.function == name && s.method == rule.name);
        let seconds: Vec<f64> = own.map(|s| s.seconds).collect();
        let chosen = evaluations.saturating_sub(2 * problem.bounds().len()).max(1);
        number(1e3 * quantile(&seconds, 0.5) / chosen as f64)
    };
    let row = |rule: &&NamedRule| {
        std::iter::once(rule.name.to_owned()).chain(problems.iter().map(|p| of(rule, p))).collect()
    };
    Table {
        name: "milliseconds".into(),
        caption: format!(
            "Time of the optimiser for one evaluation beyond the design, fit included: thousandths of {}, median over runs of \
             {evaluations} evaluations.",
            Clock::unit()
        ),
        header: std::iter::once("rule".to_owned()).chain(problems.iter().map(Problem::name)).collect(),
        rows: rules.iter().map(row).collect(),
    }
}

/// One panel a function; the default in every family, to compare with.
fn figure(
    family: Family,
    samples: &[Sample],
    names: &[String],
    published: &[Published],
    evaluations: usize,
) -> Result<Figure, ExperimentError> {
    let shown = |s: &&Sample| {
        s.method == DEFAULT || RULES.iter().any(|rule| rule.family == family && rule.name == s.method)
    };
    let shown: Vec<Sample> = samples.iter().filter(shown).cloned().collect();
    let panel = |function: &String| {
        let plot = charts::traces(function, DEFAULT, &shown, evaluations);
        let mut series = plot.series;
        if family == Family::Moments {
            let own = published.iter().filter(|row| {
                &row.problem == function && row.method == "EI" && row.evals <= evaluations && row.median > 0.0
            });
            series.push(Series::dots("EI, De Ath et al.", own.map(|r| (r.evals as f64, r.median)).collect()));
        }
        LinePlot { title: function.clone(), y_label: "median regret".into(), series, ..plot }
    };
    let panels: Vec<LinePlot> = names.iter().map(panel).collect();
    Figure::of(
        &format!("traces-{}", family.name()),
        &format!(
            "Median simple regret over the designs, {} family; shaded, the quartiles of {DEFAULT}.",
            family.name()
        ),
        panels_with_legend(&panels),
    )
}

/// Regrets at each checkpoint, and those that were published for it.
fn at_checkpoints(
    samples: &[Sample],
    names: &[String],
    evaluations: usize,
    quantiles: Option<&Path>,
    published: &[Published],
) -> Result<Vec<Table>, ExperimentError> {
    let mut tables = Vec::new();
    let mut checkpoints: Vec<usize> = CHECKPOINTS.into_iter().filter(|t| *t <= evaluations).collect();
    if !checkpoints.contains(&evaluations) {
        checkpoints.push(evaluations);
    }
    for at in checkpoints {
        let table = regrets::summary(samples, at);
        tables.push(Table { name: format!("regret-{at}"), ..table });
        if let Some(path) = quantiles.filter(|_| published.iter().any(|row| row.evals == at)) {
            tables.push(regrets::published(path, names, at)?);
        }
    }
    Ok(tables)
}

fn run(context: &RunContext) -> Result<Report, ExperimentError> {
    context.check_methods(EXPERIMENT.id, &RULES.map(|rule| rule.name))?;
    let rules = chosen(context.methods.as_deref());
    let problems = race::functions(context.pick(1, 8));
    let names: Vec<String> = problems.iter().map(Problem::name).collect();
    let evaluations = context.evaluations.unwrap_or(context.pick(8, 50));
    let designs = data::required(context.data.as_deref(), context.data_found, DESIGNS)?;
    let quantiles = data::required(context.data.as_deref(), context.data_found, QUANTILES)?;
    let published = quantiles.as_deref().map(egreedy::published).transpose()?.unwrap_or_default();
    let n = context.replications(2, 51);
    let race = Race {
        id: EXPERIMENT.id,
        problems: &problems,
        published: designs.as_deref(),
        designs: n.run,
        evaluations,
        methods: &rules,
    };
    let samples = race.run(
        context,
        |rule| rule.name.to_owned(),
        |rule, problem, design, _| optimizer(rule, problem, design),
    )?;
    let labels: Vec<&str> = rules.iter().map(|rule| rule.name).collect();
    let finals = finals_of(&rules, &samples, &names, evaluations);
    let Ablation { table, numbers, judgement } = Ablation::judge(&labels, &names, &finals, n.planned)?;
    let others: Vec<Sample> = samples.iter().filter(|s| s.method != DEFAULT).cloned().collect();
    let mut tables = vec![table, cost(&rules, &samples, &problems, evaluations)];
    tables.push(versus::table(DEFAULT, &versus::pairs(DEFAULT, &samples, &others, evaluations)?));
    tables.extend(at_checkpoints(&samples, &names, evaluations, quantiles.as_deref(), &published)?);
    let figures = Family::ALL
        .into_iter()
        .filter(|family| rules.iter().any(|rule| rule.family == *family && rule.name != DEFAULT))
        .map(|family| figure(family, &samples, &names, &published, evaluations))
        .collect::<Result<_, _>>()?;
    let settings = [
        ("designs", format!("{}, two points a variable: {}", finals[0][0].len(), race.source())),
        ("evaluations", format!("{evaluations}, the design included")),
        (
            "rules",
            rules
                .iter()
                .map(|rule| format!("{}: {:?}", rule.name, (rule.rule)(2)))
                .collect::<Vec<_>>()
                .join("; "),
        ),
    ];
    Ok(Report {
        judgement,
        numbers,
        settings: settings.map(|(name, value)| (name.to_owned(), value)).into(),
        notes: vec![format!(
            "Claims: the mean log₁₀ regret of {DEFAULT} after {evaluations} evaluations is not higher than that of any other rule by more than \
             0.1. Designs are shared by the rules. The model and all other settings \
             are the defaults."
        )],
        tables,
        figures,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_comes_first_whatever_is_asked_for() {
        let names = |methods: &[&str]| {
            let methods: Vec<String> = methods.iter().map(|m| (*m).to_owned()).collect();
            chosen(Some(&methods)).iter().map(|rule| rule.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&["mean", "EI"]), [DEFAULT, "EI", "mean"]);
        assert_eq!(names(&[DEFAULT]), [DEFAULT]);
        assert_eq!(chosen(None).len(), RULES.len());
    }

    #[test]
    fn an_unknown_method_is_refused_before_anything_runs() {
        let methods = Some(vec!["mean".into(), "E I".into()]);
        let error = run(&RunContext { methods, ..RunContext::default() }).unwrap_err().to_string();
        assert!(error.contains("acquisition/functions has no method \"E I\"; expected"), "{error}");
    }

    #[test]
    fn regrets_are_by_problem_by_rule_by_design() {
        let sample = |method: &str, function: &str, design, regret| Sample {
            method: method.into(),
            function: function.into(),
            design,
            curve: vec![(1, 9.0), (2, regret)],
            seconds: 0.5,
        };
        let samples = [
            sample("EI", "F", 1, 4.0),
            sample("EI", "F", 0, 3.0),
            sample(DEFAULT, "F", 0, 0.0),
            sample(DEFAULT, "G", 0, 1.0),
            sample("EI", "G", 0, 2.0),
        ];
        let rules = [&RULES[0], &RULES[1]];
        let found = finals_of(&rules, &samples, &["F".into(), "G".into()], 2);
        assert_eq!(found, [[vec![NO_REGRET], vec![3.0, 4.0]], [vec![1.0], vec![2.0]]]);
    }
}
