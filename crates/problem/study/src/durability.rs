//! Durability levels of a journal.

/// Durability level: when the lines of a journal are forced onto the disk.
///
/// A line is always passed to the operating system before the study continues, so the end of the process, by any signal, loses nothing. The
/// levels differ in what a power failure or a crash of the machine may lose. The name of a new journal is made durable with its folder,
/// unless the folder may not be read or its file system does not sync folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// Left to the operating system: a power failure may lose the last seconds.
    #[default]
    Process,
    /// Outcomes are on the disk before the optimiser uses them (`fdatasync` per told line): a power failure loses
    /// no outcome that the study has acknowledged.
    Outcomes,
    /// Every line is on the disk before the study continues.
    Everything,
}
