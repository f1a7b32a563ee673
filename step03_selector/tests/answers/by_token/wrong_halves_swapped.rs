        // expect: the old token, old registered: none
        let (number, generation) = ((token >> 32) as u32, token as u32);
        let registered = self.places.get(number as usize)?.as_ref()?;
        (registered.generation == generation).then_some(&registered.key)
