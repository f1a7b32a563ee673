        let (generation, index) = ((token >> 32) as u32, token as u32);
        if generation == 0 {
            return None;
        }
        let slot = self.slots.get(index as usize)?.as_ref()?;
        (slot.generation == generation).then_some(&slot.value)
