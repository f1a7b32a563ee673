        // expect: the old token, new registered: new (READABLE)
        let number = token as u32;
        let registered = self.places.get(number as usize)?.as_ref()?;
        Some(&registered.key)
