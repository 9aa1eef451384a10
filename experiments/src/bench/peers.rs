//! Runs of other libraries, read from a file.

use std::path::Path;

use super::sample::Sample;
use crate::error::ExperimentError;

/// Runs of other libraries from a CSV file: columns `method`, `function`, `design`, `cpu_s` and one `regret_N` for
/// each number N of evaluations after which regret was noted. An empty regret means that the run ended before.
pub fn read(path: &Path) -> Result<Vec<Sample>, ExperimentError> {
    let failed = |error: csv::Error| ExperimentError::data(path, error);
    let mut reader = csv::Reader::from_path(path).map_err(failed)?;
    let header = reader.headers().map_err(failed)?.clone();
    let column = |name: &str| {
        let at = header.iter().position(|column| column == name);
        at.ok_or_else(|| ExperimentError::data(path, format!("no column {name}")))
    };
    let (method, function, design, cpu) =
        (column("method")?, column("function")?, column("design")?, column("cpu_s")?);
    let noted = |(at, name): (usize, &str)| Some((at, name.strip_prefix("regret_")?.parse().ok()?));
    let mut regrets: Vec<(usize, usize)> = header.iter().enumerate().filter_map(noted).collect();
    regrets.sort_by_key(|(_, evaluations)| *evaluations);
    if regrets.is_empty() {
        return Err(ExperimentError::data(path, "no column regret_N"));
    }
    let mut samples = Vec::new();
    for (i, record) in reader.records().enumerate() {
        let record = record.map_err(failed)?;
        let wrong = |at: usize, expected: &str| {
            let (name, value) = (header.get(at).unwrap_or(""), record.get(at).unwrap_or(""));
            ExperimentError::data(path, format!("row {}: {name} is {value:?}, expected {expected}", i + 1))
        };
        let real = |at: usize| {
            let value: Option<f64> = record.get(at).and_then(|text| text.parse().ok());
            value.filter(|v| v.is_finite()).ok_or_else(|| wrong(at, "a number"))
        };
        let mut curve = Vec::new();
        for &(at, evaluations) in
            regrets.iter().filter(|(at, _)| record.get(*at).is_some_and(|t| !t.is_empty()))
        {
            curve.push((evaluations, real(at)?.max(0.0)));
        }
        let text = |at: usize| record.get(at).unwrap_or("").to_owned();
        samples.push(Sample {
            method: text(method),
            function: text(function),
            design: text(design).parse().map_err(|_| wrong(design, "the index of a design"))?,
            curve,
            seconds: real(cpu)?,
        });
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<Sample>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("peers.csv");
        std::fs::write(&path, text).unwrap();
        read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_rows_and_names_what_is_wrong() {
        let samples =
            of("method,function,design,regret_20,regret_10,cpu_s\na,F,3,-1e-17,2,0.5\nb,F,3,,1,1\n").unwrap();
        assert_eq!(samples[0].curve, [(10, 2.0), (20, 0.0)]);
        assert_eq!((samples[1].design, samples[1].at(20), samples[1].at(9)), (3, 1.0, f64::INFINITY));
        let broken = |text: &str, words: &str| assert!(of(text).unwrap_err().contains(words), "{text}");
        broken("method,function,design,cpu_s\n", "no column regret_N");
        broken("method,function,regret_5,cpu_s\n", "no column design");
        broken("method,function,design,regret_5,cpu_s\na,F,x,1,1\n", "row 1: design is \"x\"");
        broken("method,function,design,regret_5,cpu_s\na,F,1,y,1\n", "row 1: regret_5 is \"y\"");
    }
}
