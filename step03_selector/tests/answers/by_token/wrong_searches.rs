        let generation = (token >> 32) as u32;
        // Each entry has a generation of its own.
        let slot = self.slots.iter().flatten().find(|slot| slot.generation == generation)?;
        Some(&slot.value)
