//! Rewrites a source so that its mutants can be switched on at run time.

use std::cmp::Reverse;
use std::ops::Range;

use crate::mutant::{Edit, Mutant};

/// The module with the switch, appended to the root of every mutated crate.
pub fn switch(package: &str) -> String {
    include_str!("switch.rs.txt").replace("PACKAGE", &format!("{package:?}"))
}

/// Largest switch number that the injected module can record.
pub const MAX_SWITCH: usize = 512 * 64 - 1;

/// A rewritten source, and where each mutant stands in it.
#[derive(Debug)]
pub struct Rewritten {
    /// The text of the new source.
    pub text: String,
    /// Switch number and bytes of the new source that belong to the mutant.
    pub places: Vec<(usize, Range<usize>)>,
}

/// A piece of text to insert; sorts into the order of insertion.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    /// The end of a mutant, the innermost first.
    Close(Reverse<usize>),
    /// `..` in the place of `..=`.
    Exclusive,
    /// The start of a mutant, the outermost first.
    Open(usize),
}

/// Inserts the switches of some mutants, given with their switch numbers, into a source.
pub fn rewrite(source: &str, mutants: &[(usize, &Mutant)]) -> Rewritten {
    let mut mutants = mutants.to_vec();
    mutants.sort_by_key(|(number, m)| (m.span.start, Reverse(m.span.end), *number));
    let mut pieces = Vec::new();
    for (rank, (_, mutant)) in mutants.iter().enumerate() {
        pieces.push((mutant.span.start, Piece::Open(rank)));
        pieces.push((mutant.span.end, Piece::Close(Reverse(rank))));
        if let Edit::ExclusiveEnd { token } = &mutant.edit {
            pieces.push((token.start, Piece::Exclusive));
        }
    }
    pieces.sort();
    let mut text = String::with_capacity(source.len() + 100 * mutants.len());
    let mut places: Vec<_> = mutants.iter().map(|(number, _)| (*number, 0..0)).collect();
    let mut copied = 0;
    for (at, piece) in pieces {
        text.push_str(&source[copied..at]);
        copied = at;
        match piece {
            Piece::Open(rank) => {
                places[rank].1.start = text.len();
                text.push_str(&opening(source, mutants[rank].0, mutants[rank].1));
            }
            Piece::Close(Reverse(rank)) => {
                text.push_str(closing(&mutants[rank].1.edit));
                places[rank].1.end = text.len();
            }
            Piece::Exclusive => {
                text.push_str("..");
                copied += "..=".len();
            }
        }
    }
    text.push_str(&source[copied..]);
    Rewritten { text, places }
}

/// Text before the original code.
fn opening(source: &str, number: usize, mutant: &Mutant) -> String {
    let on = format!("crate::mutation_switch::on({number})");
    match &mutant.edit {
        Edit::Expression(replacement) => format!("(if {on} {{ {replacement} }} else {{ "),
        Edit::ForceTrue => format!("({on} || ("),
        Edit::ForceFalse => format!("(!{on} && ("),
        Edit::ForceFalseChain => format!("!{on} && "),
        Edit::DeleteStatement => format!("if !{on} {{ "),
        Edit::Return(value) => format!("{{ if {on} {{ return {value}; }} "),
        Edit::ExclusiveEnd { .. } => {
            format!("(if {on} {{ {} }} else {{ 1 + (", &source[mutant.span.clone()])
        }
    }
}

/// Text after the original code.
fn closing(edit: &Edit) -> &'static str {
    match edit {
        Edit::Expression(_) => " })",
        Edit::ExclusiveEnd { .. } => ") })",
        Edit::ForceTrue | Edit::ForceFalse => "))",
        Edit::ForceFalseChain => "",
        Edit::DeleteStatement | Edit::Return(_) => " }",
    }
}
