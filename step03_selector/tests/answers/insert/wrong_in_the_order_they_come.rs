        // expect: its key:               none
        self.generation = self.generation.wrapping_add(1);
        self.places.push(Some(Registered { generation: self.generation, key }));
