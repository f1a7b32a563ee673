        match self.when.cmp(&other.when) {
            Ordering::Less => Ordering::Greater,
            Ordering::Greater => Ordering::Less,
            Ordering::Equal => self.sequence.cmp(&other.sequence).reverse(),
        }
