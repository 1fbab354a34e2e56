//! Numbers in as few bytes as they need: seven bits a byte, the low ones first (LEB128).

/// Appends a number.
pub(crate) fn write(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a number that may be negative: the sign goes into the lowest bit.
pub(crate) fn write_signed(number: i64, out: &mut Vec<u8>) {
    write((number << 1 ^ number >> 63) as u64, out);
}

/// Reads what was written; `None` at the end of the bytes.
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes, at: 0 }
    }

    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let first = self.byte()?;
        if first < 0x80 {
            return Some(u64::from(first));
        }
        let mut number = u64::from(first & 0x7f);
        let mut shift = 7;
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
    }

    #[inline]
    pub fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// A number that has to fit.
    #[inline]
    pub fn fitting<N: TryFrom<u64>>(&mut self) -> Option<N> {
        N::try_from(self.number()?).ok()
    }

    /// The next bytes.
    pub fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(bytes)
    }

    /// Eight bytes.
    pub fn word(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_wrote() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let signed = [0, -1, 1, 63, -64, 64, i64::MAX, i64::MIN];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|n| write(*n, &mut bytes));
        signed.iter().for_each(|n| write_signed(*n, &mut bytes));
        let mut reader = Reader::new(&bytes);
        assert!(numbers.iter().all(|n| reader.number() == Some(*n)));
        assert!(signed.iter().all(|n| reader.signed() == Some(*n)));
        assert!(reader.is_at_end() && reader.number().is_none());
        assert_eq!(Reader::new(&[0xff; 20]).number(), None);
    }
}
