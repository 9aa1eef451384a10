//! Budgets of time on the command line.

use std::time::Duration;

/// The duration of `90s`, `30m`, `2h` or `1.5h`.
pub fn parse(text: &str) -> Result<Duration, String> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let seconds = match &text[number.len()..] {
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a number of seconds, minutes or hours, such as 90s, 30m or 2h".into()),
    };
    let count: f64 = number.parse().map_err(|_| format!("{number:?} is not a number"))?;
    Duration::try_from_secs_f64(count * seconds).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_have_a_unit() {
        assert_eq!(parse("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse("30m"), Ok(Duration::from_mins(30)));
        assert_eq!(parse("1.5h"), Ok(Duration::from_mins(90)));
        assert_eq!(parse("0s"), Ok(Duration::ZERO));
        for wrong in ["", "2", "h", "-1h", "2d", "1h30m", "NaNs", "1e30h", "zwei h"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
