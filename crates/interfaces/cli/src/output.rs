//! The output of a running command: its reports, and its last line.

use std::io::{ErrorKind, Read};
use std::sync::mpsc::{Receiver, SyncSender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::report_line::ReportLine;

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// The last line of an output that is not blank; empty if there is none.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LastLine {
    /// The line without the white space at its end.
    pub(crate) text: String,
    /// True if the line was too long, and its beginning is missing.
    pub(crate) is_cut: bool,
}

/// An output that a thread reads.
pub(crate) struct Output {
    lines: Arc<Mutex<Option<Lines>>>,
    /// Closed at the end of the output.
    end: Receiver<()>,
}

impl Output {
    /// Reads an output to its end on a thread of its own, passes reports on and keeps the last line, of which up to about `limit` bytes.
    pub(crate) fn read(
        output: Option<impl Read + Send + 'static>,
        limit: usize,
        mut reports: Option<SyncSender<ReportLine>>,
    ) -> Self {
        let lines = Arc::new(Mutex::new(Some(Lines::new(limit))));
        let (open, end) = channel::<()>();
        let shared = Arc::clone(&lines);
        std::thread::spawn(move || {
            // Dropped at the end, which closes the channel.
            let _open = open;
            let mut send = |report: Option<ReportLine>| {
                // Nobody takes reports of a program that is being killed.
                reports = reports.take().filter(|reports| report.is_none_or(|r| reports.send(r).is_ok()));
            };
            let (mut output, mut buffer) = (output, vec![0; PIECE]);
            while let Some(output) = &mut output {
                let count = match output.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(_) => break,
                };
                for piece in buffer[..count].split_inclusive(|byte| *byte == b'\n') {
                    let report = lock(&shared).as_mut().and_then(|lines| lines.add(piece));
                    send(report);
                }
            }
            let last = lock(&shared).as_mut().and_then(Lines::end_line);
            send(last);
        });
        Self { lines, end }
    }

    /// The last line: of the whole output if it ends before `deadline`, else of what was read until then. The rest is read and dropped.
    pub(crate) fn last_line(self, deadline: Instant) -> LastLine {
        let _ = self.end.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        let lines = lock(&self.lines).take();
        lines.map_or_else(LastLine::default, Lines::into_last)
    }
}

fn lock(lines: &Mutex<Option<Lines>>) -> MutexGuard<'_, Option<Lines>> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The end of an output: the last line that is not blank, and the line that is being read.
struct Lines {
    last: Line,
    current: Line,
    limit: usize,
}

#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Lines {
    fn new(limit: usize) -> Self {
        Self { last: Line::default(), current: Line::default(), limit }
    }

    /// Adds a piece that may end a line; returns the report in that line, if it is one.
    fn add(&mut self, piece: &[u8]) -> Option<ReportLine> {
        let Line { bytes, is_cut } = &mut self.current;
        bytes.extend_from_slice(piece);
        // At twice the limit, so that a long line is not moved for each piece.
        if bytes.len() > self.limit.saturating_mul(2) {
            bytes.drain(..bytes.len() - self.limit);
            *is_cut = true;
        }
        if piece.ends_with(b"\n") { self.end_line() } else { None }
    }

    /// Ends the line that is being read; returns the report in it, if it is one.
    fn end_line(&mut self) -> Option<ReportLine> {
        let line = std::mem::take(&mut self.current);
        let report = ReportLine::of(&line.bytes);
        if !line.bytes.trim_ascii().is_empty() {
            self.last = line;
        }
        report
    }

    fn into_last(mut self) -> LastLine {
        self.end_line();
        let Line { bytes, is_cut } = self.last;
        let is_cut = is_cut || bytes.trim_ascii_end().len() > self.limit;
        let from = bytes.trim_ascii_end().len().saturating_sub(self.limit);
        LastLine { text: String::from_utf8_lossy(bytes[from..].trim_ascii_end()).into_owned(), is_cut }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    use super::*;

    fn last(text: &str, limit: usize) -> LastLine {
        let output = Output::read(Some(std::io::Cursor::new(text.to_owned())), limit, None);
        output.last_line(Instant::now() + Duration::from_secs(60))
    }

    #[test]
    fn the_last_line_that_is_not_blank_is_kept() {
        for (text, line) in [
            ("", ""),
            ("\n \n", ""),
            ("one\ntwo", "two"),
            ("one\r\ntwo \r\n\n \n", "two"),
            ("  0.5\n", "  0.5"),
            ("one\n\u{e9}\n", "\u{e9}"),
        ] {
            assert_eq!(last(text, 10), LastLine { text: line.into(), is_cut: false }, "{text:?}");
        }
        let long = "x".repeat(3 * PIECE);
        assert_eq!(last(&format!("a\n{long}\n"), 3 * PIECE), LastLine { text: long, is_cut: false });
    }

    #[test]
    fn a_line_that_is_too_long_keeps_its_end() {
        for length in [11, 25, 1000, 3 * PIECE] {
            let text = format!("{}{}\n", "x".repeat(length - 10), "0123456789");
            let LastLine { text, is_cut } = last(&text, 10);
            assert!(text.ends_with("123456789") && text.len() <= 10 && is_cut, "{length}: {text}");
        }
        assert_eq!(last(&format!("{}\n1\n", "x".repeat(1000)), 10).text, "1");
    }

    #[test]
    fn an_output_that_does_not_end_has_what_was_read() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let (sender, reports) = sync_channel(8);
        let output = Output::read(Some(reader), 100, Some(sender));
        std::io::Write::write_all(&mut writer, b"{\"step\": 3, \"value\": 0.5}\n0.25").unwrap();
        assert_eq!(reports.recv().unwrap(), ReportLine { step: 3, value: 0.5 });
        let line = output.last_line(Instant::now() + Duration::from_millis(300));
        assert_eq!(line, LastLine { text: "0.25".into(), is_cut: false });
        std::io::Write::write_all(&mut writer, b"more").unwrap();
    }
}
