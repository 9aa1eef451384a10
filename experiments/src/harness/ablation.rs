//! What changing one default at a time does over several problems.

use std::collections::BTreeMap;

use super::replicate::{Run, in_parallel};
use super::stats::{quantile, ranks, wilcoxon};
use super::{Table, Verdict, number};
use crate::error::ExperimentError;

/// How variants of a method compare with the first of them.
pub struct Ablation {
    pub table: Table,
    pub numbers: BTreeMap<String, f64>,
    pub verdict: Verdict,
}

/// What the verdict means.
pub const NOTE: &str = "Verdict: does not hold when a variant has a lower mean logarithm of the final regret with p below 5 % after \
    Bonferroni's correction. Draws are new in every replication and shared by the variants.";

/// Regrets below this are as good as none.
pub const NO_REGRET: f64 = 1e-9;

impl Ablation {
    /// Runs every variant on every problem: `one` makes the run of problem, variant and replication.
    pub fn run(
        title: &str,
        variants: &[&str],
        problems: &[String],
        replications: usize,
        one: impl Fn(usize, usize, usize) -> Result<Run, ExperimentError> + Sync,
    ) -> Result<Self, ExperimentError> {
        let jobs: Vec<(usize, usize, usize)> = (0..problems.len())
            .flat_map(|k| (0..variants.len()).map(move |v| (k, v)))
            .flat_map(|(k, v)| (0..replications).map(move |i| (k, v, i)))
            .collect();
        let last: Vec<f64> = in_parallel(title, &jobs, |&(k, v, i)| {
            let run = one(k, v, i)?;
            Ok(run.regret.last().copied().unwrap_or(f64::INFINITY).max(NO_REGRET))
        })?;
        let by_variant: Vec<Vec<f64>> = last.chunks(replications.max(1)).map(<[f64]>::to_vec).collect();
        let finals: Vec<Vec<Vec<f64>>> =
            by_variant.chunks(variants.len()).map(<[Vec<f64>]>::to_vec).collect();
        Ok(Self::judge(variants, problems, &finals))
    }

    /// From final regrets by problem, by variant, by replication, all of them above 0.
    pub fn judge(variants: &[&str], problems: &[String], finals: &[Vec<Vec<f64>>]) -> Self {
        let replications = finals[0][0].len();
        let mean_rank = |v: usize| {
            let mut sum = 0.0;
            for of_problem in finals {
                for i in 0..replications {
                    sum += ranks(&of_problem.iter().map(|f| f[i]).collect::<Vec<f64>>())[v];
                }
            }
            sum / (finals.len() * replications) as f64
        };
        let logs =
            |v: usize| -> Vec<f64> { finals.iter().flat_map(|f| f[v].iter().map(|r| r.log10())).collect() };
        let (mut numbers, mut rows, mut verdict) = (BTreeMap::new(), Vec::new(), Verdict::Holds);
        for (v, variant) in variants.iter().enumerate() {
            let (own, base) = (logs(v), logs(0));
            let gain = own.iter().zip(&base).map(|(a, b)| a - b).sum::<f64>() / own.len() as f64;
            let p = wilcoxon(&own, &base);
            if gain < 0.0 && p * ((variants.len() - 1) as f64) < 0.05 {
                verdict = Verdict::DoesNotHold;
            }
            numbers.insert(format!("mean log10 regret against the default: {variant}"), gain);
            let mut row =
                vec![(*variant).to_owned(), format!("{:.2}", mean_rank(v)), format!("{gain:+.3}"), number(p)];
            row.extend(finals.iter().map(|f| number(quantile(&f[v], 0.5))));
            rows.push(row);
        }
        let mut header: Vec<String> =
            ["variant", "mean rank", "log₁₀ regret", "p"].map(String::from).to_vec();
        header.extend(problems.iter().cloned());
        let table = Table {
            name: "variants".into(),
            caption: "Mean rank over all runs; mean log₁₀ of the final regret less that of the default; paired Wilcoxon of the \
                      logarithms against the default; then the median final regret of each problem."
                .into(),
            header,
            rows,
        };
        Self { table, numbers, verdict }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_that_is_always_better_is_found() {
        let finals: Vec<Vec<Vec<f64>>> = (0..2)
            .map(|k| {
                (0..3).map(|v| (0..20).map(|i| f64::from(1 + i + k) / f64::from(1 + v)).collect()).collect()
            })
            .collect();
        let names = ["default", "half", "third"];
        let ablation = Ablation::judge(&names, &["a".into(), "b".into()], &finals);
        assert_eq!(ablation.verdict, Verdict::DoesNotHold);
        assert_eq!(ablation.table.rows[2][1], "1.00");
        assert!(
            (ablation.numbers["mean log10 regret against the default: half"] + 2_f64.log10()).abs() < 1e-12
        );
        let same: Vec<Vec<Vec<f64>>> = vec![vec![finals[0][0].clone(); 3]];
        assert_eq!(Ablation::judge(&names, &["a".into()], &same).verdict, Verdict::Holds);
    }
}
