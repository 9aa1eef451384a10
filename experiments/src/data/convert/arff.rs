//! Attribute-relation files.

use std::io::{self, BufRead, Write};

use super::at_line;

/// Values that an attribute may have.
#[derive(Debug, PartialEq)]
enum Kind {
    Number,
    Nominal(Vec<String>),
    Text,
}

struct Attribute {
    name: String,
    kind: Kind,
}

/// Converts an attribute-relation file to CSV with the names of the attributes in the first line. A missing value stays `?`.
///
/// Dense and sparse rows, quotes of both kinds and escapes are read. A cell that is not of the kind of its attribute is an error with its
/// line. In a sparse row an attribute that is not named is 0, or its first nominal value.
///
/// Source: the ARFF pages of Weka (Hall et al., 2009).
pub fn to_csv(text: impl BufRead, out: &mut impl Write) -> io::Result<()> {
    let mut attributes: Vec<Attribute> = Vec::new();
    let mut writer = csv::Writer::from_writer(out);
    let mut in_data = false;
    for (at, line) in text.lines().enumerate() {
        let line = line?;
        let line = line.trim();
        if line.is_empty() || line.starts_with('%') {
            continue;
        }
        let fault = |message: String| at_line(at + 1, message);
        if in_data {
            writer.write_record(row(line, &attributes).map_err(fault)?)?;
            continue;
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word.to_ascii_lowercase().as_str() {
            "@relation" => {}
            "@attribute" => attributes.push(attribute(rest).map_err(fault)?),
            "@data" if attributes.is_empty() => return Err(fault("@data without an attribute".into())),
            "@data" => {
                in_data = true;
                writer.write_record(attributes.iter().map(|attribute| &attribute.name))?;
            }
            _ => return Err(fault(format!("{word} where @attribute or @data should stand"))),
        }
    }
    if !in_data {
        return Err(at_line(0, "the text ends before @data"));
    }
    writer.flush()
}

/// Name and kind of an attribute, from the text after `@attribute`.
fn attribute(text: &str) -> Result<Attribute, String> {
    let mut cells = Cells { text: text.trim(), more: true };
    let name = cells.next(char::is_whitespace)?;
    let kind = cells.text.trim();
    let word = kind.split(|c: char| c.is_whitespace() || c == '{').next().unwrap_or_default();
    let kind = match word.to_ascii_lowercase().as_str() {
        "" if kind.starts_with('{') && kind.ends_with('}') => Kind::Nominal(split(&kind[1..kind.len() - 1])?),
        "numeric" | "real" | "integer" => Kind::Number,
        "string" | "date" => Kind::Text,
        _ => return Err(format!("attribute {name} has the kind {kind:?}")),
    };
    Ok(Attribute { name, kind })
}

/// Cells of a dense or sparse row.
fn row(line: &str, attributes: &[Attribute]) -> Result<Vec<String>, String> {
    let cells = match line.strip_prefix('{') {
        Some(rest) => {
            sparse(rest.strip_suffix('}').ok_or("a sparse row does not end in a brace")?, attributes)?
        }
        None => split(line)?,
    };
    if cells.len() != attributes.len() {
        return Err(format!("{} cells, expected {}", cells.len(), attributes.len()));
    }
    for (cell, Attribute { name, kind }) in cells.iter().zip(attributes) {
        let fits = match kind {
            Kind::Number => cell.parse::<f64>().is_ok(),
            Kind::Nominal(values) => values.contains(cell),
            Kind::Text => true,
        };
        if !fits && cell != "?" {
            return Err(format!("{name} is {cell:?}, which is not of its kind"));
        }
    }
    Ok(cells)
}

fn sparse(text: &str, attributes: &[Attribute]) -> Result<Vec<String>, String> {
    let mut cells: Vec<String> = attributes
        .iter()
        .map(|attribute| match &attribute.kind {
            Kind::Nominal(values) => values.first().cloned().unwrap_or_default(),
            Kind::Number | Kind::Text => "0".into(),
        })
        .collect();
    let mut rest = Cells { text: text.trim(), more: true };
    while !rest.text.is_empty() {
        let index = rest.next(char::is_whitespace)?;
        let value = rest.next(|c| c == ',')?;
        let place = index.parse().ok().and_then(|index: usize| cells.get_mut(index));
        *place.ok_or_else(|| format!("no attribute has the number {index}"))? = value;
    }
    Ok(cells)
}

/// Cells between commas; a comma at the end is followed by an empty cell.
fn split(line: &str) -> Result<Vec<String>, String> {
    let mut rest = Cells { text: line.trim(), more: true };
    let mut cells = Vec::new();
    while rest.more {
        cells.push(rest.next(|c| c == ',')?);
    }
    Ok(cells)
}

/// Rest of a line.
struct Cells<'a> {
    text: &'a str,
    /// True if the last cell ended in a separator, so that another follows.
    more: bool,
}

impl Cells<'_> {
    /// The next cell, quoted or up to `ends`, without the blanks around it.
    fn next(&mut self, ends: impl Fn(char) -> bool) -> Result<String, String> {
        self.text = self.text.trim_start();
        let Some(quote) = self.text.chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            let end = self.text.find(&ends).unwrap_or(self.text.len());
            let cell = self.text[..end].trim().to_owned();
            self.skip(end, ends)?;
            return Ok(cell);
        };
        let (mut cell, mut escaped) = (String::new(), false);
        for (at, c) in self.text.char_indices().skip(1) {
            match c {
                _ if escaped => {
                    cell.push(c);
                    escaped = false;
                }
                '\\' => escaped = true,
                c if c == quote => {
                    self.skip(at + 1, ends)?;
                    return Ok(cell);
                }
                c => cell.push(c),
            }
        }
        Err(format!("the quote before {cell:?} is not closed"))
    }

    /// Drops the cell that ends at a byte, and the separator after it.
    fn skip(&mut self, end: usize, ends: impl Fn(char) -> bool) -> Result<(), String> {
        let rest = &self.text[end..];
        let rest = if ends(' ') { rest } else { rest.trim_start() };
        let after = rest.strip_prefix(ends);
        if after.is_none() && !rest.is_empty() {
            return Err(format!("{rest:?} follows a quoted cell"));
        }
        self.more = after.is_some();
        self.text = after.unwrap_or_default();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(text: &str) -> Result<String, String> {
        let mut out = Vec::new();
        to_csv(text.as_bytes(), &mut out).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).unwrap())
    }

    const HEAD: &str = "% a comment\n@RELATION r\n\n@attribute 'a b' NUMERIC\n@attribute c {x,'y z',\"it's\"}\n@attribute d string\n@DATA\n";

    #[test]
    fn dense_rows_quotes_and_missing_values_are_read() {
        let rows = "1e-3, x ,'s, t'\n?,'y z',?\n% between\n-2,\"it's\",'q\\'r'\n4,x,\n";
        let expected = "a b,c,d\n1e-3,x,\"s, t\"\n?,y z,?\n-2,it's,q'r\n4,x,\n";
        assert_eq!(csv(&format!("{HEAD}{rows}")).unwrap(), expected);
    }

    #[test]
    fn sparse_rows_are_filled() {
        let expected = "a b,c,d\n0,it's,0\n2,x,t u\n0,x,0\n";
        assert_eq!(csv(&format!("{HEAD}{{1 \"it's\"}}\n{{0 2, 2 't u'}}\n{{}}\n")).unwrap(), expected);
    }

    #[test]
    fn what_is_not_in_form_is_named_with_its_line() {
        let broken = |rows: &str, words: &str| {
            let message = csv(&format!("{HEAD}{rows}")).unwrap_err();
            assert!(message.starts_with("line 8: ") && message.contains(words), "{message}");
        };
        broken("1,x", "2 cells, expected 3");
        broken("1,'y z' w,t", "follows a quoted cell");
        broken("a,x,t", "a b is \"a\"");
        broken("1,w,t", "c is \"w\"");
        broken("1,x,'t", "not closed");
        broken("{3 1}", "no attribute has the number 3");
        broken("{0 1", "brace");
        assert_eq!(csv("@attribute a numeric\n").unwrap_err(), "line 0: the text ends before @data");
        assert!(csv("@data\n").unwrap_err().contains("without an attribute"));
        assert!(csv("@attribute a complex\n@data\n").unwrap_err().contains("a has the kind \"complex\""));
        assert!(csv("1,2\n").unwrap_err().contains("where @attribute"));
    }
}
