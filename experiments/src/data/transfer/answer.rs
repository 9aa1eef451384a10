//! Requests for a file or its rest, and what the answers mean.

use ureq::http::header::{CONTENT_LENGTH, CONTENT_RANGE, ETAG, IF_RANGE, LAST_MODIFIED, RANGE};

use crate::data::error::DataError;

/// A response with its body.
pub type Response = ureq::http::Response<ureq::Body>;

/// Meaning of a response.
#[derive(Debug, PartialEq)]
pub enum Answer {
    /// The whole file.
    Whole,
    /// The rest from where we are.
    Rest,
    /// Nothing is left to send.
    AllThere,
    /// Another version than the part that we have.
    Changed,
    /// An error with its status.
    Fault(u16),
}

/// Sends a request, for the rest of a version where an offset and a validator are given.
///
/// Source: RFC 9110, sections 13.1.5 (If-Range) and 14.2 (Range).
pub fn ask(agent: &ureq::Agent, address: &str, rest: Option<(u64, &str)>) -> Result<Response, DataError> {
    let mut request = agent.get(address).config().https_only(address.starts_with("https://")).build();
    if let Some((have, validator)) = rest {
        request = request.header(RANGE, format!("bytes={have}-")).header(IF_RANGE, validator);
    }
    request.call().map_err(|error| DataError::Network { address: address.into(), message: error.to_string() })
}

/// Strong `ETag`, else the date of the last change.
pub fn validator(answer: &Response) -> Option<String> {
    let text = |name| Some(answer.headers().get(name)?.to_str().ok()?.to_owned());
    text(ETAG).filter(|tag| !tag.starts_with("W/")).or_else(|| text(LAST_MODIFIED))
}

/// Announced length of the body.
pub fn length(answer: &Response) -> Option<u64> {
    answer.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// First byte and length of the whole file in `bytes FIRST-LAST/TOTAL`; no first byte in `bytes */TOTAL`.
fn range(text: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (span, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let first = if span == "*" { None } else { Some(span.split_once('-')?.0.parse().ok()?) };
    let total = if total == "*" { None } else { Some(total.parse().ok()?) };
    Some((first, total))
}

impl Answer {
    /// Meaning of a response to a request for the rest, `asked`, of a file of `total` bytes.
    pub fn read(answer: &Response, asked: Option<(u64, &str)>, total: Option<u64>) -> Self {
        let there = answer.headers().get(CONTENT_RANGE).and_then(|text| range(text.to_str().ok()?));
        match (answer.status().as_u16(), asked, there) {
            (200, ..) => Self::Whole,
            (206, Some((have, version)), Some((Some(first), whole))) => {
                let same_version = validator(answer).is_none_or(|now| now == version);
                let same_length = total.zip(whole).is_none_or(|(then, now)| then == now);
                if first == have && same_version && same_length { Self::Rest } else { Self::Changed }
            }
            (416, Some((have, _)), Some((None, Some(whole)))) if whole == have => Self::AllThere,
            (206 | 416, Some(_), _) => Self::Changed,
            (status, ..) => Self::Fault(status),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn ranges_are_read_or_refused() {
        assert_eq!(range("bytes 5-9/10"), Some((Some(5), Some(10))));
        assert_eq!(range("bytes 5-9/*"), Some((Some(5), None)));
        assert_eq!(range("bytes */10"), Some((None, Some(10))));
        for bad in ["", "bytes", "bytes 5/10", "bytes -5-9/10", "lines 5-9/10", "bytes 5-9/ten"] {
            assert_eq!(range(bad), None, "{bad}");
        }
    }
}
