//! SHA-256 sums.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

/// SHA-256 of a file in hexadecimal digits, as `sha256sum` prints it.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hash.update(&buffer[..read]),
        }
    }
    let mut digits = String::new();
    hash.finalize().iter().for_each(|byte| digits += &format!("{byte:02x}"));
    Ok(digits)
}

/// True for 64 hexadecimal digits in lower case.
pub fn is_sum(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standard() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        // FIPS 180-4, examples of NIST: one block and a million letters a.
        std::fs::write(&path, "abc").unwrap();
        let abc = sha256(&path).unwrap();
        assert_eq!(abc, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        std::fs::write(&path, "a".repeat(1_000_000)).unwrap();
        let many = sha256(&path).unwrap();
        assert_eq!(many, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        assert!(is_sum(&abc) && !is_sum(&abc[1..]) && !is_sum(&abc.to_uppercase()));
    }
}
