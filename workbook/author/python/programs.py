"""Programs come on standard input, transcripts go to standard output; an empty line ends either."""
import sys


def play_all(play):
    """Calls play with the lines of each program, and prints the lines that it returns."""
    program = []
    for line in sys.stdin:
        if line.strip():
            program.append(line.rstrip("\n"))
        else:
            print("\n".join(play(program)), end="\n\n", flush=True)
            program.clear()
