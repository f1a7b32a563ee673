        let index = index as usize;
        self.slots.clear();
        self.slots.resize_with(index + 1, || None);
        self.generation = self.generation.wrapping_add(1);
        self.slots[index] = Some(Slot { generation: self.generation, value });
