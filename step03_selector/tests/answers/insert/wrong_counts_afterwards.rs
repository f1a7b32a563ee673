        // expect: token of the higher:   not as next_token said
        let index = index as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        }
        self.slots[index] = Some(Slot { generation: self.generation, value });
        self.generation = self.generation.wrapping_add(1);
