//! Parts of an experiment that are run apart.

use std::str::FromStr;

/// Every `of`-th job, from the `at`-th on; written `1/4`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    at: usize,
    of: usize,
}

impl Shard {
    /// True if the job of this index, from 0, is in the shard.
    pub fn has(self, job: usize) -> bool {
        job % self.of == self.at - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{text} is no shard, expected i/n with 1 <= i <= n");
        let (at, of) = text.split_once('/').ok_or_else(bad)?;
        let (at, of): (usize, usize) = (at.parse().map_err(|_| bad())?, of.parse().map_err(|_| bad())?);
        if at == 0 || at > of { Err(bad()) } else { Ok(Self { at, of }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_every_job_once() {
        let shards: Vec<Shard> = ["1/3", "2/3", "3/3"].map(|text| text.parse().unwrap()).to_vec();
        for job in 0..20 {
            assert_eq!(shards.iter().filter(|shard| shard.has(job)).count(), 1, "{job}");
        }
        for bad in ["0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(bad.parse::<Shard>().unwrap_err().contains(bad));
        }
    }
}
