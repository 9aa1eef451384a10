//! Claims against each other library, and the tables of the report.

use super::methods::{GREEDY, OURS, PEERS, PeerMethod, RANDOM, judged_on};
use super::problems::JudgedProblem;
use super::results::Results;
use super::run::STEP;
use crate::error::ExperimentError;
use crate::harness::claims::{Claim, ClaimError, Family, Finding, Judgement, Kind, Rule, Sample, Test};
use crate::harness::stats::quantile;
use crate::harness::{RunContext, Table, Verdict, number};
use crate::peers::versions;

/// The pseudomedian of the differences in log₁₀ of the regret may be at most this where ours is not inferior.
const MARGIN: f64 = 0.1;

/// Findings against one other method.
pub struct Against {
    pub method: &'static str,
    pub not_inferior: Judgement,
    pub superior: Judgement,
    /// Not inferior over all problems: a problem counts as one observation, the median of its differences.
    pub overall: Judgement,
    /// Median over the problems of what the default gains, NaN without runs.
    pub median_gain: f64,
    /// Problems whose parameters it does not have.
    pub left_out: Vec<String>,
}

/// Claims of the default against one method: not inferior on every problem, superior on a third of them.
///
/// Each family is corrected for the number of its problems after Holm. Without runs a claim is inconclusive. With five pairs the
/// least p of the signed rank is 1/32, so that only the claim over all problems can be decided.
fn against(
    results: &Results,
    problems: &[&JudgedProblem],
    method: &'static str,
    planned: usize,
) -> Result<Against, ClaimError> {
    let label = |p: &&&JudgedProblem| results.is_unsupported(method, &p.label);
    let kind = Kind::NotInferior { margin: MARGIN };
    let left_out: Vec<String> = problems.iter().filter(label).map(|p| p.label.clone()).collect();
    let (mut gains, mut complete) = (Vec::new(), Vec::new());
    let rest: Vec<&&JudgedProblem> = problems.iter().filter(|p| !label(p)).collect();
    let (mut not_inferior, mut superior) =
        (Family::new(Rule::All), Family::new(Rule::AtLeast(rest.len().div_ceil(3))));
    let over_all =
        Claim::new(format!("not inferior to {method} over all problems"), kind, Test::SignedRank, rest.len());
    for problem in rest {
        let (own, other) = results.paired(judged_on(problem), method, &problem.label);
        let push = |family: &mut Family, what: &str, kind| -> Result<(), ClaimError> {
            let name = format!("{what} {method} on {}", problem.label);
            let sample = Sample::losses(&name, &own, &other)?;
            family.push(Claim::new(name, kind, Test::SignedRank, planned), sample);
            Ok(())
        };
        push(&mut not_inferior, "not inferior to", kind)?;
        push(&mut superior, "superior to", Kind::Superior)?;
        if !own.is_empty() {
            let differences: Vec<f64> = own.iter().zip(&other).map(|(own, other)| other - own).collect();
            let gain = quantile(&differences, 0.5);
            gains.push(gain);
            // A problem with fewer runs than were declared is no observation.
            complete.extend((own.len() >= planned).then_some(gain));
        }
    }
    let median_gain = if gains.is_empty() { f64::NAN } else { quantile(&gains, 0.5) };
    let overall = Family::new(Rule::All).with(over_all, Sample::Gains(complete)).judge()?;
    Ok(Against {
        method,
        not_inferior: not_inferior.judge()?,
        superior: superior.judge()?,
        overall,
        median_gain,
        left_out,
    })
}

/// Findings against every other library, and against our methods that were made worse.
pub fn judge(
    context: &RunContext,
    results: &Results,
    problems: &[JudgedProblem],
    planned: usize,
) -> Result<(Vec<Against>, Vec<Against>), ExperimentError> {
    let of_peer = |peer: &PeerMethod| {
        let own: Vec<&JudgedProblem> = problems.iter().filter(|p| (peer.applies)(p)).collect();
        against(results, &own, peer.name, peer.replications(context).planned)
    };
    let peers = PEERS.iter().map(of_peer).collect::<Result<_, _>>()?;
    let all: Vec<&JudgedProblem> = problems.iter().collect();
    let worse = [GREEDY, RANDOM].into_iter().map(|method| against(results, &all, method, planned));
    Ok((peers, worse.collect::<Result<_, _>>()?))
}

/// One row per method that the default is compared with.
pub fn table(results: &Results, peers: &[Against], worse: &[Against]) -> Table {
    let row = |found: &Against, role: &str| {
        let counts = |judgement: &Judgement| {
            [Verdict::Holds, Verdict::DoesNotHold, Verdict::Inconclusive]
                .map(|v| judgement.count(v).to_string())
        };
        let version = versions(results.of_method(found.method).map(|done| done.version.as_str()));
        let [fine, inferior, open] = counts(&found.not_inferior);
        let [superior, not_superior, undecided] = counts(&found.superior);
        vec![
            found.method.to_owned(),
            if version.is_empty() { role.to_owned() } else { version },
            found.not_inferior.findings().len().to_string(),
            fine,
            inferior,
            open,
            found.not_inferior.verdict().to_string(),
            superior,
            not_superior,
            undecided,
            found.superior.verdict().to_string(),
            number(found.median_gain),
            found.overall.findings().iter().map(Finding::effect_text).collect(),
            found.overall.verdict().to_string(),
            number(results.cpu_seconds(found.method)),
            results.failures(found.method).len().to_string(),
            found.left_out.join(", "),
        ]
    };
    let header = [
        "method",
        "version",
        "problems",
        "not inferior",
        "inferior",
        "inconclusive",
        "not inferior on all",
        "superior",
        "not superior",
        "inconclusive (superior)",
        "superior on a third",
        "median gain over problems",
        "pseudomedian of the gains",
        "not inferior over problems",
        "CPU s per run",
        "failures",
        "left out",
    ];
    let rows = peers.iter().map(|found| row(found, "no run"));
    Table {
        name: "methods".into(),
        caption: format!(
            "The default against each method: problems on which it is not inferior by {MARGIN} in log₁₀ of the regret, inferior, undecided; \
             and the same for superior. Signed-rank test of the pseudomedian of paired differences, after Holm over the problems of the method. \
             Where runs are of several versions, each is named with their number. \
             Gains: of each problem the median difference, positive where the default is better; over the problems their median, and their \
             pseudomedian with a 95 % interval. Methods below the others are ours and were made worse on purpose."
        ),
        header: header.map(String::from).to_vec(),
        rows: rows.chain(worse.iter().map(|found| row(found, "made worse"))).collect(),
    }
}

/// One row per problem: the median of log₁₀ of the regret of every method.
pub fn medians(results: &Results, problems: &[JudgedProblem], planned: impl Fn(&str) -> usize) -> Table {
    let methods: Vec<&str> = OURS.into_iter().chain(PEERS.iter().map(|peer| peer.name)).collect();
    let cell = |problem: &JudgedProblem, method: &str| match results.median(method, &problem.label, None) {
        Some((median, n)) if n < planned(method) => format!("{median:.2} ({n})"),
        Some((median, _)) => format!("{median:.2}"),
        None => String::new(),
    };
    let row = |problem: &JudgedProblem| {
        let cells = methods.iter().map(|method| cell(problem, method));
        std::iter::once(problem.label.clone()).chain(cells).collect()
    };
    Table {
        name: "regret".into(),
        caption: "Median of log₁₀ of the regret at the end; in brackets the number of runs where it is less than was planned.".into(),
        header: std::iter::once("problem").chain(methods.iter().copied()).map(String::from).collect(),
        rows: problems.iter().map(row).collect(),
    }
}

/// One row per method: the mean over problems of the median of log₁₀ of the regret, after 10, 20, … evaluations.
pub fn progress(results: &Results, problems: &[JudgedProblem], evaluations: usize) -> Table {
    let steps = evaluations.div_ceil(STEP);
    let methods = OURS.into_iter().chain(PEERS.iter().map(|peer| peer.name));
    let row = |method: &str| {
        let medians = |step| {
            let of =
                |p: &JudgedProblem| results.median(method, &p.label, Some(step)).map(|(median, _)| median);
            problems.iter().filter_map(of).collect::<Vec<f64>>()
        };
        let mean = |step| {
            let found = medians(step);
            format!("{:.2}", found.iter().sum::<f64>() / found.len() as f64)
        };
        let count = medians(0).len();
        let cells = (0..steps).map(|step| if count == 0 { String::new() } else { mean(step) });
        [method.to_owned(), count.to_string()].into_iter().chain(cells).collect()
    };
    let after = (1..=steps).map(|step| (step * STEP).min(evaluations).to_string());
    Table {
        name: "progress".into(),
        caption: "Mean over the problems with runs of the median of log₁₀ of the regret, after so many evaluations.".into(),
        header: ["method".to_owned(), "problems".to_owned()].into_iter().chain(after).collect(),
        rows: methods.map(row).collect(),
    }
}
