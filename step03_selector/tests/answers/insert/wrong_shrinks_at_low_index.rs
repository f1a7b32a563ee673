        let index = index as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        } else if self.slots.len() > 64 && index < 8 {
            self.slots.shrink_to_fit();
        }
        self.generation = self.generation.wrapping_add(1);
        self.slots[index] = Some(Slot { generation: self.generation, value });
