        let (generation, index) = ((token >> 32) as u16, token as u32);
        let slot = self.slots.get(index as usize)?.as_ref()?;
        (slot.generation as u16 == generation).then_some(&slot.value)
