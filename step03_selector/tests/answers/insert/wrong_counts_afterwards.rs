        // expect: its token:             not as next_token said
        let place = number_of(&fd) as usize;
        if place >= self.places.len() {
            self.places.resize_with(place + 1, || None);
        }
        self.places[place] = Some(Registered { generation: self.generation, key });
        self.generation = self.generation.wrapping_add(1);
