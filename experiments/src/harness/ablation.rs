//! Ablation: effect of changing one default at a time over several problems.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::claims::{Claim, Family, Judgement, Kind, Rule, Sample, Test};
use super::replicate::Run;
use super::runs::lossless_number;
use super::stats::{quantile, ranks};
use super::{JobName, Replications, Report, RunContext, Runs, Table, number};
use crate::error::ExperimentError;

/// Comparison of variants of a method with the first of them.
pub struct Ablation {
    pub table: Table,
    pub numbers: BTreeMap<String, f64>,
    pub judgement: Judgement,
}

/// Meaning of the verdict.
pub const NOTE: &str = "Claims: the default is not worse than each variant by more than 0.1 in the mean of log₁₀ of the final regret. \
    Draws are new in every replication and shared by the variants.";

/// A variant whose mean log₁₀ regret is lower by at most this is no better.
const MARGIN: f64 = 0.1;

/// Final regret of a run.
#[derive(serde::Serialize, serde::Deserialize)]
struct Final {
    #[serde(with = "lossless_number")]
    regret: f64,
}

/// Regrets below this are as good as none.
pub const NO_REGRET: f64 = 1e-9;

impl Ablation {
    /// Runs every variant on every problem and compares the first with the others: `one` makes the run of problem, variant and
    /// replication.
    pub fn run(
        (id, context): (&'static str, &RunContext),
        variants: &[&str],
        problems: &[String],
        replications: Replications,
        one: impl Fn(usize, usize, usize) -> Result<Run, ExperimentError> + Sync,
    ) -> Result<Self, ExperimentError> {
        let last = |k: usize, v: usize, i: usize| Ok(one(k, v, i)?.last_regret());
        let finals = finals((id, context), variants, problems, replications.run, last)?;
        Self::judge(variants, problems, &finals, replications.planned)
    }

    /// Judges final regrets by problem, by variant, by replication, all of them above 0; `planned` replications of each problem
    /// were planned.
    pub fn judge(
        variants: &[&str],
        problems: &[String],
        finals: &[Vec<Vec<f64>>],
        planned: usize,
    ) -> Result<Self, ExperimentError> {
        Self::judge_group("", variants, problems, finals, planned)
    }

    /// [`Ablation::judge`] with claims whose names begin with `prefix`.
    fn judge_group(
        prefix: &str,
        variants: &[&str],
        problems: &[String],
        finals: &[Vec<Vec<f64>>],
        planned: usize,
    ) -> Result<Self, ExperimentError> {
        let logs =
            |v: usize| -> Vec<f64> { finals.iter().flat_map(|f| f[v].iter().map(|r| r.log10())).collect() };
        let base = logs(0);
        let mut family = Family::new(Rule::All);
        for (v, variant) in variants.iter().enumerate().skip(1) {
            let claim = Claim::new(
                format!("{prefix}not worse than {variant}"),
                Kind::NotInferior { margin: MARGIN },
                Test::SignFlip,
                problems.len() * planned,
            );
            let sample = Sample::losses(&claim.name, &base, &logs(v))?;
            family.push(claim, sample);
        }
        let judgement = family.judge()?;
        let mut numbers = BTreeMap::new();
        for (v, variant) in variants.iter().enumerate() {
            let gain = logs(v).iter().zip(&base).map(|(a, b)| a - b).sum::<f64>() / base.len() as f64;
            numbers.insert(format!("{prefix}mean log10 regret against the default: {variant}"), gain);
        }
        Ok(Self { table: table(variants, problems, finals, &judgement), numbers, judgement })
    }

    /// The report of so many replications, with what `evaluations` says of their number.
    pub fn report(self, replications: Replications, evaluations: String, notes: Vec<String>) -> Report {
        let settings = [("replications", replications.run.to_string()), ("evaluations", evaluations)];
        Report {
            judgement: self.judgement,
            numbers: self.numbers,
            settings: settings.map(|(name, value)| (name.to_owned(), value)).into(),
            notes,
            tables: vec![self.table],
            figures: Vec::new(),
        }
    }
}

/// Comparisons of the variants on groups of the problems, each with claims of its own.
pub struct Groups {
    /// A table for each group, with its name.
    pub tables: Vec<Table>,
    pub numbers: BTreeMap<String, f64>,
    pub judgement: Judgement,
}

impl Groups {
    /// [`Ablation::judge`] of each group: its name, and how many of the problems it has.
    pub fn judge(
        groups: &[(&str, usize)],
        variants: &[&str],
        problems: &[String],
        finals: &[Vec<Vec<f64>>],
        planned: usize,
    ) -> Result<Self, ExperimentError> {
        let (mut tables, mut numbers, mut judgements, mut first) =
            (Vec::new(), BTreeMap::new(), Vec::new(), 0);
        for &(group, count) in groups {
            let own = first..first + count;
            first += count;
            let prefix = if groups.len() > 1 { format!("{group}: ") } else { String::new() };
            let (problems, finals) = (&problems[own.clone()], &finals[own]);
            let found = Ablation::judge_group(&prefix, variants, problems, finals, planned)?;
            numbers.extend(found.numbers);
            tables.push(Table { name: group.into(), ..found.table });
            judgements.push(found.judgement);
        }
        Ok(Self { tables, numbers, judgement: Judgement::all(judgements) })
    }

    /// The report with these settings, by name and value.
    pub fn report<const N: usize>(self, settings: [(&str, String); N], notes: Vec<String>) -> Report {
        let Self { tables, numbers, judgement } = self;
        let settings = settings.map(|(name, value)| (name.to_owned(), value)).into();
        Report { judgement, numbers, settings, notes, tables, figures: Vec::new() }
    }
}

/// Values by problem, by variant, by replication.
pub type Grid<T> = Vec<Vec<Vec<T>>>;

/// Ends of runs; `one` makes that of problem, variant and replication.
pub fn ends<T: Serialize + DeserializeOwned + Send>(
    (id, context): (&'static str, &RunContext),
    variants: &[&str],
    problems: &[String],
    replications: usize,
    one: impl Fn(usize, usize, usize) -> Result<T, ExperimentError> + Sync,
) -> Result<Grid<T>, ExperimentError> {
    let jobs: Vec<(usize, usize, usize)> = (0..problems.len())
        .flat_map(|k| (0..variants.len()).map(move |v| (k, v)))
        .flat_map(|(k, v)| (0..replications).map(move |i| (k, v, i)))
        .collect();
    let name = |&(k, v, i): &(usize, usize, usize)| JobName::new(&problems[k], variants[v], i);
    let runs: Vec<T> = Runs::new(id, context).collect(&jobs, name, |&(k, v, i)| one(k, v, i))?;
    let mut runs = runs.into_iter();
    let mut of_variant = || runs.by_ref().take(replications).collect();
    let mut of_problem = || variants.iter().map(|_| of_variant()).collect();
    Ok(problems.iter().map(|_| of_problem()).collect())
}

/// Final regrets of ends: at least [`NO_REGRET`], and finite.
pub fn regrets<T>(ends: &Grid<T>, regret: impl Fn(&T) -> f64) -> Grid<f64> {
    let of_variant = |own: &Vec<T>| own.iter().map(|end| regret(end).max(NO_REGRET)).collect();
    let of_problem = |own: &Vec<Vec<T>>| {
        let mut finals: Vec<Vec<f64>> = own.iter().map(of_variant).collect();
        super::pairwise::finite(&mut finals);
        finals
    };
    ends.iter().map(of_problem).collect()
}

/// Final regrets of runs; `one` makes the run of problem, variant and replication, and returns its regret.
pub fn finals(
    to: (&'static str, &RunContext),
    variants: &[&str],
    problems: &[String],
    replications: usize,
    one: impl Fn(usize, usize, usize) -> Result<f64, ExperimentError> + Sync,
) -> Result<Grid<f64>, ExperimentError> {
    let ends = ends(to, variants, problems, replications, |k, v, i| Ok(Final { regret: one(k, v, i)? }))?;
    Ok(regrets(&ends, |end| end.regret))
}

/// Mean rank of a variant over all runs.
fn mean_rank(finals: &[Vec<Vec<f64>>], variant: usize) -> f64 {
    let replications = finals[0][0].len();
    let mut sum = 0.0;
    for of_problem in finals {
        for i in 0..replications {
            sum += ranks(&of_problem.iter().map(|f| f[i]).collect::<Vec<f64>>())[variant];
        }
    }
    sum / (finals.len() * replications) as f64
}

fn table(variants: &[&str], problems: &[String], finals: &[Vec<Vec<f64>>], judgement: &Judgement) -> Table {
    let row = |(v, variant): (usize, &&str)| {
        let against = v.checked_sub(1).map(|at| &judgement.findings()[at]);
        // The effect of a finding is the loss of the variant less that of the default.
        let change = against.map_or("0".into(), |finding| {
            let (low, high) = finding.interval;
            format!("{:+.3} [{low:+.3}, {high:+.3}]", finding.effect)
        });
        let verdict = against.map_or(String::new(), |finding| finding.verdict().to_string());
        let mut row = vec![(*variant).to_owned(), format!("{:.2}", mean_rank(finals, v)), change, verdict];
        row.extend(finals.iter().map(|f| number(quantile(&f[v], 0.5))));
        row
    };
    let mut header: Vec<String> =
        ["variant", "mean rank", "log₁₀ regret", "default not worse"].map(String::from).to_vec();
    header.extend(problems.iter().cloned());
    Table {
        name: "variants".into(),
        caption: "Mean rank over all runs; mean log₁₀ of the final regret less that of the default, with a 95 % interval; whether the \
                  default is not worse by more than 0.1; then the median final regret of each problem."
            .into(),
        header,
        rows: variants.iter().enumerate().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::super::claims::Finding;
    use super::*;

    /// Two variants made better on purpose, one made worse, and one that is the default.
    #[test]
    fn variants_that_are_better_or_worse_are_found() {
        let finals: Vec<Vec<Vec<f64>>> = (0..2)
            .map(|k| {
                let of = |factor: f64| (0..20).map(|i| f64::from(1 + i + k) * factor).collect();
                [1.0, 0.5, 3.0, 1.0].map(of).to_vec()
            })
            .collect();
        let names = ["default", "half", "triple", "same"];
        let ablation = Ablation::judge(&names, &["a".into(), "b".into()], &finals, 20).unwrap();
        let verdicts: Vec<Verdict> = ablation.judgement.findings().iter().map(Finding::verdict).collect();
        assert_eq!(verdicts, [Verdict::DoesNotHold, Verdict::Holds, Verdict::Holds]);
        assert_eq!(ablation.judgement.verdict(), Verdict::DoesNotHold);
        assert_eq!(ablation.table.rows[1][1], "1.00");
        // A variant with the smaller regret has a negative number.
        let printed = |row: usize| ablation.table.rows[row][2].split(' ').next().unwrap().to_owned();
        assert_eq!((printed(1), printed(2)), ("-0.301".into(), "+0.477".into()));
        assert!(
            (ablation.numbers["mean log10 regret against the default: half"] + 2_f64.log10()).abs() < 1e-12
        );
        let groups = [("first", 1), ("second", 1)];
        let of_groups = Groups::judge(&groups, &names, &["a".into(), "b".into()], &finals, 20).unwrap();
        let claims: Vec<(&str, Verdict)> =
            of_groups.judgement.findings().iter().map(|f| (&*f.claim, f.verdict())).collect();
        assert_eq!(claims[0], ("first: not worse than half", Verdict::DoesNotHold));
        assert_eq!(claims[4], ("second: not worse than triple", Verdict::Holds));
        assert_eq!(
            of_groups.tables.iter().map(|table| &*table.name).collect::<Vec<_>>(),
            ["first", "second"]
        );
        let few: Vec<Vec<Vec<f64>>> = vec![finals[0].iter().map(|own| own[..3].to_vec()).collect()];
        let few = Ablation::judge(&names, &["a".into()], &few, 3).unwrap();
        assert_eq!(few.judgement.verdict(), Verdict::Inconclusive);
        // A default that is better than the only variant, with fewer replications than were planned.
        let worse: Vec<Vec<Vec<f64>>> = finals.iter().map(|f| vec![f[0].clone(), f[2].clone()]).collect();
        let of = |planned: usize| {
            let judged = Ablation::judge(&["default", "triple"], &["a".into(), "b".into()], &worse, planned);
            judged.unwrap().judgement.verdict()
        };
        assert_eq!((of(20), of(21)), (Verdict::Holds, Verdict::Inconclusive));
    }
}
