//! Resumable download of a file over HTTP.

mod answer;
mod connection;
mod disk;
mod part;
#[cfg(test)]
pub mod server;
#[cfg(test)]
mod tests;

use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use answer::Answer;
pub use connection::agent;
pub use disk::{Disk, RealDisk};
use part::Part;
pub use part::remove;

use super::error::DataError;

/// Bytes between two reports of progress.
const BUFFER: usize = 1 << 16;

/// Receiver of progress: bytes that are there, and bytes of the whole file where the server said so.
pub type Progress<'a> = dyn Fn(u64, Option<u64>) + 'a;

/// Downloads files, and goes on where a transfer broke off.
pub struct Transfer<'a> {
    agent: ureq::Agent,
    disk: &'a dyn Disk,
    /// Tries without more bytes than ever before, after which it gives up.
    tries: u32,
    /// Pause before the second try; it doubles from try to try.
    pause: Duration,
}

/// End of an attempt that another attempt may mend.
struct BrokeOff(String);

impl<'a> Transfer<'a> {
    /// Transfers with four tries, one second apart at first.
    pub fn new(agent: ureq::Agent, disk: &'a dyn Disk) -> Self {
        Self { agent, disk, tries: 4, pause: Duration::from_secs(1) }
    }

    /// Transfers without a pause between tries.
    #[cfg(test)]
    pub fn hurried(self) -> Self {
        Self { pause: Duration::ZERO, ..self }
    }

    /// Disk that files are written to.
    pub fn disk(&self) -> &'a dyn Disk {
        self.disk
    }

    /// Downloads to the file `path`, which is complete afterwards.
    ///
    /// Bytes of an earlier attempt at the same address are kept if the server confirms by `ETag` or date that the file is the same.
    ///
    /// # Errors
    /// [`DataError::Network`] before the first answer, [`DataError::Status`], [`DataError::Torn`] after several attempts without a new
    /// byte, [`DataError::Io`] if the disk is full.
    pub fn fetch(&self, address: &str, path: &Path, progress: &Progress) -> Result<(), DataError> {
        let mut part = Part::load(path, address);
        let (mut most, mut idle) = (part.length()?, 0);
        while !part.complete {
            let Err(BrokeOff(message)) = self.attempt(&mut part, progress)? else { break };
            let have = part.length()?;
            idle = if have > most { 0 } else { idle + 1 };
            most = most.max(have);
            if idle == self.tries {
                let total = part.total;
                return Err(DataError::Torn { address: address.into(), have, total, message });
            }
            std::thread::sleep(self.pause * 2_u32.saturating_pow(idle.saturating_sub(1)));
        }
        Ok(())
    }

    /// A text of at most a mebibyte.
    pub fn text(&self, address: &str) -> Result<String, DataError> {
        let mut answer = answer::ask(&self.agent, address, None)?;
        let body = answer.body_mut().with_config().limit(1 << 20).read_to_string();
        body.map_err(|error| DataError::Network { address: address.into(), message: error.to_string() })
    }

    /// One request. The outer error is final, the inner one may be mended by another attempt.
    fn attempt(&self, part: &mut Part, progress: &Progress) -> Result<Result<(), BrokeOff>, DataError> {
        let have = part.length()?;
        let validator = part.validator.clone().filter(|_| have > 0);
        let asked = validator.as_ref().map(|validator| (have, validator.as_str()));
        let answer = answer::ask(&self.agent, &part.address, asked)?;
        let append = match Answer::read(&answer, asked, part.total) {
            Answer::Whole => {
                part.begin(answer::validator(&answer), answer::length(&answer))?;
                false
            }
            Answer::Rest => true,
            Answer::AllThere => return part.finish().map(Ok),
            Answer::Changed => {
                part.discard()?;
                return Ok(Err(BrokeOff("the file changed between two parts".into())));
            }
            Answer::Fault(status) if (500..600).contains(&status) || status == 429 => {
                return Ok(Err(BrokeOff(format!("status {status}"))));
            }
            Answer::Fault(status) => return Err(DataError::Status { address: part.address.clone(), status }),
        };
        self.receive(part, append, answer, progress)
    }

    /// Writes the body of an answer to the part.
    fn receive(
        &self,
        part: &mut Part,
        append: bool,
        answer: answer::Response,
        progress: &Progress,
    ) -> Result<Result<(), BrokeOff>, DataError> {
        let mut file = self.disk.open(&part.path, append).map_err(DataError::io(&part.path))?;
        let mut have = if append { part.length()? } else { 0 };
        let (mut body, mut buffer) = (answer.into_body().into_reader(), vec![0; BUFFER]);
        let broke_off = loop {
            match body.read(&mut buffer) {
                Ok(0) => break None,
                Ok(read) => {
                    file.write_all(&buffer[..read]).map_err(DataError::io(&part.path))?;
                    have += read as u64;
                    progress(have, part.total);
                }
                Err(error) => break Some(error.to_string()),
            }
        };
        file.flush().map_err(DataError::io(&part.path))?;
        match broke_off {
            Some(message) => Ok(Err(BrokeOff(message))),
            None if part.total.is_some_and(|total| total > have) => {
                Ok(Err(BrokeOff("the connection was closed".into())))
            }
            None if part.total.is_some_and(|total| total < have) => {
                part.discard()?;
                Ok(Err(BrokeOff("more bytes than announced".into())))
            }
            None => part.finish().map(Ok),
        }
    }
}
