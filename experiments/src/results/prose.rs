//! Tables of the results pages that are no results.

/// Page and first line of each table that stays as it is written: descriptions of methods.
pub const BY_HAND: [(&str, &str); 1] =
    [("judged.md", "| peer | as | model starts | noisy problems: recommendation |")];
