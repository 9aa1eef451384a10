//! Another library as a method of a study.

use serde::Serialize;
use thrifty_space::{Config, Kind, Parameter, Space, Value, When};
use thrifty_study::{
    Ask, Best, Fingerprint, History, Optimizer, OptimizerError, Outcome, Suggestion, TrialId,
};

use super::process::{Answer, Point, Process};

/// Beginning of a study.
#[derive(Debug, Clone, Serialize)]
pub struct First<'a> {
    pub method: &'a str,
    pub seed: u64,
    pub noisy: bool,
    /// Number of points of the design.
    pub design: usize,
    pub evaluations: usize,
    /// Number of points that are asked for before the first of them is told.
    pub batch: usize,
    /// Number of constraints that each evaluation measures.
    pub constraints: usize,
    /// Trials may fail, and are told. Otherwise failed trials are left out.
    pub failing: bool,
    /// Reference point of the hypervolume, a number for each loss; empty where there is one loss.
    pub reference: Vec<f64>,
}

impl Default for First<'_> {
    /// One point after the other, of one loss, without noise, constraints, failures and a design.
    fn default() -> Self {
        Self {
            method: "",
            seed: 0,
            noisy: false,
            design: 0,
            evaluations: 0,
            batch: 1,
            constraints: 0,
            failing: false,
            reference: Vec::new(),
        }
    }
}

#[derive(Serialize)]
struct Begin<'a> {
    #[serde(flatten)]
    first: &'a First<'a>,
    parameters: Vec<Column>,
}

/// A parameter as the script sees it.
#[derive(Serialize)]
struct Column {
    #[serde(flatten)]
    kind: ColumnKind,
    /// Conditions of activity; all of them must hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    when: Vec<Condition>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
enum ColumnKind {
    Float { low: f64, high: f64 },
    Int { low: i64, high: i64 },
    Choice { count: usize },
}

/// Positions of the choices of an earlier parameter under which a parameter is active.
#[derive(Serialize)]
struct Condition {
    /// Position of the earlier parameter.
    parameter: usize,
    choices: Vec<usize>,
}

/// Outcome of a trial as the script sees it.
#[derive(Serialize)]
#[serde(untagged)]
enum Losses {
    /// The loss of a study with one; none of a failed trial.
    One(Option<f64>),
    Several(Vec<f64>),
}

/// Evaluations that are new, as pairs of a point and its losses.
#[derive(Serialize)]
struct Tell {
    #[serde(rename = "tell")]
    evaluations: Vec<(Point, Losses)>,
    /// Measured constraints of each.
    constraints: Vec<Vec<f64>>,
    recommend: bool,
}

#[derive(Serialize)]
struct End {
    end: bool,
}

/// A study of another library.
pub struct PeerStudy {
    process: Process,
    space: Space,
    told: usize,
    /// Failed trials are told.
    failing: bool,
    /// Trials have several losses.
    several: bool,
    /// Version of the package.
    pub version: String,
    /// CPU seconds of the process since the study began.
    pub cpu_seconds: f64,
}

/// Reason why a peer does not begin a study; where it goes on, with its process.
pub enum Refusal {
    /// The interpreter does not have the package.
    Missing(String),
    /// The package has no type for a parameter.
    Unsupported(Box<Process>, String),
}

impl PeerStudy {
    /// Begins a study in a process.
    pub fn begin(mut process: Process, space: &Space, first: &First<'_>) -> Result<Self, Refusal> {
        let columns: Result<Vec<Column>, String> =
            space.parameters().iter().map(|p| column(space, p)).collect();
        let parameters = match columns {
            Ok(columns) => columns,
            Err(why) => return Err(Refusal::Unsupported(Box::new(process), why)),
        };
        let answer = process.answer(&Begin { first, parameters }).map_err(Refusal::Missing)?;
        match answer {
            Answer { missing: Some(why), .. } => Err(Refusal::Missing(why)),
            Answer { unsupported: Some(why), .. } => Err(Refusal::Unsupported(Box::new(process), why)),
            Answer { version, .. } => Ok(Self {
                process,
                space: space.clone(),
                told: 0,
                failing: first.failing,
                several: !first.reference.is_empty(),
                version: version.unwrap_or_default(),
                cpu_seconds: 0.0,
            }),
        }
    }

    /// Ends the study and returns the process for another.
    pub fn end(mut self) -> Option<Process> {
        self.process.send(&End { end: true }).is_ok().then_some(self.process)
    }

    fn point(&self, config: &Config) -> Result<Point, String> {
        let number = |parameter: &Parameter, value: &Value| match &parameter.kind {
            Kind::Categorical { choices } => {
                let at = choices.iter().position(|choice| choice == value);
                at.map(|at| at as f64).ok_or_else(|| format!("{} has no such choice", parameter.name))
            }
            Kind::Int { .. } => {
                config.int(&parameter.name).map(|v| v as f64).map_err(|error| error.to_string())
            }
            _ => config.float(&parameter.name).map_err(|error| error.to_string()),
        };
        let of = |parameter: &Parameter| {
            config.get(&parameter.name).map(|value| number(parameter, value)).transpose()
        };
        self.space.parameters().iter().map(of).collect()
    }

    /// The configuration of a point; rounding may have left the box by a little.
    fn config(&self, x: &[Option<f64>]) -> Result<Config, String> {
        let parameters = self.space.parameters();
        if x.len() != parameters.len() {
            return Err(format!("a point of {} numbers, expected {}", x.len(), parameters.len()));
        }
        let mut config = Config::new();
        for (parameter, x) in parameters.iter().zip(x) {
            let holds =
                |when: &When| config.get(&when.parent).is_some_and(|value| when.values.contains(value));
            let Some(x) = x.filter(|_| parameter.conditions.iter().all(holds)) else { continue };
            let value = match &parameter.kind {
                Kind::Categorical { choices } => {
                    let choice = choices.get(x.round() as usize).filter(|_| x > -0.5);
                    choice.ok_or_else(|| format!("{} has no choice {x}", parameter.name))?.clone()
                }
                Kind::Int { .. } => Value::Int(x.round() as i64),
                Kind::Float { low, high, .. } => {
                    let slack = 1e-9 * (high - low);
                    let inside = x >= low - slack && x <= high + slack;
                    Value::Float(if inside { x.clamp(*low, *high) } else { x })
                }
                Kind::StepFloat { .. } => Value::Float(x),
            };
            config.insert(parameter.name.as_str(), value);
        }
        self.space.validate(&config).map_err(|error| error.to_string())?;
        Ok(config)
    }

    /// Sends the losses that are new; returns the answer, and the configuration in it.
    fn message<Q>(
        &mut self,
        history: &History<Q>,
        config: impl Fn(&Q) -> &Config,
        recommend: bool,
    ) -> Result<(Answer, Option<Config>), String> {
        let (mut evaluations, mut constraints) = (Vec::new(), Vec::new());
        // A trial that runs is told once it has ended, and those after it with it.
        let told = history.trials()[self.told..].iter().take_while(|trial| trial.outcome.is_some());
        for trial in told {
            self.told += 1;
            let measured = trial.outcome.as_ref().and_then(Outcome::measurement);
            if measured.is_some() || self.failing {
                let losses = match measured {
                    Some(measured) if self.several => Losses::Several(measured.objectives.clone()),
                    measured => Losses::One(measured.and_then(|own| own.objectives.first().copied())),
                };
                evaluations.push((self.point(config(&trial.query))?, losses));
                constraints.push(measured.map_or(Vec::new(), |measured| measured.constraints.clone()));
            }
        }
        let answer = self.process.answer(&Tell { evaluations, constraints, recommend })?;
        self.cpu_seconds = answer.cpu.unwrap_or(self.cpu_seconds);
        let config = answer.x.as_deref().map(|x| self.config(x)).transpose()?;
        Ok((answer, config))
    }

    /// The next configuration, and the random seed with which the peer wants it evaluated, where it has one.
    ///
    /// `config` is the configuration of a query.
    pub fn suggestion<Q>(
        &mut self,
        history: &History<Q>,
        config: impl Fn(&Q) -> &Config,
    ) -> Result<(Config, Option<u64>), OptimizerError> {
        let (answer, config) = self.message(history, config, false).map_err(failed)?;
        Ok((config.ok_or_else(|| failed("no point in its answer".into()))?, answer.seed))
    }

    /// The recommendation of the peer, or the best that was observed.
    pub fn recommendation<Q>(
        &mut self,
        history: &History<Q>,
        config: impl Fn(&Q) -> &Config,
    ) -> Result<Option<Best<Config>>, OptimizerError> {
        match self.message(history, &config, true).map_err(failed)?.1 {
            Some(config) => Ok(Some(Best::posterior(config, f64::NAN))),
            None => {
                Ok(history.best().map(|(trial, value)| Best::observed(config(&trial.query).clone(), value)))
            }
        }
    }
}

/// The type of a parameter that other libraries have, too, and its conditions.
fn column(space: &Space, parameter: &Parameter) -> Result<Column, String> {
    let kind = match &parameter.kind {
        Kind::Float { low, high, log: false } => ColumnKind::Float { low: *low, high: *high },
        Kind::Int { low, high, step: 1, log: false } => ColumnKind::Int { low: *low, high: *high },
        Kind::Categorical { choices } => ColumnKind::Choice { count: choices.len() },
        other => return Err(format!("{}: the script has no type for {other:?}", parameter.name)),
    };
    let when = parameter.conditions.iter().map(|when| condition(space, when));
    Ok(Column { kind, when: when.collect::<Result<_, _>>()? })
}

fn condition(space: &Space, when: &When) -> Result<Condition, String> {
    let (parents, name) = (space.parameters(), &when.parent);
    let parameter = parents.iter().position(|parent| parent.name == *name);
    let parameter = parameter.ok_or_else(|| format!("no parameter {name}"))?;
    let Kind::Categorical { choices } = &parents[parameter].kind else {
        return Err(format!("{name}: the script has conditions on choices alone"));
    };
    let is_active = |(at, choice): (usize, &Value)| when.values.contains(choice).then_some(at);
    Ok(Condition { parameter, choices: choices.iter().enumerate().filter_map(is_active).collect() })
}

fn failed(why: String) -> OptimizerError {
    OptimizerError::failed("another library", why)
}

impl Optimizer for PeerStudy {
    type Query = Config;
    type Recommendation = Best<Config>;

    fn ask(&mut self, history: &History<Config>, _: TrialId) -> Result<Ask<Config>, OptimizerError> {
        Ok(Ask::Evaluate(Suggestion::new(self.suggestion(history, |config| config)?.0)))
    }

    fn recommend(&mut self, history: &History<Config>) -> Result<Option<Best<Config>>, OptimizerError> {
        self.recommendation(history, |config| config)
    }

    fn fingerprint(&self) -> Result<Fingerprint, OptimizerError> {
        Ok(Fingerprint::new("another library"))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const FIRST: First<'_> = First {
        method: "cma",
        seed: 1,
        noisy: false,
        design: 2,
        evaluations: 4,
        batch: 1,
        constraints: 0,
        failing: false,
        reference: Vec::new(),
    };

    #[test]
    fn without_an_interpreter_it_is_named() {
        let error = Process::start(Path::new("no-such-python")).err().unwrap().to_string();
        assert!(error.contains("no-such-python"), "{error}");
    }

    #[test]
    #[cfg(unix)]
    fn an_interpreter_that_answers_nothing_is_missing() {
        let process = Process::start(Path::new("/bin/true")).unwrap();
        match PeerStudy::begin(process, &Space::unit_cube(1), &FIRST).err().unwrap() {
            Refusal::Missing(why) => assert!(why.contains("process"), "{why}"),
            Refusal::Unsupported(_, why) => panic!("{why}"),
        }
    }

    /// A study of an interpreter that gives these answers, and the folder that it needs.
    #[cfg(unix)]
    fn fake_study(
        answers: &[(&str, &str)],
        space: &Space,
        first: &First<'_>,
    ) -> (tempfile::TempDir, PeerStudy) {
        let folder = tempfile::tempdir().unwrap();
        let process = Process::start(&super::super::fake::interpreter(folder.path(), answers)).unwrap();
        let Ok(peer) = PeerStudy::begin(process, space, first) else { panic!("it begins") };
        (folder, peer)
    }

    /// Constraints are told beside the losses, and their number at the beginning.
    #[test]
    #[cfg(unix)]
    fn constraints_are_told() {
        use thrifty_study::{MaxTrials, Measurement, Study};

        let answers = [
            (r#"*'"constraints":2,'*"#, r#"{"version": "1"}"#),
            (r#"*'"tell":[],"constraints":[],'*"#, r#"{"x": [0.25]}"#),
            (r#"*'"tell":[[[0.25],3.0]],"constraints":[[0.5,-1.0]],'*"#, r#"{"x": [0.75]}"#),
        ];
        let first = First { constraints: 2, ..FIRST };
        let (_folder, peer) = fake_study(&answers, &Space::unit_cube(1), &first);
        let mut study = Study::new(peer, thrifty_sampling::Seed(1)).with_stop(MaxTrials(2));
        study
            .run(|_, _| {
                let constraints = vec![0.5, -1.0];
                Ok::<_, String>(Measurement { constraints, ..Measurement::from(3.0) })
            })
            .unwrap();
        assert_eq!(study.history().trials()[1].query.float("x0"), Ok(0.75));
    }

    /// Several losses are told together, and the reference point at the beginning.
    #[test]
    #[cfg(unix)]
    fn several_losses_are_told() {
        use thrifty_study::{MaxTrials, Measurement, Study};

        let answers = [
            (r#"*'"reference":[2.0,5.0],'*"#, r#"{"version": "1"}"#),
            (r#"*'"tell":[],'*"#, r#"{"x": [0.25]}"#),
            (r#"*'"tell":[[[0.25],[3.0,-1.0]]],'*"#, r#"{"x": [0.75]}"#),
        ];
        let first = First { reference: vec![2.0, 5.0], ..FIRST };
        let (_folder, peer) = fake_study(&answers, &Space::unit_cube(1), &first);
        let mut study = Study::new(peer, thrifty_sampling::Seed(1)).with_stop(MaxTrials(2));
        study
            .run(|_, _| {
                Ok::<_, String>(Measurement { objectives: vec![3.0, -1.0], ..Measurement::from(0.0) })
            })
            .unwrap();
        assert_eq!(study.history().trials()[1].query.float("x0"), Ok(0.75));
    }

    /// Failed trials are told without a loss, where the study was begun with them. Otherwise they are left out, so that both messages are the
    /// same.
    #[test]
    #[cfg(unix)]
    fn failed_trials_are_told() {
        use thrifty_study::{MaxTrials, Study};

        for (failing, told) in
            [(true, r#"[[[0.25],null]],"constraints":[[]]"#), (false, r#"[],"constraints":[]"#)]
        {
            let (begin, told) = (format!("*'\"failing\":{failing},'*"), format!("*'\"tell\":{told},'*"));
            let answers = [
                (&*begin, r#"{"version": "1"}"#),
                (&*told, r#"{"x": [0.75]}"#),
                (r#"*'"tell":[],"constraints":[],'*"#, r#"{"x": [0.25]}"#),
            ];
            let first = First { failing, ..FIRST };
            let (_folder, peer) = fake_study(&answers, &Space::unit_cube(1), &first);
            let mut study = Study::new(peer, thrifty_sampling::Seed(1)).with_stop(MaxTrials(2));
            study.run(|_, _| Err::<f64, _>("no licence")).unwrap();
            let x: Vec<f64> =
                study.history().trials().iter().map(|trial| trial.query.float("x0").unwrap()).collect();
            assert_eq!(x, if failing { [0.25, 0.75] } else { [0.75, 0.75] });
        }
    }

    /// A batch is asked for before any of it is told; then all of it is told at once.
    #[test]
    #[cfg(unix)]
    fn batches_are_told_when_they_have_ended() {
        use thrifty_study::{MaxTrials, Next, Study};

        let answers = [
            (r#"*'"batch":2,'*"#, r#"{"version": "1"}"#),
            (r#"*'"tell":[],'*"#, r#"{"x": [0.25]}"#),
            (r#"*'"tell":[[[0.25],3.0],[[0.25],4.0]],'*"#, r#"{"x": [0.75]}"#),
        ];
        let first = First { batch: 2, ..FIRST };
        let (_folder, peer) = fake_study(&answers, &Space::unit_cube(1), &first);
        let mut study = Study::new(peer, thrifty_sampling::Seed(1)).with_stop(MaxTrials(3));
        let ask = |study: &mut Study<PeerStudy>| match study.ask().unwrap() {
            Next::Evaluate(trial) => trial,
            other => panic!("{other:?}"),
        };
        let batch = [ask(&mut study), ask(&mut study)];
        for (trial, loss) in batch.iter().zip([3.0, 4.0]) {
            study.tell(trial.id, loss).unwrap();
        }
        assert_eq!(ask(&mut study).query.float("x0"), Ok(0.75));
    }

    /// A conditional parameter is there with its condition, and a point has no number for it where it is not active: one that is given is
    /// left out.
    #[test]
    #[cfg(unix)]
    fn conditions_and_inactive_parameters_are_told() {
        use thrifty_study::{MaxTrials, Study};

        let space = Space::builder()
            .categorical("kernel", ["linear", "rbf", "wave"])
            .float("width", 0.0, 2.0)
            .when("kernel", ["rbf", "wave"])
            .int("count", 1, 9)
            .build()
            .unwrap();
        let begin = r#"*'"when":[{"parameter":0,"choices":[1,2]}]'*"#;
        let answers = [
            (begin, r#"{"version": "1"}"#),
            (r#"*'"tell":[],'*"#, r#"{"x": [0, null, 3]}"#),
            ("*'[0.0,null,3.0]'*", r#"{"x": [2, 0.5, 4]}"#),
            ("*'[2.0,0.5,4.0]'*", r#"{"x": [0, 0.5, 4]}"#),
        ];
        let (_folder, peer) = fake_study(&answers, &space, &FIRST);
        let mut study = Study::new(peer, thrifty_sampling::Seed(1)).with_stop(MaxTrials(3));
        study.run(|config, _| config.int("count").map(|count| count as f64)).unwrap();
        let configs: Vec<&Config> = study.history().trials().iter().map(|trial| &trial.query).collect();
        let widths: Vec<Option<f64>> = configs.iter().map(|config| config.float("width").ok()).collect();
        assert_eq!(widths, [None, Some(0.5), None]);
        assert_eq!(configs[1].str("kernel"), Ok("wave"));
    }
}
