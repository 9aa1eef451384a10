//! A mutant: one change of the source, and how it is switched on at run time.

use std::ops::Range;

/// Rewriting of the source by which a mutant can be switched on while the program runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// `(if on { replacement } else { original })`
    Expression(String),
    /// `(on || (condition))`
    ForceTrue,
    /// `(!on && (condition))`
    ForceFalse,
    /// `!on && condition`, for conditions with `let`, which must not stand in parentheses.
    ForceFalseChain,
    /// `if !on { statement }`
    DeleteStatement,
    /// `{ if on { return value; } body }`
    Return(String),
    /// The end of an inclusive range; `token` (`..=`) becomes `..`, and the end `end + 1` unless the mutant is on.
    ExclusiveEnd { token: Range<usize> },
}

/// One possible change of a library source.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// Package that the source belongs to.
    pub package: String,
    /// Path of the source, relative to the workspace.
    pub file: String,
    /// Line of the changed code, from 1.
    pub line: usize,
    /// Column of the changed code in characters, from 1.
    pub column: usize,
    /// Bytes of the source that the edit encloses.
    pub span: Range<usize>,
    /// Name of the mutation operator.
    pub operator: &'static str,
    /// The source before the change, shortened to one line.
    pub original: String,
    /// The source after the change, shortened to one line.
    pub mutated: String,
    /// Text of the line, without the spaces at its ends.
    pub line_text: String,
    /// Number of mutants in the file before this one that change the same line in the same way.
    pub occurrence: usize,
    /// Rewriting of the source.
    pub edit: Edit,
}

impl Mutant {
    /// Identifier that survives shifts of lines: a hash of the file, the line's text and the change.
    pub fn id(&self) -> String {
        format!("{:016x}", self.hash(0))
    }

    /// Hash of a seed and of everything that identifies the mutant except its line number.
    pub fn hash(&self, seed: u64) -> u64 {
        let parts = [&self.file, self.operator, &self.line_text, &self.original, &self.mutated];
        let mut state = mix(seed ^ self.occurrence as u64);
        for part in parts {
            state = part.bytes().fold(state, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
            state = mix(state);
        }
        state
    }
}

/// The finaliser of `SplitMix64`: spreads every bit of the input over the output.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
