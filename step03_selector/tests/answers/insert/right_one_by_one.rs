        self.generation = self.generation.wrapping_add(1);
        let registered = Registered { generation: self.generation, key };
        let place = number_of(&fd) as usize;
        while self.places.len() <= place {
            self.places.push(None);
        }
        if let Some(found) = self.places.get_mut(place) {
            *found = Some(registered);
        }
