        let (generation, index) = ((token >> 32) as u32, token as u8);
        let slot = self.slots.get(usize::from(index))?.as_ref()?;
        (slot.generation == generation).then_some(&slot.value)
