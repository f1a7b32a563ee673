// What the pages' scripts share.

/** A word for a blank, with its label. */
interface Word {
    label: string;
    text: string;
}

/** A line with a mark for each blank. */
interface LineForm {
    /** The label, if the line is a choice. */
    label: string;
    asked: string;
    /** The places of the words that a blank offers; empty if the blank takes a number. */
    blanks: number[][];
}

/** The questions about a transcript: its lines, or which of the choices come when. */
interface Lines {
    lines: (LineForm & { given: boolean, text: string })[];
    choices: LineForm[];
    bank: Word[];
}

/** A line as it was printed, with its prediction. `right` is null if the line wasn't asked for. */
interface Compared {
    text: string;
    right: boolean | null;
    yours: string;
    overlooks?: string;
}

interface Made {
    version: string;
    typed: string[];
    right: number;
    of: number;
}

/** A recorded run of a scene. */
interface Recording {
    format: 1;
    package: string;
    scene: string;
    /** The scene and its helpers, in the order that they have in the file. */
    source: { file: string; parts: { first_line: number; lines: string[] }[] };
    /** The scene's twin on CPython, if it has one. */
    twin?: string[];
    transcript: string[];
    moments: Moment[];
}

/** A moment of a run: its event, and the changes since the last moment. */
interface Moment {
    /** The line of the source that runs or has caused the event. */
    line?: number;
    /** The lines that have called that line, the innermost first. */
    callers?: number[];
    kind: string;
    what: string;
    /** The number of lines of the transcript that have been printed after it. */
    printed: number;
    ready?: string[];
    timers?: { at: string; what: string }[];
    descriptors?: { name: string; interest: string; ready: string }[];
    selector?: { timeout: string; why: string } | null;
    polled?: string | null;
    waits?: { task: string; for: string; woken_by: string }[];
    clock?: string;
}

/** A tick, as WORKBOOK_TRACE writes it: see the head of step07_full_loop/src/trace/to_file.rs. */
interface TracedTick {
    loop: number;
    tick: number;
    began: number;
    timeout: number | null;
    why: "ready" | "stopping" | "timer" | "nothing";
    slept: number;
    events: TracedEvent[];
    due: TracedDue[];
    ran: TracedRun[];
    took: number;
    /** The contents of the serving loop when the page heard of the tick. A file doesn't have this. */
    held?: { timers: number, descriptors: number };
    isPlayed?: boolean;
}

interface TracedEvent {
    source: "wakeup" | "callbacks" | "stream";
    fd?: number;
    ready: ("read" | "write")[];
    reader?: string;
    writer?: string;
}

interface TracedDue {
    what: "sleep" | "callback";
    created_at?: string;
    /** The page's name for it. A file doesn't have this. */
    name?: string;
}

interface TracedRun {
    what: "callback" | "step" | "wake";
    task?: string;
    created_at?: string;
    name?: string;
    by?: { event?: number, timer?: number, run?: number };
    took: number;
}

/** A page's ticks, the names of their descriptors, and the number of all ticks. */
interface TicksShown {
    ticks: TracedTick[];
    names: Map<number, string>;
    happened: number;
}

/** A moment of a tick that's played: one of its five parts, or its end; which event, timer or run; and for how
 * many seconds it's shown. */
interface TickMoment {
    part: number;
    at: number;
    lasts: number;
}

/** The context of a tick: the ticks before and after it, the names of the descriptors, and the next timer. */
interface AroundTick {
    earlier: TracedTick[];
    before?: TracedTick;
    next?: TracedTick;
    names: Map<number, string>;
    coming: { what: string, at: number }[];
}

/** A thing in the picture of a tick, with the id of its cause. */
interface Thing {
    id: string;
    button: HTMLButtonElement;
    from?: string;
}

/** The contents of a box at a moment of a tick: the things, and in words those that aren't drawn. */
type BoxAt = (tick: TracedTick, now: TickMoment, around: AroundTick) => { all: Thing[], rest: string };

/** A part of the page that can show its state at each moment of a run. */
interface Drawn {
    element: HTMLElement;
    show: (at: number) => void;
}

/** The shapes of a figure: a box, words, or a line; see workbook/builder/src/figures/shapes.rs. */
type Shape =
    | { x: number; y: number; width: number; height: number; words: string; look: string }
    | { x: number; y: number; words: string; look: string }
    | { from: [number, number]; to: [number, number]; hasHead: boolean; look: string };

interface State {
    says: string;
    /** Indexes into the figure's shapes. */
    shapes: number[];
}

/** A figure that the reader moves. */
interface Moving {
    name: string;
    choices: [string, string];
    /** The size that its largest state needs. The still picture may need less. */
    size: [number, number];
    shapes: Shape[];
    sets: { name: string; runs: { name: string; isBad: boolean; states: State[] }[] }[];
    /** The set, the run and the state of the still picture. */
    still: [number, number, number];
}

interface BookPage {
    file: string;
    title: string;
    /** The sections' ids; empty if the page belongs to no step. */
    sections: string[];
    exercises: string[];
}

interface BookPath {
    name: string;
    about: string;
    /** A sentence about the pages to read before everything else. */
    begins: string | null;
    ends: string | null;
    /** The page to read at the end. */
    last: string | null;
    isInClass: boolean;
    exercises: string[];
    /** The places of the sections that the path skips, by page. */
    skips: Record<string, number[]>;
}

/** A stream of events that reconnects by itself; see connection.js. */
interface Connecting {
    /** Requests the stream's address: each address opens the stream once. */
    address: () => Promise<string>;
    hear: (event: any) => void;
    opened: () => void;
    /** Receives the server's reason why the stream isn't there, or null if the server doesn't answer. */
    lost: (error: Error | null) => void;
}

interface Connection {
    /** Connects at once, unless the stream is over. */
    retry: () => void;
    /** Begins again, after its end. */
    again: () => void;
    end: () => void;
}

/** The messages between a page and the cockpit's server; see cockpit.js. */
interface Cockpit {
    /** Says where the notebook is and what opens the editor, once the token is accepted. */
    hello: Promise<Hello>;
    post: (path: string, body: object) => Promise<Response>;
    ask: (ask: object, hear: (event: any) => void, signal?: AbortSignal) => Promise<void>;
    answerTo: (what: object) => Promise<any>;
    listen: (wanted: object, hear: (event: any) => void) => Connection;
    confirm: (question: string, code: string | null, yes: string) => Promise<boolean>;
    say: (words: string) => void;
    root: string;
}

interface Hello {
    server: string;
    root: string;
    editor: string | null;
    opens: boolean;
    notice: string | null;
}

interface Window {
    workbook: {
        /** Makes the parts of a page, for all scripts. */
        elements: {
            make: <Tag extends keyof HTMLElementTagNameMap>(tag: Tag, className: string, ...content: (Node | string)[]) => HTMLElementTagNameMap[Tag];
            button: (text: string, action: (event: MouseEvent) => void, name?: string) => HTMLButtonElement;
            group: (className: string, name: string, ...content: (Node | string)[]) => HTMLElement;
            svg: <Name extends keyof SVGElementTagNameMap>(name: Name, attributes: Record<string, string | number>, ...content: (Node | string)[]) => SVGElementTagNameMap[Name];
            link: (text: string, href: string) => HTMLAnchorElement;
            field: (words: string, attributes: Record<string, string>) => { input: HTMLInputElement, label: HTMLElement };
            status: (className: string) => HTMLElement;
            table: (className: string, name: string, titles: string[], body: Node) => HTMLElement;
            kept: (key: string) => { get: () => string, set: (text: string) => void };
            withCode: (text: string) => (string | HTMLElement)[];
            highlight: (code: Element) => void;
        };
        /** Reads a trace of ticks and describes it. */
        traces: {
            /** The time, in seconds, from which on a run makes the others late. */
            LATE: number;
            time: (seconds: number) => string;
            nameOf: (run: TracedRun) => string;
            runsOf: (tick: TracedTick) => { run: TracedRun, at: number }[];
            busy: (tick: TracedTick) => number;
            isLate: (tick: TracedTick) => boolean;
            why: (tick: TracedTick) => string;
            descriptor: (event: TracedEvent, names: Map<number, string>) => string;
            readiness: (event: TracedEvent) => string;
            timer: (due: TracedDue) => string;
            cause: (tick: TracedTick, run: TracedRun, before: TracedTick | undefined, names: Map<number, string>) => { kind: string, words: string };
            parse: (text: string) => { loops: Map<number, TracedTick[]>, others: number };
            longest: (ticks: TracedTick[]) => { name: string, count: number, sum: number, most: number, tick: number }[];
            traceEvents: (ticks: TracedTick[], names: Map<number, string>) => string;
        };
        loop_picture: (tell: (words: string[], made?: string) => void) => {
            element: HTMLElement;
            /** The sentence that describes the picture. */
            caption: HTMLElement;
            momentsOf: (tick: TracedTick) => TickMoment[];
            show: (tick: TracedTick, now: TickMoment, around: AroundTick, speed: number) => void;
            sleeps: (words: string) => void;
        };
        connect: (how: Connecting) => Connection;
        /** The forms that ask for a prediction. */
        forms: {
            BLANK: string;
            ofLines: (asks: Lines, last: HTMLButtonElement, rows?: HTMLElement[]) => { form: HTMLElement, lines: HTMLElement, typed: () => string[], left: () => { mustBe: boolean, says: string } };
            rowOf: (asks: Lines, at: number) => HTMLElement;
            typedInto: (row: Element) => string;
            comparedRows: (lines: Compared[]) => HTMLElement[];
            ofOne: (name: string, answers: string[]) => { field: HTMLInputElement, label: HTMLElement }[];
            spaced: (text: string) => string;
            answered: (asks: Lines, at: number, typed: string) => { line: string, words: string };
            compared: (lines: Compared[]) => HTMLElement;
        };
        paths: { pages: BookPage[]; paths: BookPath[] };
        scores: {
            madeElsewhere: (made: { right: number, of: number }) => HTMLElement;
            get: (id: string) => Made | undefined;
            note: (id: string, made: Made) => void;
        };
        note_what_scrolls: () => void;
        /** The parts that the scripts for recordings share. */
        recordings: {
            box: (className: string, name: string, ...content: (Node | string)[]) => HTMLElement;
            roomFor: (element: HTMLElement, texts: string[]) => HTMLElement;
            loopState: (moments: Moment[]) => Drawn;
            inWords: (moments: Moment[], at: number) => string[];
        };
        stage_of: (recording: Recording) => Drawn;
        play_recording: (element: HTMLElement, recording: Recording, compared_with?: Recording) => (step: number) => void;
        cockpit: Cockpit;
        classroom: (whose: "student" | "teacher", below: string) => Classroom;
        failures: { statusOf: (error: unknown) => number, words: (error: unknown) => string };
        polls: {
            builders: (className: string, html: string) => HTMLElement;
            asked: (poll: Poll, heading: "h1" | "h2") => HTMLElement;
            predicted: (poll: Poll, typed: string[]) => string[];
            overlooked: (misconceptions: Misconception[]) => HTMLElement[];
        };
        class_joining: {
            joinForm: (room: Classroom, main: HTMLElement, said: HTMLElement, leaves: string, entered: (name: string) => void) => void;
            fromTerminal: (room: Classroom, name: string) => HTMLElement;
        };
        class_bars: (poll: Poll, counted: CountedLine[]) => HTMLElement;
        class_wall: (hello: TeacherHello, act: (what: string, body?: object) => Promise<void>) => ClassView;
        class_board: (act: (what: string, body?: object) => Promise<void>) => ClassView;
        class_report: (post: Classroom["post"], act: (what: string, body?: object) => Promise<void>) => ClassView;
        verdict: {
            show: (place: Element, verdict: any, problems: any[]) => void;
            problem: (problem: any) => HTMLElement;
            place: (file: string, line: number | null, exercise?: { package: string; number: string }) => HTMLElement;
            code: (text: string, language?: string) => HTMLElement;
        };
    };
}

/** mdBook's, on every page. */
declare const path_to_root: string;

/** mdBook's, on every page with code. */
declare const hljs: { highlight: (language: string, text: string, ignore_illegals: boolean) => { value: string } };
