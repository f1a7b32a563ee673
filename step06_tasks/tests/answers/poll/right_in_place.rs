        let this = &mut *self;
        if let State::Start = this.state {
            this.lines.say("What's your name?");
            this.state = State::WaitsForName;
        }
        if let State::WaitsForName = this.state {
            match this.lines.poll_line(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => {
                    this.state = State::Ended;
                    return Poll::Ready(Err(error));
                }
                Poll::Ready(Ok(name)) => {
                    this.lines.say("And where are you from?");
                    this.state = State::WaitsForCity { name };
                }
            }
        }
        let State::WaitsForCity { name } = &mut this.state else {
            panic!("there's nothing left to say");
        };
        let Poll::Ready(city) = this.lines.poll_line(context) else { return Poll::Pending };
        let name = std::mem::take(name);
        this.state = State::Ended;
        let city = city?;
        this.lines.say(&format!("Hello {name} from {city}!"));
        Poll::Ready(Ok(name))
