//! The command of a study file: arguments with placeholders.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thrifty_space::Config;

use crate::error::CliError;
use crate::parameters::ParameterEntry;

/// One argument, or a group of arguments that is left out while one of its parameters is inactive.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "expected arguments as texts, or lists of them: \"3\" instead of 3")]
pub(crate) enum Part {
    /// One argument.
    Argument(String),
    /// A group.
    Group(Vec<String>),
}

/// Placeholders that are no parameters.
const BUILT_IN: [&str; 3] = ["config", "trial", "seed"];

/// A piece of an argument.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Placeholder(String),
}

/// A command with placeholders: `{name}` for a parameter, `{config}` for the configuration as JSON, `{trial}` for the
/// number of the trial, `{seed}` for a random number of its own; `{{` and `}}` are braces.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Template {
    /// Groups of arguments; a lone argument is a group of one.
    groups: Vec<Vec<Vec<Piece>>>,
}

impl Template {
    /// Reads a command.
    ///
    /// # Errors
    /// [`CliError::Command`] for an empty command, a placeholder that is no parameter, a parameter that the command
    /// does not use, and a conditional parameter outside a group; [`CliError::Parameter`] for a parameter with the name
    /// of a built-in placeholder.
    pub(crate) fn new(parts: Vec<Part>, parameters: &[ParameterEntry]) -> Result<Self, CliError> {
        for entry in parameters {
            if BUILT_IN.contains(&entry.name.as_str()) {
                let problem = format!("the placeholder {{{}}} has another meaning", entry.name);
                return Err(CliError::Parameter { name: entry.name.clone(), problem });
            }
        }
        let mut used = BTreeSet::new();
        let mut groups = Vec::with_capacity(parts.len());
        for (at, part) in parts.into_iter().enumerate() {
            let (arguments, alone) = match part {
                Part::Argument(argument) => (vec![argument], true),
                Part::Group(arguments) => (arguments, false),
            };
            let group = arguments.iter().map(|a| pieces(a)).collect::<Result<Vec<_>, _>>()?;
            for name in placeholders(&group) {
                if BUILT_IN.contains(&name) {
                    used.insert(name.to_owned());
                    continue;
                }
                let Some(entry) = parameters.iter().find(|p| p.name == name) else {
                    let known = parameters.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
                    return Err(CliError::Command(format!(
                        "the placeholder {{{name}}} is no parameter (parameters: {known}; also config, trial, seed; braces are {{{{ and }}}})"
                    )));
                };
                if at == 0 {
                    return Err(CliError::Command("the program must not depend on a parameter".into()));
                }
                if alone && entry.is_conditional() {
                    return Err(CliError::Command(format!(
                        "{name} is not always active: put the arguments that need it into a list of their own, such as \
                         [\"--{name}\", \"{{{name}}}\"]"
                    )));
                }
                used.insert(name.to_owned());
            }
            groups.push(group);
        }
        let program = groups.first().and_then(|group| group.first());
        if program.is_none_or(|pieces| pieces.iter().all(|p| matches!(p, Piece::Text(t) if t.is_empty()))) {
            return Err(CliError::Command("expected a program and its arguments".into()));
        }
        let unused = parameters.iter().find(|p| !used.contains("config") && !used.contains(&p.name));
        if let Some(ParameterEntry { name, .. }) = unused {
            return Err(CliError::Command(format!(
                "the parameter {name} is not used: add {{{name}}} or {{config}}"
            )));
        }
        Ok(Self { groups })
    }

    /// The arguments for a configuration, the program first.
    ///
    /// # Errors
    /// [`serde_json::Error`] for a configuration without a JSON form.
    pub(crate) fn arguments(
        &self,
        config: &Config,
        trial: u64,
        seed: u64,
    ) -> Result<Vec<String>, serde_json::Error> {
        let json = serde_json::to_string(config)?;
        let value = |name: &str| match name {
            "config" => Some(json.clone()),
            "trial" => Some(trial.to_string()),
            "seed" => Some(seed.to_string()),
            _ => config.get(name).map(ToString::to_string),
        };
        let argument = |pieces: &Vec<Piece>| {
            pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => Some(text.clone()),
                    Piece::Placeholder(name) => value(name),
                })
                .collect::<Option<String>>()
        };
        let group = |group: &Vec<Vec<Piece>>| group.iter().map(argument).collect::<Option<Vec<_>>>();
        Ok(self.groups.iter().filter_map(group).flatten().collect())
    }

    /// The program, looked up as the operating system does: a path from `folder`, or a name in PATH.
    ///
    /// The path is absolute and keeps symbolic links: programs such as the Python of a virtual environment find their files by the name
    /// they were started with.
    ///
    /// # Errors
    /// [`CliError::Command`] where there is no such file, or one that is not executable.
    pub(crate) fn program(&self, folder: &Path) -> Result<PathBuf, CliError> {
        let name: String = self.groups[0][0]
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) | Piece::Placeholder(text) => text.as_str(),
            })
            .collect();
        if name.contains('/') || Path::new(&name).is_absolute() {
            let path = absolute(folder.join(&name));
            return if is_program(&path) {
                Ok(path)
            } else if path.is_file() {
                Err(CliError::Command(format!("{} is not executable", path.display())))
            } else {
                Err(CliError::Command(format!("{} does not exist", path.display())))
            };
        }
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let suffix = std::env::consts::EXE_SUFFIX;
        let found = std::env::split_paths(&folders)
            .flat_map(|folder| [folder.join(&name), folder.join(format!("{name}{suffix}"))])
            .find(|path| is_program(path));
        found.map(absolute).ok_or_else(|| CliError::Command(format!("{name} is no program in PATH")))
    }
}

/// True of a file that the operating system executes.
fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let may_run = |found: &std::fs::Metadata| {
        std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0
    };
    #[cfg(not(unix))]
    let may_run = |_: &std::fs::Metadata| true;
    path.metadata().is_ok_and(|found| found.is_file() && may_run(&found))
}

/// The path from the root: the command is started in another folder.
fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// Pieces of an argument.
fn pieces(argument: &str) -> Result<Vec<Piece>, CliError> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut characters = argument.chars().peekable();
    let unbalanced =
        || CliError::Command(format!("a single brace in {argument:?}: braces are {{{{ and }}}}"));
    while let Some(character) = characters.next() {
        match character {
            '{' | '}' if characters.peek() == Some(&character) => {
                characters.next();
                text.push(character);
            }
            '{' => {
                let mut name = String::new();
                loop {
                    match characters.next() {
                        Some('}') => break,
                        Some('{') | None => return Err(unbalanced()),
                        Some(next) => name.push(next),
                    }
                }
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(Piece::Placeholder(name));
            }
            '}' => return Err(unbalanced()),
            _ => text.push(character),
        }
    }
    if !text.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

/// Names of the placeholders of a group.
fn placeholders(group: &[Vec<Piece>]) -> impl Iterator<Item = &str> {
    group.iter().flatten().filter_map(|piece| match piece {
        Piece::Placeholder(name) => Some(name.as_str()),
        Piece::Text(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<ParameterEntry> {
        #[derive(Deserialize)]
        struct File {
            parameters: Vec<ParameterEntry>,
        }
        let text = r#"
            [[parameters]]
            name = "solver"
            choices = ["sgd", "adam"]
            [[parameters]]
            name = "momentum"
            float = { low = 0, high = 1 }
            when = { solver = ["sgd"] }
        "#;
        toml::from_str::<File>(text).unwrap().parameters
    }

    fn argument(text: &str) -> Part {
        Part::Argument(text.into())
    }

    #[test]
    fn groups_of_inactive_parameters_are_left_out() {
        let group = Part::Group(vec!["--momentum".into(), "{momentum}".into()]);
        let parts = vec![argument("run"), argument("--solver={solver}"), group, argument("{trial}-{seed}")];
        let template = Template::new(parts, &entries()).unwrap();
        let mut config = Config::new();
        config.insert("solver", "sgd");
        config.insert("momentum", 0.5);
        let expected = ["run", "--solver=sgd", "--momentum", "0.5", "7-9"];
        assert_eq!(template.arguments(&config, 7, 9).unwrap(), expected);
        config.remove("momentum");
        config.insert("solver", "adam");
        assert_eq!(template.arguments(&config, 7, 9).unwrap(), ["run", "--solver=adam", "7-9"]);
    }

    #[test]
    fn doubled_braces_are_braces() {
        let template =
            Template::new(vec![argument("run"), argument("{{{config}}}{{}}")], &entries()).unwrap();
        assert_eq!(template.arguments(&Config::new(), 0, 0).unwrap(), ["run", "{{}}{}"]);
    }

    #[test]
    fn commands_that_cannot_be_used_are_refused_with_the_name() {
        let text = |parts: Vec<Part>| Template::new(parts, &entries()).unwrap_err().to_string();
        assert!(text(vec![]).contains("expected a program"));
        assert!(text(vec![argument("")]).contains("expected a program"));
        assert!(text(vec![argument("{solver}"), argument("{config}")]).contains("must not depend"));
        assert!(text(vec![argument("run"), argument("{rate}")]).contains("{rate} is no parameter"));
        assert!(text(vec![argument("awk"), argument("{ print {solver} }")]).contains("a single brace"));
        assert!(
            text(vec![argument("python"), argument("print({'a': 1})")])
                .contains("seed; braces are {{ and }})")
        );
        assert!(text(vec![argument("run"), argument("{solver}")]).contains("momentum is not used"));
        assert!(text(vec![argument("run"), argument("{momentum}")]).contains("not always active"));
        assert!(text(vec![argument("run"), argument("{solver")]).contains("single brace"));
        assert!(text(vec![argument("run"), argument("solver}")]).contains("single brace"));
    }
}
