        // expect: key of the higher number: nothing
        self.generation = self.generation.wrapping_add(1);
        self.places.push(Some(Registered { generation: self.generation, key }));
