        self.generation = self.generation.wrapping_add(1);
        let index = index as usize;
        self.slots.resize_with(index + 1, || None);
        self.slots[index] = Some(Slot { generation: self.generation, value });
