        loop {
            let state = std::mem::replace(&mut self.state, State::Ended);
            match state {
                State::Start => {
                    self.lines.say("What's your name?");
                    self.state = State::WaitsForName;
                }
                State::WaitsForName => {
                    let Poll::Ready(name) = self.lines.poll_line(context) else {
                        return Poll::Pending;
                    };
                    let name = name?;
                    self.lines.say("And where are you from?");
                    self.state = State::WaitsForCity { name };
                }
                State::WaitsForCity { name } => {
                    let Poll::Ready(city) = self.lines.poll_line(context) else {
                        self.state = State::WaitsForCity { name };
                        return Poll::Pending;
                    };
                    let city = city?;
                    self.lines.say(&format!("Hello {name} from {city}!"));
                    return Poll::Ready(Ok(name));
                }
                State::Ended => panic!("the conversation was polled after its end"),
            }
        }
