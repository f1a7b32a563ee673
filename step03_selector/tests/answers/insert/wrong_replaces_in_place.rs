        self.generation = self.generation.wrapping_add(1);
        let index = index as usize;
        while self.slots.len() <= index {
            self.slots.push(None);
        }
        match &mut self.slots[index] {
            Some(slot) => slot.value = value,
            empty => *empty = Some(Slot { generation: self.generation, value }),
        }
