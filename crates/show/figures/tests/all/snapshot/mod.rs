//! Figures compared with files.

/// Compares a figure with `tests/snapshots/NAME.svg`.
///
/// `THRIFTY_RENEW=1 cargo test -p thrifty-figures` writes the files anew; look at every figure that changed before it is committed.
pub(crate) fn check(name: &str, svg: &str) {
    let path = format!("{}/tests/snapshots/{name}.svg", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("THRIFTY_RENEW").is_some() {
        std::fs::write(&path, svg).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = expected.lines().zip(svg.lines()).position(|(old, new)| old != new);
    assert!(expected == svg, "{name} differs from {path}, first in line {differs:?}");
}
