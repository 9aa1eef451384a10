//! The three answers that an experiment can give.

use std::fmt;

/// Answer to a claim: evidence for it, evidence against it, or not enough evidence either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum Verdict {
    #[serde(rename = "holds")]
    Holds,
    #[serde(rename = "does not hold")]
    DoesNotHold,
    #[serde(rename = "inconclusive")]
    Inconclusive,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::Inconclusive => "inconclusive",
        })
    }
}
