//! A library crate with its mutants, and the part of them that is compiled in.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::enumerate::mutants;
use crate::error::MutationError;
use crate::mutant::Mutant;
use crate::rewrite::{MAX_SWITCH, rewrite, switch};
use crate::sample;
use crate::scratch;
use crate::workspace::{Library, sources};

/// One part of a sample that is divided among several runs.
#[derive(Debug, Clone, Copy)]
pub struct Shard {
    /// Index of the part, from 0.
    pub index: usize,
    /// Number of parts.
    pub count: usize,
}

/// A library crate whose mutants are compiled in.
pub struct MutatedLibrary {
    /// The crate.
    pub library: Library,
    /// Its sources.
    sources: Vec<(PathBuf, String)>,
    /// All mutants in the order in which they are drawn. A mutant's switch number is its index plus 1.
    pub order: Vec<Mutant>,
    /// Number of mutants in the sample.
    pub size: usize,
    /// Indices of the mutants that do not compile.
    pub unviable: BTreeSet<usize>,
}

/// Places of the mutants in the rewritten sources: file to (index of the mutant, bytes).
pub type Places = HashMap<PathBuf, Vec<(usize, Range<usize>)>>;

impl MutatedLibrary {
    /// Reads a library and enumerates its mutants; the sample is empty.
    pub fn read(workspace: &Path, library: Library, seed: u64) -> Result<Self, MutationError> {
        let sources = sources(workspace, &library)?;
        let one = |source: &crate::workspace::Source| {
            mutants(&library.package, &source.file.to_string_lossy(), &source.text, &source.syntax)
        };
        let mut order: Vec<Mutant> = sources.iter().flat_map(one).collect();
        sample::order(&mut order, seed);
        order.truncate(MAX_SWITCH);
        let sources = sources.into_iter().map(|source| (source.file, source.text)).collect();
        Ok(Self { library, sources, order, size: 0, unviable: BTreeSet::new() })
    }

    /// Files of the library, relative to the workspace.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.sources.iter().map(|(file, _)| file)
    }

    /// Indices of the mutants that are compiled in: as many as the sample holds, without those that do not compile.
    pub fn active(&self, shard: Shard) -> Vec<usize> {
        let mine = |index: &usize| index % shard.count == shard.index;
        let size = (0..self.size).filter(mine).count();
        let viable = |index: &usize| !self.unviable.contains(index);
        (0..self.order.len()).filter(mine).filter(viable).take(size).collect()
    }

    /// Indices of the drawn mutants that turned out not to compile.
    pub fn rejected(&self, shard: Shard) -> Vec<usize> {
        let last = self.active(shard).last().copied();
        self.unviable.iter().copied().filter(|index| last.is_some_and(|last| *index <= last)).collect()
    }

    /// Writes the sources with the active mutants to the scratch workspace.
    pub fn write(&self, scratch: &Path, shard: Shard) -> Result<Places, MutationError> {
        let active = self.active(shard);
        let mut places = Places::new();
        for (file, text) in &self.sources {
            let name = file.to_string_lossy();
            let here: Vec<(usize, &Mutant)> = active
                .iter()
                .map(|&index| (index + 1, &self.order[index]))
                .filter(|(_, mutant)| mutant.file == name)
                .collect();
            let mut new = rewrite(text, &here);
            if *file == self.library.root && !active.is_empty() {
                new.text.push_str(&switch(&self.library.package));
            }
            scratch::write(&scratch.join(file), new.text.as_bytes())?;
            let by_index = new.places.into_iter().map(|(number, place)| (number - 1, place));
            places.insert(file.clone(), by_index.collect());
        }
        Ok(places)
    }
}
