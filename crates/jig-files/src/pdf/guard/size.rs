//! How large packed data becomes, counted without keeping it.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

/// Deflate in a zlib wrapper. Counts up to a bit over `most`.
pub(super) fn flate(data: &[u8], most: u64) -> u64 {
    let mut unpacked = ZlibDecoder::new(data);
    let mut buffer = vec![0; 64 << 10];
    let mut length = 0;
    while let Ok(read @ 1..) = unpacked.read(&mut buffer) {
        length += read as u64;
        if length > most {
            break;
        }
    }
    length
}

/// Run lengths: a byte below 128 is followed by that many and one bytes, one above by a byte to repeat.
pub(super) fn run_length(data: &[u8], most: u64) -> u64 {
    let (mut at, mut length) = (0, 0);
    while let Some(&byte) = data.get(at) {
        match byte {
            128 => break,
            0..128 => {
                length += u64::from(byte) + 1;
                at += usize::from(byte) + 2;
            }
            129.. => {
                length += 257 - u64::from(byte);
                at += 2;
            }
        }
        if length > most {
            break;
        }
    }
    length
}

const CLEAR: usize = 256;
const END: usize = 257;
const FIRST: usize = 258;
const ENTRIES: usize = 4_096;

/// LZW, of which only the lengths of the table's entries are followed.
pub(super) fn lzw(data: &[u8], most: u64) -> u64 {
    let mut lengths = [0_u64; ENTRIES];
    let (mut next, mut before, mut length) = (FIRST, 0, 0);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for &byte in data {
        bits = bits << 8 | u32::from(byte);
        held += 8;
        // Codes grow one entry before the table is full, which is the rule unless a file says otherwise.
        let width = (usize::BITS - (next + 1).leading_zeros()).clamp(9, 12);
        if held < width {
            continue;
        }
        held -= width;
        let code = (bits >> held) as usize & ((1 << width) - 1);
        bits &= (1 << held) - 1;
        let now = match code {
            CLEAR => {
                (next, before) = (FIRST, 0);
                continue;
            }
            END => break,
            0..CLEAR => 1,
            code if code < next => lengths.get(code).copied().unwrap_or(0),
            _ => before + 1,
        };
        if before > 0
            && let Some(entry) = lengths.get_mut(next)
        {
            *entry = before + 1;
            next += 1;
        }
        length += now;
        before = now;
        if length > most {
            break;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_lengths_are_counted() {
        assert_eq!(run_length(&[2, 1, 2, 3, 255, 9, 128, 5], 1_000), 3 + 2);
        assert_eq!(run_length(&[129, 0].repeat(1_000), 1_000), 1_024);
        assert_eq!(run_length(&[129, 0].repeat(10), 10_000), 1_280);
    }

    #[test]
    fn lzw_is_counted() {
        // The example of the PDF specification: 45 45 45 45 45 65 45 45 45 66.
        let packed = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01];
        assert_eq!(lzw(&packed, 1_000), 10);
        assert!(lzw(&[0x5A; 100_000], 1 << 20) > 0);
    }

    #[test]
    fn entries_of_lzw_grow() {
        // A code of nine bits for each step: the entry just made is used at once, so each is longer by one.
        let mut bits: Vec<bool> = Vec::new();
        let mut put = |code: usize| bits.extend((0..9).rev().map(|bit| code >> bit & 1 == 1));
        put(CLEAR);
        put(65);
        (258..400).for_each(&mut put);
        put(END);
        let packed: Vec<u8> = bits
            .chunks(8)
            .map(|bits| bits.iter().enumerate().fold(0, |byte, (at, bit)| byte | u8::from(*bit) << (7 - at)))
            .collect();
        assert_eq!(lzw(&packed, u64::MAX), (1..=143).sum::<u64>());
    }
}
