        // expect: panicked
        let (generation, number) = ((token >> 32) as u32, token as u32);
        let registered = self.places[number as usize].as_ref()?;
        (registered.generation == generation).then_some(&registered.key)
