// What the class's pages and its server say to each other; see class.js.

/** The line to the teacher's machine. */
interface Classroom {
    /** True if there's a token. */
    has: () => boolean;
    keep: (token: string) => void;
    post: (path: string, body?: object) => Promise<any>;
    listen: (hear: (event: any) => void, refused: (words: string) => void) => Connection;
    /** Shows whether the page is connected. */
    line: HTMLElement;
}

type Asks = { kind: "lines" } & Lines | { kind: "one"; answers: string[] };

interface Poll {
    id: string;
    /** Its place in the session's plan, if it has one. */
    number: number | null;
    of: number;
    kind: "scene" | "fold" | "hunt";
    /** HTML that the book's builder has made. */
    question: string;
    /** The code. Empty if the poll isn't about code. */
    code: string;
    phase: "open" | "closed" | "playing" | "played";
    asks: Asks;
    /** What the student has sent. */
    yours: string[] | null;
    printed: string[];
    answered: boolean;
}

interface Misconception {
    overlooks: string;
    /** The choice that's wrong for this reason, in a poll with a few answers. */
    chosen: string | null;
    count: number;
}

/** A student's results at the end of a poll. */
interface Result {
    right: (boolean | null)[];
    overlooks: (string | null)[];
    text: string[];
    explanation: string;
    misconceptions: Misconception[];
}

/** The class's answers to one line. The right answer is null until it was shown. */
interface CountedLine {
    text: string | null;
    answers: { typed: string; count: number; right: boolean | null; overlooks: string | null }[];
}

interface TeacherResult {
    lines: CountedLine[];
    explanation: string | null;
    misconceptions: Misconception[];
}

interface ListedPoll {
    id: string;
    title: string;
    kind: "scene" | "fold" | "hunt";
    package: string;
    page: string;
    played: boolean;
}

interface TeacherHello {
    sessions: { name: string; title: string; polls: string[] }[];
    polls: ListedPoll[];
    address: string;
    code: string;
    code_in_words: string;
    /** The students' address as a square code; null if it's too long for one. */
    square: { size: number; path: string } | null;
}

/** The contents of the page after the session. */
interface TeacherReport {
    begun: number;
    students: number;
    help_asked: number;
    polls: {
        id: string;
        title: string;
        question: string;
        minutes: number;
        answered: number;
        share_right: number | null;
        lines: (CountedLine & { asked: string; given: boolean; right: number })[];
    }[];
    gone: string[];
    exercises: {
        exercise: string;
        name: string;
        declared: number;
        at: number;
        minutes: number | null;
        longest: number | null;
        green: number;
        helped: number;
    }[];
}

interface Student {
    name: string;
    answered: boolean;
    help: boolean;
    connected: boolean;
    report: null | {
        package: string;
        exercise: string | null;
        outcome: string;
        line: string | null;
        green: string[];
        /** Seconds. */
        since: number;
    };
}

interface ClassGroup {
    exercise: string | null;
    line: string;
    names: string[];
    /** HTML that the book's builder has made. */
    question: string | null;
}

/** The data for all of the teacher's views. */
interface ClassState {
    poll: Poll | null;
    /** The number of students who have answered the poll, and the number of all. */
    answered: number;
    of: number;
    result: TeacherResult | null;
    students: Student[];
    groups: ClassGroup[];
    /** True if students are let in. */
    door: boolean;
}

interface ClassView {
    element: HTMLElement;
    show: (state: ClassState) => void;
}
