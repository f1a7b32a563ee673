        // expect: old handles:     [false, false, true]
        let slot = self.slots.get_mut(id.slot)?;
        let value = slot.value.take()?;
        self.cancelled += 1;
        Some(value)
