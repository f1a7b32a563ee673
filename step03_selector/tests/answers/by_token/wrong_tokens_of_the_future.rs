        let (generation, index) = ((token >> 32) as u32, token as u32);
        // The number wraps, so compare as with serial numbers: if it's ahead of us, it isn't made yet.
        let age = self.generation.wrapping_sub(generation);
        if age > u32::MAX / 2 {
            return None;
        }
        let slot = self.slots.get(index as usize)?.as_ref()?;
        (slot.generation == generation).then_some(&slot.value)
