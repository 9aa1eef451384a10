//! The setting at fault among several.

/// Name of the setting without which the others can be read, else of the first without which they fail for another reason.
///
/// `reason` is why they cannot be read, `without` is the reason after one of them is left out, if there is still one. Nothing where the reason
/// stays whatever is left out, as for a setting that is missing.
///
/// ```
/// use thrifty_units::at_fault;
/// // A name that decides which settings there are: without it the reason is another, and without the wrong one there is none.
/// let without = |name: &str| (name == "pruner").then(|| "missing field `pruner`".to_owned());
/// let reason = "invalid type: string \"many\", expected a whole number from 0";
/// assert_eq!(at_fault(["pruner", "warmup_steps"], reason, without), Some("warmup_steps"));
/// ```
pub fn at_fault<'a>(
    names: impl IntoIterator<Item = &'a str>,
    reason: &str,
    without: impl Fn(&str) -> Option<String>,
) -> Option<&'a str> {
    let mut other = None;
    for name in names {
        match without(name) {
            None => return Some(name),
            Some(left) if left != reason => other = other.or(Some(name)),
            Some(_) => {}
        }
    }
    other
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(reasons: &[Option<&str>]) -> Option<&'static str> {
        let names = ["a", "b", "c"];
        at_fault(names, "first", |name| {
            reasons[names.iter().position(|n| *n == name).unwrap()].map(str::to_owned)
        })
    }

    #[test]
    fn the_setting_that_clears_the_error_comes_before_one_that_changes_it() {
        assert_eq!(found(&[Some("second"), None, Some("first")]), Some("b"));
        assert_eq!(
            found(&[Some("first"), Some("second"), Some("third")]),
            Some("b"),
            "the first of two faults"
        );
        assert_eq!(found(&[Some("first"); 3]), None, "a setting that is missing");
        assert_eq!(at_fault([], "first", |_| None), None, "no settings");
    }
}
