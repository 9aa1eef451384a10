//! Lines on the standard error output.

use std::fmt::Display;
use std::io::Write;

/// Prints a line on the standard error output. Where nobody reads it any more, as after `2>&1 | head`, that is no reason to end a study:
/// `eprintln!` would panic.
pub(crate) fn say(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
