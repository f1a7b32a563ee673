        self.generation = self.generation.wrapping_add(1);
        let slot = Slot { generation: self.generation, value };
        while self.slots.len() <= index as usize {
            self.slots.push(None);
        }
        if let Some(found) = self.slots.get_mut(index as usize) {
            *found = Some(slot);
        }
