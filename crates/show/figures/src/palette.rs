//! Colours of series by their names.

use std::collections::BTreeMap;

use plotters::style::RGBColor;

use crate::color::{BRIGHT, COLOURS};

/// Colours of series by name: a name has the same colour wherever it is drawn.
///
/// A name prefers the one of seven colours that its hash selects. Names of one palette get different colours while there are
/// colours left: in alphabetical order, a name whose colour is taken gets the next free one, after these seven one of five
/// darker ones. A document whose figures must agree in every case builds one palette of the names that they share.
///
/// ```
/// use thrifty_figures::Palette;
/// let (one, two) = (Palette::new(["trials", "best"]), Palette::new(["best", "trials"]));
/// assert_eq!(one, two);
/// assert_eq!(one.with(["pruned"]).hex("best"), one.hex("best"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Palette(BTreeMap<String, usize>);

impl Palette {
    /// The palette of some names, in any order.
    #[must_use]
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::default().with(names)
    }

    /// The palette with further names; those that it has keep their colours.
    #[must_use]
    pub fn with<N: Into<String>>(&self, names: impl IntoIterator<Item = N>) -> Self {
        let mut slots = self.0.clone();
        let mut names: Vec<String> = names.into_iter().map(Into::into).collect();
        names.sort_unstable();
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            if slots.contains_key(&name) {
                continue;
            }
            let preferred = preferred(&name);
            let is_free = |slot: &usize| !slots.values().any(|taken| taken == slot);
            let bright = (0..BRIGHT).map(|next| (preferred + next) % BRIGHT);
            let free = bright.chain(BRIGHT..COLOURS.len()).find(is_free);
            slots.insert(name, free.unwrap_or(preferred));
        }
        Self(slots)
    }

    /// The colour of a name as `#rrggbb`; of a name that is not in the palette the one its hash selects.
    #[must_use]
    pub fn hex(&self, name: &str) -> String {
        let RGBColor(red, green, blue) = self.color(name);
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    pub(crate) fn color(&self, name: &str) -> RGBColor {
        let slot = self.0.get(name).copied().unwrap_or_else(|| preferred(name));
        crate::color::nth(slot)
    }
}

/// FNV-1a, reduced to the number of bright colours.
fn preferred(name: &str) -> usize {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The low bits of this hash alone depend on little of the name.
    ((hash ^ (hash >> 32)) % BRIGHT as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_palette_have_different_colors_until_there_are_none_left() {
        let names: Vec<String> = (0..30).map(|i| format!("series {i}")).collect();
        for count in [0, 1, 5, COLOURS.len()] {
            let palette = Palette::new(names[..count].to_vec());
            let mut colors: Vec<String> = names[..count].iter().map(|name| palette.hex(name)).collect();
            colors.sort_unstable();
            colors.dedup();
            assert_eq!(colors.len(), count);
        }
        assert!(Palette::new(names.clone()).hex("series 29").starts_with('#'));
    }

    #[test]
    fn the_order_of_names_does_not_matter_and_earlier_names_keep_their_color() {
        let names = ["a", "b", "c", "d", "e"];
        let forward = Palette::new(names);
        assert_eq!(forward, Palette::new(names.into_iter().rev()));
        let more = forward.with(["x", "y", "z"]);
        assert!(names.iter().all(|name| more.hex(name) == forward.hex(name)));
        assert_eq!(Palette::new([""]), Palette::default(), "an empty label names nothing");
    }
}
