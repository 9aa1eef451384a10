//! Build and processor that wrote a journal.

use serde::{Deserialize, Serialize};

/// Build and processor, on which the floating-point bits of a study depend.
///
/// Suggestions are bit-identical between processors with fused multiply-add. Without it the rounding differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// Version of this crate.
    version: String,
    /// Processor architecture and operating system.
    target: String,
    /// Vector instructions used by loops.
    instructions: String,
    /// True if multiplication and addition round once.
    fused: bool,
}

impl Machine {
    /// This build on this processor.
    pub(crate) fn here() -> Self {
        let set = thrifty_simd::instruction_set();
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            target: format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
            instructions: set.name().into(),
            fused: set.is_fused(),
        }
    }

    /// Reason why the last bits of suggestions here may differ from those of the machine that wrote a journal.
    pub(crate) fn warning(&self, written_by: &Self) -> Option<String> {
        let fused = |machine: &Self| if machine.fused { "with" } else { "without" };
        let describe = |machine: &Self| {
            format!(
                "version {} on {} ({}, {} fused multiply-add)",
                machine.version,
                machine.target,
                machine.instructions,
                fused(machine)
            )
        };
        let same = (&self.version, &self.target, self.fused)
            == (&written_by.version, &written_by.target, written_by.fused);
        (!same).then(|| {
            format!(
                "the journal was written by {}, this is {}: later suggestions may differ from an uninterrupted study",
                describe(written_by),
                describe(self)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_fused_multiply_add_is_warned_of_and_wider_vectors_are_not() {
        let here = Machine::here();
        let wider = Machine { instructions: "another".into(), ..here.clone() };
        assert_eq!(here.warning(&wider), None);
        let other = Machine { fused: !here.fused, ..here.clone() };
        let text = here.warning(&other).expect("a warning");
        assert!(text.contains("without fused multiply-add") && text.contains("with fused"), "{text}");
        let older = Machine { version: "0.0.1".into(), ..here.clone() };
        assert!(here.warning(&older).expect("a warning").contains("0.0.1"));
    }
}
