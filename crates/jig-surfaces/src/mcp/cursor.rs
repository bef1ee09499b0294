//! Cursors of lists that are computed for each page: the number of previous items.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jig_contract::{Code, OpError};

/// The cursor of the page after this many items.
pub(super) fn after(count: usize) -> String {
    URL_SAFE_NO_PAD.encode(format!("after:{count}"))
}

/// The number of items before the page of a cursor.
pub(super) fn offset(cursor: Option<&str>) -> Result<usize, OpError> {
    let Some(cursor) = cursor else { return Ok(0) };
    let text = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let count = text.as_deref().and_then(|text| text.strip_prefix("after:")).and_then(|count| count.parse().ok());
    count.ok_or_else(|| OpError::new(Code::InvalidParams, "the cursor is not one that an earlier page gave"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_was() {
        assert_eq!(offset(Some(&after(17))).unwrap(), 17);
        assert_eq!(offset(None).unwrap(), 0);
        for wrong in ["", "x", "YWZ0ZXI6LTE"] {
            assert!(offset(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
