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

interface BookPage {
    file: string;
    title: string;
    /** The sections' ids; none if the page belongs to no step. */
    sections: string[];
    exercises: string[];
}

interface BookPath {
    name: string;
    about: string;
    ends: string | null;
    isInClass: boolean;
    exercises: string[];
    /** The places of the sections that it skips, by their pages. */
    skips: Record<string, number[]>;
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
        paths: { pages: BookPage[]; paths: BookPath[] };
        scores: {
            get: (id: string) => Made | undefined;
            note: (id: string, made: Made) => void;
        };
    };
}

/** mdBook's, on every page. */
declare const path_to_root: string;
