        // expect: Ann's token and Bob's: equal
        let index = index as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || None);
        }
        self.slots[index] = Some(Slot { generation: self.generation + 1, value });
