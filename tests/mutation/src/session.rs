//! One run from the sources to the report.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use crate::compile::{Compiler, TestProgram};
use crate::equivalents::Equivalent;
use crate::error::MutationError;
use crate::library::{MutatedLibrary, Shard};
use crate::mutant::Mutant;
use crate::options::Options;
use crate::report::{self, Outcome, Row};
use crate::run::{Case, Suite, run_all};
use crate::suite::{self, SHARED_TESTS, Test};
use crate::{doctests, equivalents, sample, scratch, workspace};

/// Test programs that look at the workspace and run no library code.
const WITHOUT_CODE: [&str; 2] = ["layering", "structure"];

/// Folders and files of a run.
struct Places {
    workspace: PathBuf,
    /// The mutated copy of the workspace.
    scratch: PathBuf,
    target: PathBuf,
    temporary: PathBuf,
    table: PathBuf,
    summary: PathBuf,
}

impl Places {
    fn new(options: &Options) -> Result<Self, MutationError> {
        let create = |path: &Path| std::fs::create_dir_all(path).map_err(MutationError::io(path));
        let absolute = |path: &Path| path.canonicalize().map_err(MutationError::io(path));
        let scratch = options.scratch.clone().unwrap_or_else(|| options.out.join("scratch"));
        create(&options.out)?;
        ["workspace", "target", "tmp"].iter().try_for_each(|name| create(&scratch.join(name)))?;
        let scratch = absolute(&scratch)?;
        Ok(Self {
            workspace: absolute(&options.workspace)?,
            target: scratch.join("target"),
            temporary: scratch.join("tmp"),
            scratch: scratch.join("workspace"),
            table: options.out.join("results.csv"),
            summary: options.out.join("summary.txt"),
        })
    }
}

/// Runs the sample that the options describe.
pub fn run(options: &Options) -> Result<(), MutationError> {
    let (places, shard) = (Places::new(options)?, options.shard()?);
    let mut earlier = report::read(&places.table)?;
    let mut libraries = sampled(options, &places.workspace, &earlier)?;
    let proofs = equivalents::read(&places.workspace.join("tests/mutation/equivalents.toml"))?;
    equivalents::check(&proofs, libraries.iter().flat_map(|library| &library.order))?;
    print_sample(&libraries, shard);
    if options.list {
        return Ok(());
    }
    let features = options.features.join(",");
    let compiler =
        Compiler { workspace: &places.scratch, target: &places.target, shard, features: &features };
    let rewritten: HashSet<PathBuf> = libraries.iter().flat_map(MutatedLibrary::files).cloned().collect();
    scratch::copy(&places.workspace, &places.scratch, &rewritten)?;
    let programs = compiler.compile(&mut libraries)?;

    earlier.retain(|_, row| !(options.retry && row.outcome == Outcome::Survived));
    let mut cases = pending(&libraries, shard, &earlier);
    eprintln!("{} mutants to run", cases.len());
    let tests = measured(&libraries, &programs, &cases, &places.temporary, options.jobs())?;
    let suite = |tests| Suite { tests, shared_seconds: options.shared_seconds };
    let rows = run_all(&mut cases, &suite(&tests), &places.temporary, &places.table, options.jobs())?;
    earlier.extend(rows.into_iter().map(|row| (row.id.clone(), row)));

    let mut cases = for_doctests(&libraries, shard, &earlier);
    if !options.no_doctests && !cases.is_empty() {
        let packages: BTreeSet<String> = cases.iter().map(|case| case.key.0.clone()).collect();
        let mut tests = doctests::commands(&compiler, &packages)?;
        suite::measure(&mut tests, &places.temporary, options.jobs())?;
        let rows = run_all(&mut cases, &suite(&tests), &places.temporary, &places.table, options.jobs())?;
        earlier.extend(rows.into_iter().map(|row| (row.id.clone(), row)));
    }
    finish(&libraries, shard, earlier, &proofs, &places)
}

/// The libraries with the sizes of their samples; mutants known not to compile are marked.
fn sampled(
    options: &Options,
    root: &Path,
    earlier: &HashMap<String, Row>,
) -> Result<Vec<MutatedLibrary>, MutationError> {
    let read = |library| MutatedLibrary::read(root, library, options.seed);
    let mut libraries = workspace::libraries(root)?.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let counts: Vec<usize> = libraries.iter().map(|library| library.order.len()).collect();
    for (library, size) in libraries.iter_mut().zip(sample::apportion(&counts, options.sample, options.least))
    {
        if options.includes(&library.library.package) {
            library.size = size;
        }
        let unviable = |id: &str| earlier.get(id).is_some_and(|row| row.outcome == Outcome::Unviable);
        let indices = (0..library.order.len()).filter(|&index| unviable(&library.order[index].id()));
        library.unviable = indices.collect();
    }
    Ok(libraries)
}

fn print_sample(libraries: &[MutatedLibrary], shard: Shard) {
    for library in libraries {
        let active = library.active(shard);
        println!("{}: {} of {} mutants", library.library.package, active.len(), library.order.len());
        for mutant in active.iter().map(|&index| &library.order[index]) {
            let place = format!("{}:{}:{}", mutant.file, mutant.line, mutant.column);
            println!("  {place} [{}] `{}` -> `{}`", mutant.operator, mutant.original, mutant.mutated);
        }
    }
}

/// The mutants of the sample without a result.
fn pending(libraries: &[MutatedLibrary], shard: Shard, earlier: &HashMap<String, Row>) -> Vec<Case> {
    cases(libraries, shard, |mutant| {
        (!earlier.contains_key(&mutant.id())).then(|| Row::new(mutant, Outcome::Survived))
    })
}

/// The survivors of the sample that the documentation tests have not met.
fn for_doctests(libraries: &[MutatedLibrary], shard: Shard, earlier: &HashMap<String, Row>) -> Vec<Case> {
    cases(libraries, shard, |mutant| {
        let row = earlier.get(&mutant.id()).filter(|row| row.outcome == Outcome::Survived && !row.doctests);
        row.map(|row| Row { doctests: true, ..row.clone() })
    })
}

/// The mutants of the sample for which `row` gives what is known so far.
fn cases(libraries: &[MutatedLibrary], shard: Shard, row: impl Fn(&Mutant) -> Option<Row>) -> Vec<Case> {
    let mut found = Vec::new();
    for library in libraries {
        for index in library.active(shard) {
            let mutant = &library.order[index];
            if let Some(row) = row(mutant) {
                found.push(Case { key: (library.library.package.clone(), index), row });
            }
        }
    }
    found
}

/// The tests of the packages with mutants to run, and the shared tests, measured without a mutant.
fn measured(
    libraries: &[MutatedLibrary],
    programs: &[TestProgram],
    cases: &[Case],
    temporary: &Path,
    jobs: usize,
) -> Result<Vec<Test>, MutationError> {
    let wanted: HashSet<&str> = cases.iter().map(|case| case.key.0.as_str()).collect();
    let mut tests = Vec::new();
    for program in
        programs.iter().filter(|program| !cases.is_empty() && !WITHOUT_CODE.contains(&&*program.target))
    {
        // The scratch workspace has the folders of the workspace itself.
        let root = |library: &&MutatedLibrary| {
            let package = library.library.root.parent().and_then(Path::parent);
            package.is_some_and(|folder| program.manifest.ends_with(folder.join("Cargo.toml")))
        };
        let package = libraries.iter().find(root).map_or(SHARED_TESTS, |library| &library.library.package);
        if package == SHARED_TESTS || wanted.contains(package) {
            tests.extend(suite::list(package, program)?);
        }
    }
    eprintln!("{} tests to measure", tests.len());
    suite::measure(&mut tests, temporary, jobs)?;
    Ok(tests)
}

/// Marks equivalent mutants, writes the table and the summary.
fn finish(
    libraries: &[MutatedLibrary],
    shard: Shard,
    mut rows: HashMap<String, Row>,
    proofs: &[Equivalent],
    places: &Places,
) -> Result<(), MutationError> {
    let mut chosen = Vec::new();
    for library in libraries {
        for index in library.rejected(shard) {
            let row = Row::new(&library.order[index], Outcome::Unviable);
            rows.insert(row.id.clone(), row);
        }
        let indices = library.active(shard).into_iter().chain(library.rejected(shard));
        chosen.extend(indices.map(|index| library.order[index].id()));
    }
    for row in rows.values_mut() {
        let Some(proof) = proofs.iter().find(|proof| proof.matches(row)) else { continue };
        match row.outcome {
            Outcome::Survived => row.outcome = Outcome::Equivalent,
            Outcome::Killed | Outcome::Timeout => {
                eprintln!(
                    "listed as equivalent, but killed by {}: {} ({})",
                    row.killing_test, row.id, proof.proof
                );
            }
            Outcome::Equivalent | Outcome::Unviable => {}
        }
    }
    let sorted = |mut rows: Vec<Row>| {
        rows.sort_by(|a, b| {
            (&a.package, &a.file, a.line, a.column, &a.id)
                .cmp(&(&b.package, &b.file, b.line, b.column, &b.id))
        });
        rows
    };
    let summary = report::summary(&sorted(chosen.iter().filter_map(|id| rows.get(id)).cloned().collect()));
    report::write(&places.table, &sorted(rows.into_values().collect()))?;
    std::fs::write(&places.summary, &summary).map_err(MutationError::io(&places.summary))?;
    print!("{summary}");
    Ok(())
}
