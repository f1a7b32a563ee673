        let index = (token & u64::from(u32::MAX)) as usize;
        match self.slots.get(index) {
            Some(Some(slot)) if u64::from(slot.generation) == token >> 32 => Some(&slot.value),
            _ => None,
        }
