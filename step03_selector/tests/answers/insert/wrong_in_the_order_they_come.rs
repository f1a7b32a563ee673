        // expect: key of the higher:     none
        self.generation = self.generation.wrapping_add(1);
        self.slots.push(Some(Slot { generation: self.generation, value }));
