use serde_json::Value;
use thrifty_domain::Points;
use thrifty_pareto::{
    Duplicates, ExpectedHypervolumeImprovement, Hypervolume, additive_epsilon, hypervolume, igd, igd_plus,
    non_dominated, non_dominated_ranks,
};

use super::{Family, Findings, number, numbers, relative, rows};

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn points(value: &Value) -> Result<Points, String> {
    let rows: Vec<Vec<f64>> = rows(value).iter().map(numbers).collect::<Result<_, _>>()?;
    Points::from_rows(&rows).map_err(text)
}

/// Volumes, contributions, ranks and indicators.
pub fn volumes(file: &Value) -> Result<Findings, String> {
    let mut exact = Family::new("hypervolume", 2e-15);
    for case in rows(&file["hypervolume"]["cases"]) {
        let found = hypervolume(points(&case["points"])?.as_ref(), &numbers(&case["ref"])?).map_err(text)?;
        exact.add(relative(found, number(&case["hv_exact"])?, 1e-290));
    }
    let mut large = Family::new("hypervolume of many points", 4e-15);
    for case in rows(&file["hypervolume_large"]) {
        let found = hypervolume(points(&case["points"])?.as_ref(), &numbers(&case["ref"])?).map_err(text)?;
        let truth = if case["hv_exact"].is_null() { &case["moocore"] } else { &case["hv_exact"] };
        large.add(relative(found, number(truth)?, 1e-290));
    }
    let mut contributions = Family::new("contributions", 1e-15);
    for case in rows(&file["hv_contributions"]["cases"]) {
        let volume = Hypervolume::new(&numbers(&case["ref"])?).map_err(text)?;
        let found = volume.contributions(points(&case["points"])?.as_ref()).map_err(text)?;
        for (found, truth) in found.iter().zip(numbers(&case["contrib_exact"])?) {
            contributions.add((found - truth).abs());
        }
    }
    let mut ranks = Family::new("ranks and fronts", 0.0);
    for case in rows(&file["nondominated_rank"]["cases"]) {
        let set = points(&case["points"])?;
        let found = non_dominated_ranks(set.as_ref()).map_err(text)?;
        for (found, truth) in found.iter().zip(numbers(&case["rank0"])?) {
            ranks.add((*found as f64 - truth).abs());
        }
        let kept = non_dominated(set.as_ref(), Duplicates::First).map_err(text)?;
        for (i, flag) in rows(&case["is_nondominated_first_dup"]).iter().enumerate() {
            ranks.add(f64::from(u8::from(kept.contains(&i) != (*flag == Value::Bool(true)))));
        }
    }
    let case = &file["indicators"];
    let (set, target) = (points(&case["set"])?, points(&case["reference_set"])?);
    let mut indicators = Family::new("indicators", 1e-14);
    for (name, found) in [
        ("igd", igd(set.as_ref(), target.as_ref())),
        ("igd_plus", igd_plus(set.as_ref(), target.as_ref())),
        ("epsilon_additive", additive_epsilon(set.as_ref(), target.as_ref())),
    ] {
        indicators.add((found.map_err(text)? - number(&case[name])?).abs());
    }
    let families = [exact, large, contributions, ranks, indicators];
    let lines = families.into_iter().map(|family| family.line("hypervolume.json")).collect();
    Ok(Findings { lines, ..Findings::default() })
}

/// Expected improvements of the hypervolume with their gradients, and means over samples that are given. The file maximises: everything changes its
/// sign.
pub fn improvements(file: &Value) -> Result<Findings, String> {
    let negative = |value: &Value| Ok::<Vec<f64>, String>(numbers(value)?.iter().map(|x| -x).collect());
    let front = |case: &Value| -> Result<Points, String> {
        let rows: Vec<Vec<f64>> = rows(&case["front"]).iter().map(negative).collect::<Result<_, _>>()?;
        Points::from_rows(&rows).map_err(text)
    };
    let mut values = Family::new("expected improvement, in units of 1 + |log|", 1e-14);
    let mut logs = Family::new("its logarithm, in units of 1 + |log|", 1e-14);
    let mut slopes = Family::new("gradients", 1e-12);
    for case in rows(&file["ehvi"]["cases"]) {
        let reference = negative(&case["ref"])?;
        let ehvi = ExpectedHypervolumeImprovement::new(front(case)?.as_ref(), &reference).map_err(text)?;
        let (mean, std_dev) = (negative(&case["mu"])?, numbers(&case["sigma"])?);
        let (mut by_mean, mut by_std_dev) = (vec![0.0; mean.len()], vec![0.0; mean.len()]);
        let found = ehvi.value_with_grad(&mean, &std_dev, &mut by_mean, &mut by_std_dev).map_err(text)?;
        let (truth, log_truth) = (number(&case["ehvi"])?, number(&case["log_ehvi"])?);
        // Far in the tails the rounding of distances is magnified.
        values.add(relative(found, truth, 1e-290) / (1.0 + log_truth.abs()));
        let log = ehvi.log_value(&mean, &std_dev).map_err(text)?;
        logs.add((log - log_truth).abs() / (1.0 + log_truth.abs()));
        let found = by_mean.iter().chain(&by_std_dev);
        for (found, slope) in found.zip(negative(&case["dmu"])?.into_iter().chain(numbers(&case["dsigma"])?))
        {
            slopes.add((found - slope).abs() / slope.abs().max(truth).max(1e-290));
        }
    }
    let mut samples = Family::new("mean over given samples", 1e-12);
    for case in rows(&file["qehvi_fixed_samples"]["cases"]) {
        let (front, reference) = (front(case)?, negative(&case["ref"])?);
        let before = hypervolume(front.as_ref(), &reference).map_err(text)?;
        let mut sum = 0.0;
        for sample in rows(&case["samples"]) {
            let mut all = front.clone();
            for row in rows(sample) {
                all.push(&negative(row)?);
            }
            sum += hypervolume(all.as_ref(), &reference).map_err(text)? - before;
        }
        let mean = sum / rows(&case["samples"]).len() as f64;
        samples.add(relative(mean, number(&case["qehvi"])?, 1e-290));
    }
    let families = [values, logs, slopes, samples];
    let lines = families.into_iter().map(|family| family.line("ehvi.json")).collect();
    Ok(Findings { lines, ..Findings::default() })
}
