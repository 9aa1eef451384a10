//! Comparison of figures with checked-in files.

/// Compares a figure with `tests/snapshots/NAME.svg`.
///
/// `THRIFTY_RENEW=1 cargo test -p thrifty-report` writes the files anew; look at every figure that changed before it is committed.
pub(crate) fn check(name: &str, svg: &str) {
    let (path, expected) = stored(name, svg);
    let differs = expected.lines().zip(svg.lines()).position(|(old, new)| old != new);
    assert!(expected == svg, "{name} differs from {path}, first in line {differs:?}");
}

/// Compares a figure of a model with `tests/snapshots/NAME.svg`: texts are the same, numbers differ by a unit of the drawing, which last bits of a
/// processor may move, and shades by 4 of 255.
#[allow(dead_code)] // not every test draws models
pub(crate) fn check_model(name: &str, svg: &str) {
    let (path, expected) = stored(name, svg);
    let (old, new) = (tokens(&expected), tokens(svg));
    assert_eq!(old.len(), new.len(), "{name} has another number of parts than {path}");
    for (old, new) in old.iter().zip(&new) {
        assert!(is_close(old, new), "{name} differs from {path}: {old} is now {new}");
    }
}

fn stored(name: &str, svg: &str) -> (String, String) {
    let path = format!("{}/tests/snapshots/{name}.svg", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("THRIFTY_RENEW").is_some() {
        std::fs::write(&path, svg).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    (path, expected)
}

/// Parts between spaces, quotes, commas and brackets.
fn tokens(svg: &str) -> Vec<&str> {
    svg.split(|c: char| c.is_whitespace() || "\"',<>()=;".contains(c))
        .filter(|part| !part.is_empty())
        .collect()
}

fn is_close(old: &str, new: &str) -> bool {
    let number = |text: &str| text.trim_start_matches(['M', 'L']).parse::<f64>().ok();
    let shade =
        |text: &str| u32::from_str_radix(text.strip_prefix('#').filter(|hex| hex.len() == 6)?, 16).ok();
    let channels = |rgb: u32| [rgb >> 16, rgb >> 8 & 255, rgb & 255];
    match (number(old).zip(number(new)), shade(old).zip(shade(new))) {
        (_, Some((a, b))) => channels(a).iter().zip(channels(b)).all(|(a, b)| a.abs_diff(b) <= 4),
        (Some((a, b)), None) => (a - b).abs() <= 1.0,
        _ => old == new,
    }
}
