        // hangs
        self.generation = self.generation.wrapping_add(1);
        let index = index as usize;
        if index >= self.slots.len() {
            let mut slots = Vec::with_capacity(index + 1);
            slots.append(&mut self.slots);
            slots.resize_with(index + 1, || None);
            self.slots = slots;
        }
        self.slots[index] = Some(Slot { generation: self.generation, value });
