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

/** What a figure is drawn with: a box, words, or a line; see book/builder/figures/shapes.rs. */
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
    /** What its largest state needs. The still picture may need less. */
    size: [number, number];
    shapes: Shape[];
    sets: { name: string; runs: { name: string; isBad: boolean; states: State[] }[] }[];
    /** The set, the run and the state of the still picture. */
    still: [number, number, number];
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
    };
}

/** mdBook's, on every page. */
declare const path_to_root: string;
