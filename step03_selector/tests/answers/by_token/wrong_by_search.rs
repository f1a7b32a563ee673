        let mut slots = (0..).zip(&self.slots);
        slots.find_map(|(index, slot)| {
            let slot = slot.as_ref()?;
            let its_token = u64::from(slot.generation) << 32 | index;
            (its_token == token).then_some(&slot.value)
        })
