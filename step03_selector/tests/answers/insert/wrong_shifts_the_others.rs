        let index = index as usize;
        while self.slots.len() < index {
            self.slots.push(None);
        }
        self.generation = self.generation.wrapping_add(1);
        self.slots.insert(index, Some(Slot { generation: self.generation, value }));
