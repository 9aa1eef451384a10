//! Functions of many parameters that are not all continuous: binary, integer, categorical and conditional ones.

use thrifty_sampling::{Seed, Stream};
use thrifty_space::{Config, Space, SpaceBuilder, SpaceError};
use thrifty_testbed::{Problem, TestFunction};

use super::super::functions::ackley;
use super::super::many_parameters::{Function, Wide};
use crate::error::ExperimentError;

/// Kind of function. What is random in it is drawn anew for each replication.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Ackley's function of binary parameters and some on [-1, 1]. Source: Wan et al. (2021), section 5; departure: which of its two values a
    /// binary parameter has at the minimum is random, and so is the continuous part of the minimum, within ±½.
    Ackley { binary: usize, continuous: usize },
    /// Energy of the autocorrelations of a sequence of ±1.
    ///
    /// ```text
    /// E(s) = Σ_k C_k²,   C_k = Σ_i s_i s_{i+k},   k = 1 … n - 1
    /// ```
    ///
    /// Source: Packebusch & Mertens (2016), with the least energy.
    Autocorrelation { length: usize, least: u32 },
    /// A chain of categories, each of which contributes by itself and its neighbour: the mean of numbers drawn evenly from [0, 1]. The NK model
    /// with K = 1. Source: Kauffman & Weinberger (1989).
    Chain { length: usize, choices: usize },
    /// Hartmann's function of four continuous parameters and two integers from 0 to 20, among others without effect: as many continuous
    /// ones, integers from 0 to 100 and choices of three as `idle` says. The bound of the continuous function is its optimum here.
    Hartmann { idle: [usize; 3] },
    /// A choice of branches. Each has Ackley's function on [-5, 10] of its own and of shared parameters, its minimum at a random place of
    /// the middle half; branches end one above the other.
    Branches { count: usize, shared: usize, own: usize },
}

impl Kind {
    pub fn label(self) -> String {
        match self {
            Self::Ackley { binary, continuous } => format!("Ackley, {binary} binary and {continuous}"),
            Self::Autocorrelation { length, .. } => format!("autocorrelation, {length} binary"),
            Self::Chain { length, choices } => format!("chain, {length} choices of {choices}"),
            Self::Hartmann { idle } => format!("Hartmann-6 in {} mixed", 6 + idle.iter().sum::<usize>()),
            Self::Branches { count, shared, own } => {
                format!("{count} branches, {own} own and {shared} shared")
            }
        }
    }

    /// The problem of one replication.
    pub fn problem(self, seed: Seed) -> Result<Wide, ExperimentError> {
        let mut rng = seed.stream("problem", 0);
        let (space, function, optimum) = match self {
            Self::Ackley { binary, continuous } => {
                let (space, function) = binary_ackley(binary, continuous, &mut rng)?;
                (space, function, 0.0)
            }
            Self::Autocorrelation { length, least } => {
                let names = numbered("s", length);
                let space = binaries(&names).build()?;
                let function = move |config: &Config| {
                    let signs = names.iter().map(|name| Ok(if config.bool(name)? { 1 } else { -1 }));
                    Ok(energy(&signs.collect::<Result<Vec<i32>, SpaceError>>()?))
                };
                (space, Box::new(function) as Function, f64::from(least))
            }
            Self::Chain { length, choices } => chain(length, choices, &mut rng)?,
            Self::Hartmann { idle } => {
                let (space, function) = hartmann(idle)?;
                (space, function, TestFunction::hartmann6().optimum())
            }
            Self::Branches { count, shared, own } => {
                let (space, function) = branches((count, shared, own), &mut rng)?;
                (space, function, 0.0)
            }
        };
        Ok(Wide::new(self.label(), space, function, optimum))
    }
}

fn numbered(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|i| format!("{prefix}{i}")).collect()
}

fn binaries(names: &[String]) -> SpaceBuilder {
    names.iter().fold(Space::builder(), |space, name| space.categorical(name, [false, true]))
}

fn binary_ackley(
    binary: usize,
    continuous: usize,
    rng: &mut Stream,
) -> Result<(Space, Function), ExperimentError> {
    let (bits, floats) = (numbered("b", binary), numbered("x", continuous));
    let space = floats.iter().fold(binaries(&bits), |space, name| space.float(name, -1.0, 1.0)).build()?;
    let right: Vec<bool> = bits.iter().map(|_| rng.uniform() < 0.5).collect();
    let center: Vec<f64> = floats.iter().map(|_| rng.uniform() - 0.5).collect();
    let function = move |config: &Config| {
        let wrong =
            bits.iter().zip(&right).map(|(bit, right)| Ok(f64::from(u8::from(config.bool(bit)? != *right))));
        let away = floats.iter().zip(&center).map(|(name, center)| Ok(config.float(name)? - center));
        Ok(ackley(&wrong.chain(away).collect::<Result<Vec<f64>, SpaceError>>()?))
    };
    Ok((space, Box::new(function)))
}

/// Energy of the autocorrelations of a sequence of signs.
fn energy(signs: &[i32]) -> f64 {
    let at = |lag: usize| -> i32 { signs.iter().zip(&signs[lag..]).map(|(a, b)| a * b).sum() };
    f64::from((1..signs.len()).map(|lag| at(lag).pow(2)).sum::<i32>())
}

fn chain(length: usize, choices: usize, rng: &mut Stream) -> Result<(Space, Function, f64), ExperimentError> {
    let names = numbered("c", length);
    let letter = |at: usize| i64::try_from(at).unwrap_or(i64::MAX);
    let builder =
        names.iter().fold(Space::builder(), |space, name| space.categorical(name, (0..choices).map(letter)));
    let links: Vec<Vec<Vec<f64>>> = (1..length)
        .map(|_| (0..choices).map(|_| (0..choices).map(|_| rng.uniform()).collect()).collect())
        .collect();
    let optimum = least_of_chain(&links, choices);
    let function = move |config: &Config| {
        let letters = names.iter().map(|name| Ok(usize::try_from(config.int(name)?).unwrap_or(0)));
        let letters = letters.collect::<Result<Vec<usize>, SpaceError>>()?;
        let sum: f64 = links.iter().zip(letters.windows(2)).map(|(link, pair)| link[pair[0]][pair[1]]).sum();
        Ok(sum / links.len() as f64)
    };
    Ok((builder.build()?, Box::new(function), optimum))
}

/// The least mean of the links of a chain, by dynamic programming over its ends.
fn least_of_chain(links: &[Vec<Vec<f64>>], choices: usize) -> f64 {
    let mut least = vec![0.0; choices];
    for link in links {
        let to =
            |b: usize| link.iter().zip(&least).map(|(row, sum)| sum + row[b]).fold(f64::INFINITY, f64::min);
        least = (0..choices).map(to).collect();
    }
    least.into_iter().fold(f64::INFINITY, f64::min) / links.len() as f64
}

fn hartmann([floats, integers, choices]: [usize; 3]) -> Result<(Space, Function), ExperimentError> {
    let active = numbered("x", 4);
    let mut space = active.iter().fold(Space::builder(), |space, name| space.float(name, 0.0, 1.0));
    space = space.int("i4", 0, 20).int("i5", 0, 20);
    space = numbered("f", floats).iter().fold(space, |space, name| space.float(name, 0.0, 1.0));
    space = numbered("n", integers).iter().fold(space, |space, name| space.int(name, 0, 100));
    space = numbered("c", choices).iter().fold(space, |space, name| space.categorical(name, ["a", "b", "c"]));
    let inner = TestFunction::hartmann6();
    let function = move |config: &Config| {
        let floats = active.iter().map(|name| config.float(name));
        let integers = ["i4", "i5"].iter().map(|name| Ok(config.int(name)? as f64 / 20.0));
        Ok(inner.value(&floats.chain(integers).collect::<Result<Vec<f64>, SpaceError>>()?))
    };
    Ok((space.build()?, Box::new(function)))
}

fn branches(
    (count, shared, own): (usize, usize, usize),
    rng: &mut Stream,
) -> Result<(Space, Function), ExperimentError> {
    let branch = |at: usize| i64::try_from(at).unwrap_or(i64::MAX);
    let shared_names = numbered("shared", shared);
    let own_names: Vec<Vec<String>> = (0..count).map(|at| numbered(&format!("own{at}_"), own)).collect();
    let mut space = Space::builder().categorical("branch", (0..count).map(branch));
    space = shared_names.iter().fold(space, |space, name| space.float(name, 0.0, 1.0));
    for (at, names) in own_names.iter().enumerate() {
        space =
            names.iter().fold(space, |space, name| space.float(name, 0.0, 1.0).when("branch", [branch(at)]));
    }
    let first = rng.index(count);
    let centers: Vec<Vec<f64>> =
        (0..count).map(|_| (0..shared + own).map(|_| 0.25 + 0.5 * rng.uniform()).collect()).collect();
    let function = move |config: &Config| {
        let at = usize::try_from(config.int("branch")?).unwrap_or(0);
        let names = shared_names.iter().chain(&own_names[at]);
        let away = names.zip(&centers[at]).map(|(name, center)| Ok(15.0 * (config.float(name)? - center)));
        let above = ((at + count - first) % count) as f64;
        Ok(above + ackley(&away.collect::<Result<Vec<f64>, SpaceError>>()?))
    };
    Ok((space.build()?, Box::new(function)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of all configurations of a space of categories with so many choices each.
    fn all(problem: &Wide, choices: usize) -> impl Iterator<Item = f64> {
        let dim = problem.space().parameters().len();
        let digit = move |number: usize, at: usize| number / choices.pow(at as u32) % choices;
        (0..choices.pow(dim as u32)).map(move |number| {
            let quantiles: Vec<f64> =
                (0..dim).map(|at| (digit(number, at) as f64 + 0.5) / choices as f64).collect();
            problem.truth(&problem.space().at_quantiles(&quantiles)).unwrap()
        })
    }

    fn least(kind: Kind, choices: usize) -> (f64, f64) {
        let problem = kind.problem(Seed(3)).unwrap();
        (all(&problem, choices).fold(f64::INFINITY, f64::min), problem.optimum())
    }

    /// Barker's sequence of 13 signs has the energy 6, of 5 signs 2; no other has less.
    #[test]
    fn least_energies_are_those_that_are_known() {
        let barker = [1, 1, 1, 1, 1, -1, -1, 1, 1, -1, 1, -1, 1];
        assert_eq!(energy(&barker).to_bits(), 6.0_f64.to_bits());
        for (length, least_energy) in [(5, 2), (8, 8), (13, 6)] {
            let (found, optimum) = least(Kind::Autocorrelation { length, least: least_energy }, 2);
            assert!((found - optimum).abs() < 1e-12, "{length}: {found}");
        }
    }

    #[test]
    fn the_optimum_of_a_chain_is_the_least_of_all_its_configurations() {
        let (found, optimum) = least(Kind::Chain { length: 6, choices: 3 }, 3);
        assert!((found - optimum).abs() < 1e-12, "{found} {optimum}");
    }

    /// One configuration of the bits has the least value, wherever the minimum of the continuous part is.
    #[test]
    fn ackley_has_its_minimum_at_one_configuration() {
        let problem = Kind::Ackley { binary: 6, continuous: 0 }.problem(Seed(3)).unwrap();
        assert_eq!(all(&problem, 2).filter(|value| *value < 1e-9).count(), 1);
    }

    /// At the least of all pairs of integers, the others descended, the regret against the continuous optimum is 0.0082.
    #[test]
    fn idle_parameters_have_no_effect_and_the_bound_is_nearly_reached() {
        let problem = Kind::Hartmann { idle: [2, 2, 2] }.problem(Seed(3)).unwrap();
        let mut config = problem.space().at_quantiles(&vec![0.5; problem.space().parameters().len()]);
        for (i, value) in [0.202_057, 0.149_883, 0.475_908, 0.275_533].into_iter().enumerate() {
            config.insert(format!("x{i}"), value);
        }
        config.insert("i4", 6_i64);
        config.insert("i5", 13_i64);
        let regret = problem.regret(&config).unwrap();
        assert!((regret - 0.008_173).abs() < 1e-5, "{regret}");
        config.insert("f0", 0.1);
        config.insert("n1", 7_i64);
        config.insert("c1", "c");
        assert_eq!(problem.regret(&config).unwrap().to_bits(), regret.to_bits());
    }

    /// The minima of the branches are 0, 1 and 2 above the optimum, in some order that goes around.
    #[test]
    fn branches_end_one_above_the_other() {
        let problem = Kind::Branches { count: 3, shared: 1, own: 1 }.problem(Seed(3)).unwrap();
        let mut least = [f64::INFINITY; 3];
        for branch in 0..3_i64 {
            for i in 0..=400 {
                for j in 0..=400 {
                    let mut config = Config::new();
                    config.insert("branch", branch);
                    config.insert("shared0", f64::from(i) / 400.0);
                    config.insert(format!("own{branch}_0"), f64::from(j) / 400.0);
                    let at = &mut least[usize::try_from(branch).unwrap()];
                    *at = at.min(problem.truth(&config).unwrap());
                }
            }
        }
        least.sort_by(f64::total_cmp);
        let above = least.map(f64::floor);
        assert_eq!(above, [0.0, 1.0, 2.0], "{least:?}");
    }
}
