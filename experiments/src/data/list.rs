//! Describes the sets of the catalog.

use std::fmt::Write;

use super::set::{Conversion, DataFile, DataSet, Origin};

/// A block of lines about each set: name, content, source, licence, users, and for each file its size, sum and origin.
pub fn describe(sets: &[&DataSet]) -> String {
    let mut text = String::new();
    for set in sets {
        let _ = writeln!(text, "{}\n    what     {}\n    source   {}", set.name, set.what, set.source);
        let _ = writeln!(text, "    licence  {}", set.licence);
        if !set.used_by.is_empty() {
            let _ = writeln!(text, "    read by  {}", set.used_by.join(", "));
        }
        for file in set.files {
            let size = file.bytes.map_or("size unknown".into(), size);
            let sum = file.sha256.unwrap_or("unknown");
            let _ = writeln!(text, "    file     {} ({size})\n      sha256 = {sum}", file.path);
            let _ = writeln!(text, "      {}", origin(file));
        }
        text.push('\n');
    }
    text
}

fn origin(file: &DataFile) -> String {
    match &file.origin {
        Origin::Address { address, conversion } => {
            let mark = if address.checked { "" } else { " (unchecked)" };
            format!("from {}{mark}, conversion {}", address.url, name(*conversion))
        }
        Origin::OpenMl { id } => format!("from OpenML, set {id} (unchecked), conversion Arff"),
        Origin::ByHand { page, conversion } => {
            format!("by hand from {page} (unchecked), conversion {}, then `--from`", name(*conversion))
        }
        Origin::Made(_) => "made by its recipe".into(),
        Origin::Elsewhere { how } => format!("not downloaded: {how}; then `--from`"),
    }
}

/// Name of a conversion, without what it is told.
fn name(conversion: Conversion) -> &'static str {
    match conversion {
        Conversion::AsIs => "none",
        Conversion::Gunzip => "Gunzip",
        Conversion::Arff => "Arff",
        Conversion::Cells { .. } => "Cells",
        Conversion::Designs => "Designs",
    }
}

/// A length with a unit.
pub fn size(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", units[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{all, find};

    #[test]
    fn unknown_sums_and_unchecked_addresses_are_marked() {
        let text = describe(&[find("openml-gina").unwrap()]);
        assert!(text.contains("sha256 = unknown") && text.contains("set 1038 (unchecked)"), "{text}");
        let text = describe(&[find("crx").unwrap()]);
        assert!(text.contains("uci/crx.data (32.2 kB)\n      sha256 = fff49bc1"), "{text}");
        assert!(text.contains("crx.data (unchecked), conversion none") && text.contains("hybrid/credit"));
        assert_eq!(describe(&all()).matches("licence  ").count(), all().len());
    }

    #[test]
    fn sizes_have_units() {
        let sizes = [0, 999, 1000, 2_600_000_000].map(size);
        assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "2.6 GB"]);
    }
}
