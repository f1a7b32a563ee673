// What the pages' scripts share.

interface Line {
    text: string;
    asked: string;
    values: string[];
    choice: number | null;
}

interface Made {
    version: string;
    typed: string[];
    right: number;
    of: number;
}

/** What the page and the cockpit's server say to each other; see cockpit.js. */
interface Cockpit {
    /** Says where the notebook is and what opens the editor, once the token is accepted. */
    hello: Promise<Hello>;
    post: (path: string, body: object) => Promise<Response>;
    ask: (ask: object, hear: (event: any) => void, signal?: AbortSignal) => Promise<void>;
    listen: (wanted: object, hear: (event: any) => void) => { again: () => void };
    confirm: (question: string, code: string | null, yes: string) => Promise<boolean>;
    make: (tag: string, className: string, ...content: (Node | string)[]) => HTMLElement;
    button: (name: string, action: () => void) => HTMLButtonElement;
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
        names: {
            ERRORS: string[][];
            FLAGS: string[][];
            NAMES: string[][];
            ANSWERS: [string, string[]][];
            UNITS: [string[], number][];
            LONGEST: number;
        };
        isRight: (text: string, line: Line, outcomes: string[]) => boolean;
        LETTERS: string;
        scores: {
            get: (id: string) => Made | undefined;
            note: (id: string, made: Made) => void;
        };
        cockpit: Cockpit;
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
