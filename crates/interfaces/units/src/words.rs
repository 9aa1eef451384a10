//! Errors of settings in words.

/// Numbers as Rust names their types, and in words.
const NUMBERS: [(&[&str], &str); 3] = [
    (&["u8", "u16", "u32", "u64", "usize"], "a whole number from 0"),
    (&["i8", "i16", "i32", "i64", "isize"], "a whole number"),
    (&["f32", "f64"], "a number"),
];

/// The reason why a setting cannot be read, in words: a name without its parameters wants a table, and numbers have no types of Rust.
///
/// `given` is the text that was given. Serde says "unit variant, expected struct variant" of it.
///
/// ```
/// use thrifty_units::in_words;
/// let reason = "invalid type: unit variant, expected newtype variant";
/// let words = in_words(reason, Some("square_root"));
/// assert_eq!(words, "expected a table, { square_root = … }, as it has parameters");
/// let words = in_words("invalid type: string \"many\", expected usize", Some("many"));
/// assert_eq!(words, "invalid type: string \"many\", expected a whole number from 0");
/// ```
#[must_use]
pub fn in_words(reason: &str, given: Option<&str>) -> String {
    let name = given.unwrap_or("name");
    let forms = [("newtype", format!("{{ {name} = … }}")), ("struct", format!("{{ {name} = {{ … }} }}"))];
    let tables = forms.iter().fold(reason.to_owned(), |text, (kind, form)| {
        let serde = format!("invalid type: unit variant, expected {kind} variant");
        text.replace(&serde, &format!("expected a table, {form}, as it has parameters"))
    });
    let types = NUMBERS.iter().flat_map(|(types, words)| types.iter().map(move |name| (name, words)));
    types.fold(tables, |text, (name, words)| {
        text.replace(&format!("expected {name}"), &format!("expected {words}"))
    })
}
