        // expect: the old token, new registered: new (READABLE)
        let index = token as u32;
        let slot = self.slots.get(index as usize)?.as_ref()?;
        Some(&slot.value)
