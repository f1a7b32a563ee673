        let (generation, index) = ((token >> 32) as u32, token as u32);
        let slot = self.slots.get(index as usize)?.as_ref()?;
        // Nobody keeps a token for 65,536 entries.
        (slot.generation as u16 == generation as u16).then_some(&slot.value)
