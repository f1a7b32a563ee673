        let mut places = (0..).zip(&self.places);
        places.find_map(|(number, place)| {
            let registered = place.as_ref()?;
            let its_token = u64::from(registered.generation) << 32 | number;
            (its_token == token).then_some(&registered.key)
        })
