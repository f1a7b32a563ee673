        let place = number_of(&fd) as usize;
        self.places.clear();
        self.places.resize_with(place + 1, || None);
        self.generation = self.generation.wrapping_add(1);
        self.places[place] = Some(Registered { generation: self.generation, key });
