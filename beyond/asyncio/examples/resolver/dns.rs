//! DNS packets, as far as IPv4 addresses need them (RFC 1035, section 4).

use std::net::Ipv4Addr;

/// Writes a question. A name is `www.example`, in small letters. Fails if it isn't a name.
pub(crate) fn question(id: u16, name: &str) -> Result<Vec<u8>, &'static str> {
    // The number, "recursion desired", one question, and no records of three kinds.
    let mut packet = [id, 0x0100, 1, 0, 0, 0].map(u16::to_be_bytes).concat();
    for label in name.split('.') {
        let length = u8::try_from(label.len()).unwrap_or_default();
        if !(1..=63).contains(&length) || name.len() > 253 {
            return Err("a name has 253 bytes at most, and each of its labels 1 to 63");
        }
        packet.push(length);
        packet.extend(label.as_bytes());
    }
    // The end of the name, the type A and the class of the internet.
    packet.extend([0, 0, 1, 0, 1]);
    Ok(packet)
}

/// Reads an answer: the number and the name of its question, and the addresses or an error as text.
/// Returns `None` if the packet isn't an answer, since a packet can contain anything.
pub(crate) fn answer(packet: &[u8]) -> Option<((u16, String), String)> {
    let mut reader = Reader { packet, at: 0 };
    let [id, flags, questions, records, _, _] = reader.numbers()?;
    if flags & 0x8000 == 0 || questions != 1 {
        return None;
    }
    let name = reader.name()?;
    let [_kind, _class] = reader.numbers()?;
    let mut addresses = Vec::new();
    for _ in 0..records {
        // Perhaps another name: an alias has its real name's address.
        reader.name()?;
        let [kind, class, _ttl_high, _ttl_low, length] = reader.numbers()?;
        let data = reader.bytes(length.into())?;
        if let (1, 1, &[a, b, c, d]) = (kind, class, data) {
            addresses.push(Ipv4Addr::new(a, b, c, d));
        }
    }
    let outcome = match flags & 0x0f {
        0 => format!("{addresses:?}"),
        3 => "there's no such name".to_owned(),
        code => format!("error {code}"),
    };
    Some(((id, name), outcome))
}

struct Reader<'a> {
    packet: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let bytes = self.packet.get(self.at..self.at + count)?;
        self.at += count;
        Some(bytes)
    }

    fn numbers<const COUNT: usize>(&mut self) -> Option<[u16; COUNT]> {
        let bytes = self.bytes(2 * COUNT)?;
        Some(std::array::from_fn(|i| u16::from_be_bytes([bytes[2 * i], bytes[2 * i + 1]])))
    }

    // ANCHOR: name
    /// Reads a name: labels, each after its length, and then a zero, or a pointer to the place
    /// where the rest is. The rest is read from the part of the packet before this name. So each
    /// pointer leaves less to read, and no packet can send us round in circles.
    fn name(&mut self) -> Option<String> {
        let (before, mut labels) = (self.packet.get(..self.at)?, Vec::new());
        loop {
            match usize::from(self.bytes(1)?[0]) {
                0 => break,
                length @ 1..=63 => labels.push(String::from_utf8_lossy(self.bytes(length)?)),
                high @ 0xc0.. => {
                    let at = (high & 0x3f) << 8 | usize::from(self.bytes(1)?[0]);
                    labels.push(Reader { packet: before, at }.name()?.into());
                    break;
                }
                _ => return None,
            }
        }
        Some(labels.join(".").to_ascii_lowercase())
    }
    // ANCHOR_END: name
}
