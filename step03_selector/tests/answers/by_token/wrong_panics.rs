        let (generation, index) = ((token >> 32) as u32, token as u32 as usize);
        let slot = self.slots[index].as_ref()?;
        (slot.generation == generation).then_some(&slot.value)
