//! Errors of settings in words.

/// The reason why a setting cannot be read, in words: a name without its parameters wants a table.
///
/// `given` is the text that was given. Serde says "unit variant, expected struct variant" of it.
///
/// ```
/// let reason = "invalid type: unit variant, expected newtype variant";
/// let words = thrifty_units::in_words(reason, Some("square_root"));
/// assert_eq!(words, "expected a table, { square_root = … }, as it has parameters");
/// ```
#[must_use]
pub fn in_words(reason: &str, given: Option<&str>) -> String {
    let name = given.unwrap_or("name");
    let forms = [("newtype", format!("{{ {name} = … }}")), ("struct", format!("{{ {name} = {{ … }} }}"))];
    forms.iter().fold(reason.to_owned(), |text, (kind, form)| {
        let serde = format!("invalid type: unit variant, expected {kind} variant");
        text.replace(&serde, &format!("expected a table, {form}, as it has parameters"))
    })
}
