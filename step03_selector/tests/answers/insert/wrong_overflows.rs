        let index = index as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        }
        self.generation += 1;
        self.slots[index] = Some(Slot { generation: self.generation, value });
