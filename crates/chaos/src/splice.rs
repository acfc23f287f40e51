//! Changes one part of a frame and leaves every other byte as it came.

/// `bytes` with `piece`, a part borrowed from it, replaced; `None` when it is not from there.
pub(crate) fn replace(bytes: &[u8], piece: &str, by: &[u8]) -> Option<Vec<u8>> {
    let start = piece.as_ptr().addr().checked_sub(bytes.as_ptr().addr())?;
    let end = start.checked_add(piece.len())?;
    Some([bytes.get(..start)?, by, bytes.get(end..)?].concat())
}

#[cfg(test)]
mod tests {
    use super::replace;

    #[test]
    fn only_the_piece_changes() {
        let bytes = b"{ \"id\" : 1e400 }";
        let piece = std::str::from_utf8(&bytes[9..14]).unwrap();
        assert_eq!(replace(bytes, piece, b"7").unwrap(), b"{ \"id\" : 7 }");
        assert_eq!(replace(&bytes[..3], piece, b"7"), None);
    }
}
