//! Packets of DNS, as far as IPv4 addresses need them (RFC 1035, section 4).

use std::net::Ipv4Addr;

/// What an answer says: its number and its name, which have to be those of the question, and the
/// addresses, or the code of an error (3: there's no such name).
pub(crate) type Answer = (u16, String, Result<Vec<Ipv4Addr>, u8>);

/// Writes a question. A name is `www.example`, in small letters. Fails if it isn't a name.
pub(crate) fn question(id: u16, name: &str) -> Result<Vec<u8>, &'static str> {
    // The number, "recursion desired", one question, and no records of three kinds.
    let mut packet = [id, 0x0100, 1, 0, 0, 0].map(u16::to_be_bytes).concat();
    for label in name.split('.') {
        let length = u8::try_from(label.len()).unwrap_or_default();
        if !(1..=63).contains(&length) {
            return Err("a label of a name has 1 to 63 bytes");
        }
        packet.push(length);
        packet.extend(label.as_bytes());
    }
    // The end of the name, the type A and the class of the internet.
    packet.extend([0, 0, 1, 0, 1]);
    Ok(packet)
}

/// Reads an answer. Fails if the packet isn't one: anything can be in it.
pub(crate) fn answer(packet: &[u8]) -> Result<Answer, &'static str> {
    let mut reader = Reader { packet, at: 0 };
    let [id, flags, questions, records, _, _] = reader.numbers()?;
    if flags & 0x8000 == 0 || questions != 1 {
        return Err("it's no answer to one question");
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
    let code = flags.to_be_bytes()[1] & 0x0f;
    Ok((id, name, if code == 0 { Ok(addresses) } else { Err(code) }))
}

struct Reader<'a> {
    packet: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], &'static str> {
        let bytes = self.packet.get(self.at..self.at + count).ok_or("it ends too early")?;
        self.at += count;
        Ok(bytes)
    }

    fn numbers<const COUNT: usize>(&mut self) -> Result<[u16; COUNT], &'static str> {
        let bytes = self.bytes(2 * COUNT)?;
        Ok(std::array::from_fn(|i| u16::from_be_bytes([bytes[2 * i], bytes[2 * i + 1]])))
    }

    // ANCHOR: name
    /// Reads a name: labels, each behind its length, and then a zero, or a pointer to the place where
    /// the rest stands. Each pointer has to lead further back than the one before, so that no packet
    /// can send us round in circles.
    fn name(&mut self) -> Result<String, &'static str> {
        let (mut labels, mut end, mut limit) = (Vec::new(), None, self.at);
        loop {
            match usize::from(self.bytes(1)?[0]) {
                0 => break,
                length @ 1..=63 => labels.push(String::from_utf8_lossy(self.bytes(length)?)),
                high @ 0xc0.. => {
                    let target = (high & 0x3f) << 8 | usize::from(self.bytes(1)?[0]);
                    end.get_or_insert(self.at);
                    if target >= limit {
                        return Err("a pointer doesn't lead back");
                    }
                    (self.at, limit) = (target, target);
                }
                _ => return Err("a length is reserved"),
            }
        }
        self.at = end.unwrap_or(self.at);
        Ok(labels.join(".").to_ascii_lowercase())
    }
    // ANCHOR_END: name
}
