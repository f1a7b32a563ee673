        // expect: Ann's token and Bob's: equal
        let place = number_of(&fd) as usize;
        if place >= self.places.len() {
            self.places.resize_with(place + 1, || None);
        }
        self.places[place] = Some(Registered { generation: self.generation + 1, key });
