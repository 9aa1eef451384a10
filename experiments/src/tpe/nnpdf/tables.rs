use std::collections::BTreeMap;

use super::Outcome;
use super::judge::Distance;
use super::law::Law;
use super::scan::{Goal, Search};
use crate::harness::stats::{holm, mean_and_std_dev, quantile, wilcoxon};
use crate::harness::{Table, Verdict, number};

/// The test sets on which an ensemble is judged.
const SETS: [(&str, fn(&Outcome) -> Distance); 2] =
    [("within", |o| o.judgement.within), ("beyond", |o| o.judgement.beyond)];

/// A variance that is at most so many times larger is not harmed.
const HARMLESS: f64 = 1.25;
/// Biases below this, in variances of the data, are as good as none.
const NO_BIAS: f64 = 1e-3;

/// Does minimising the bias on test sets harm the variance?
pub struct Answer {
    pub verdict: Verdict,
    pub table: Table,
}

/// ln of a ratio over paired runs: mean, two standard errors, p of the paired Wilcoxon test.
struct Ratio {
    mean: f64,
    reach: f64,
    p: f64,
}

impl Ratio {
    fn of(pairs: &[(f64, f64)]) -> Self {
        let (a, b): (Vec<f64>, Vec<f64>) =
            pairs.iter().map(|(a, b)| (a.max(NO_BIAS).ln(), b.max(NO_BIAS).ln())).unzip();
        let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
        let (mean, std_dev) = mean_and_std_dev(&differences);
        // One pair says nothing of its error.
        let reach = if pairs.len() > 1 { 2.0 * std_dev / (pairs.len() as f64).sqrt() } else { f64::INFINITY };
        Self { mean, reach, p: wilcoxon(&a, &b) }
    }

    fn text(&self) -> String {
        let end = |sign: f64| number((self.mean + sign * self.reach).exp());
        format!("{} [{}, {}]", number(self.mean.exp()), end(-1.0), end(1.0))
    }
}

/// A quantity of the runs of two kinds, paired by law and replication.
fn paired(
    outcomes: &[Outcome],
    first: (Search, Goal),
    second: (Search, Goal),
    value: impl Fn(&Outcome) -> f64,
) -> Vec<(f64, f64)> {
    let of = |(search, goal)| outcomes.iter().filter(move |o| o.search == search && o.goal == goal);
    let same = |a: &Outcome, b: &&Outcome| (a.law, a.replication) == (b.law, b.replication);
    of(first).filter_map(|a| Some((value(a), value(of(second).find(|b| same(a, b))?)))).collect()
}

pub fn answer(outcomes: &[Outcome]) -> Answer {
    let mut cases = Vec::new();
    for search in Search::ALL {
        for (set, distance) in SETS {
            let of = |value: fn(Distance) -> f64| {
                let pairs =
                    paired(outcomes, (search, Goal::Test), (search, Goal::Folds), |o| value(distance(o)));
                Ratio::of(&pairs)
            };
            cases.push((search, set, of(|d| d.bias), of(|d| d.variance)));
        }
    }
    let corrected =
        |pick: fn(&(Search, &str, Ratio, Ratio)) -> f64| holm(&cases.iter().map(pick).collect::<Vec<f64>>());
    let (p_bias, p_variance) = (corrected(|c| c.2.p), corrected(|c| c.3.p));
    let harmed = cases.iter().zip(&p_variance).any(|((.., variance), p)| variance.mean > 0.0 && *p < 0.05);
    let sound = cases.iter().all(|(.., variance)| variance.mean + variance.reach < HARMLESS.ln());
    let verdict = match (harmed, sound) {
        (true, _) => Verdict::DoesNotHold,
        (false, true) => Verdict::Holds,
        (false, false) => Verdict::Inconclusive,
    };
    let row = |((search, set, bias, variance), (p, q)): (&(Search, &str, Ratio, Ratio), (&f64, &f64))| {
        vec![search.name().into(), (*set).into(), bias.text(), number(*p), variance.text(), number(*q)]
    };
    let table = Table {
        name: "answer".into(),
        caption: "What choosing by the test χ² does compared with the K-fold χ²: geometric mean over laws and replications of \
                  the ratio of biases and of variances, with two standard errors; p of the paired Wilcoxon test after Holm."
            .into(),
        header: ["search", "test set", "bias ratio", "p", "variance ratio", "p"].map(String::from).to_vec(),
        rows: cases.iter().zip(p_bias.iter().zip(&p_variance)).map(row).collect(),
    };
    Answer { verdict, table }
}

/// Median and quartiles.
fn spread(values: &[f64]) -> String {
    let at = |p| number(quantile(values, p));
    if values.len() < 4 { at(0.5) } else { format!("{} [{}, {}]", at(0.5), at(0.25), at(0.75)) }
}

/// Runs by law, goal and search.
fn groups(outcomes: &[Outcome]) -> Vec<((Law, Goal, Search), Vec<&Outcome>)> {
    let mut groups = Vec::new();
    for law in Law::ALL {
        for goal in Goal::ALL {
            for search in Search::ALL {
                let own = outcomes.iter().filter(|o| (o.law, o.goal, o.search) == (law, goal, search));
                groups.push(((law, goal, search), own.collect()));
            }
        }
    }
    groups
}

fn names((law, goal, search): (Law, Goal, Search)) -> Vec<String> {
    [law.name(), goal.name(), search.name()].map(String::from).to_vec()
}

/// Bias and variance of what was chosen.
pub fn ensembles(outcomes: &[Outcome]) -> Table {
    let row = |(group, own): ((Law, Goal, Search), Vec<&Outcome>)| {
        let mut row = names(group);
        for (_, distance) in SETS {
            row.push(spread(&own.iter().map(|o| distance(o).bias).collect::<Vec<f64>>()));
            row.push(spread(&own.iter().map(|o| distance(o).variance).collect::<Vec<f64>>()));
        }
        row
    };
    let header =
        ["law", "loss", "search", "bias within", "variance within", "bias beyond", "variance beyond"];
    Table {
        name: "ensembles".into(),
        caption: "Ensembles of the chosen models against the law, per point, in units of the data's variance: median and \
                  quartiles over replications."
            .into(),
        header: header.map(String::from).to_vec(),
        rows: groups(outcomes).into_iter().map(row).collect(),
    }
}

/// The smallest loss of a scan.
pub fn best(outcome: &Outcome) -> f64 {
    outcome.scan.losses.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Losses that scans found, and whether they were worth it.
pub fn scans(outcomes: &[Outcome]) -> Table {
    let row = |(group, own): ((Law, Goal, Search), Vec<&Outcome>)| {
        let (_, goal, search) = group;
        let of = |value: fn(&Outcome) -> f64| spread(&own.iter().map(|o| value(o)).collect::<Vec<f64>>());
        let law: Vec<(f64, f64)> = paired(outcomes, (search, goal), (Search::Random, goal), |o| o.scan.again);
        let p = if search == Search::Random { "–".into() } else { number(Ratio::of(&law).p) };
        let mut row = names(group);
        row.extend([of(best), of(|o| o.scan.again), p]);
        row
    };
    Table {
        name: "scans".into(),
        caption: "Smallest loss of a scan, and mean loss of that model over 4 fresh initialisations: median and quartiles; p of \
                  the paired Wilcoxon test of the latter against random search over all laws."
            .into(),
        header: ["law", "loss", "search", "smallest", "again", "p against random"].map(String::from).to_vec(),
        rows: groups(outcomes).into_iter().map(row).collect(),
    }
}

/// Medians of every group, and the ratios of the answer.
pub fn numbers(outcomes: &[Outcome], numbers: &mut BTreeMap<String, f64>) {
    for (group, own) in groups(outcomes) {
        let name = names(group).join(", ");
        let mut put = |what: &str, value: &dyn Fn(&Outcome) -> f64| {
            let values: Vec<f64> = own.iter().map(|o| value(o)).collect();
            numbers.insert(format!("{name}: {what}"), quantile(&values, 0.5));
        };
        for (set, distance) in SETS {
            put(&format!("bias {set}"), &|o| distance(o).bias);
            put(&format!("variance {set}"), &|o| distance(o).variance);
        }
        put("smallest loss", &best);
        put("loss again", &|o| o.scan.again);
    }
    for search in Search::ALL {
        for (set, distance) in SETS {
            let mut put = |what: &str, value: fn(Distance) -> f64| {
                let pairs =
                    paired(outcomes, (search, Goal::Test), (search, Goal::Folds), |o| value(distance(o)));
                let name = format!("{}: {what} {set}, test χ² over K-fold χ²", search.name());
                numbers.insert(name, Ratio::of(&pairs).mean.exp());
            };
            put("bias", |d| d.bias);
            put("variance", |d| d.variance);
        }
    }
}
