/** What a report consists of: the JSON that the program puts into the page. docs/report.md describes it. */

export type Value = number | string | null;

/** Numbers that JSON has no word for are null. */
export interface DataColumn {
  name: string;
  values: Value[];
}

export interface Figure {
  /** What there is to see, in a sentence. */
  title: string;
  caption?: string;
  /** Vega-Lite, without data and size. Colours are names: var(--chain-1) … var(--chain-8), var(--ink), var(--faint), … */
  spec: object;
  height?: number;
  /** Across the page; on a small screen it scrolls. */
  wide?: boolean;
  /** Axes of one length. */
  square?: boolean;
  /** Column by column. */
  data: DataColumn[];
}

export interface TableColumn {
  title: string;
  kind: 'text' | 'number';
  /** Explains the title. */
  help?: string;
  /** Where there is little room, columns with 2 are left out first, then those with 1. */
  dispensable?: 1 | 2;
  /** The direction that puts what matters on top. */
  first?: 'smallest' | 'largest';
}

/** A cell may show another text than its value, by which it is sorted and which is downloaded. */
export type Cell = Value | {value: Value; text: string; alarm?: boolean};

export interface Table {
  /** What it is about, where that is not said above. */
  caption?: string;
  columns: TableColumn[];
  rows: Cell[][];
  /** How many more there are that the report leaves out. */
  omitted?: number;
  /**
   * Sentences: none is cut, and where there is little room cells stand below each other. Those of dispensable columns wait there for a
   * click on their row.
   */
  prose?: boolean;
}

export type Mood = 'good' | 'caution' | 'bad';

export interface Note {
  finding: string;
  advice?: string;
}

/** What a paper states, and what was found here. */
export interface Contrast {
  paper: string;
  here: string;
  /** What becomes of the statement; none of runs that are too small for one. */
  verdict?: string;
  /** The numbers that say so. */
  numbers?: Table[];
}

/** What a colour means. */
export interface LegendEntry {
  label: string;
  colour: string;
}

export interface Section {
  id: string;
  /** A word or two, for the list of contents. */
  name: string;
  /** What was found. */
  title: string;
  mood?: Mood;
  /** Belongs to the first screen. */
  lead?: boolean;
  /** Sections of one part stand below each other under its name: the runs of a comparison. */
  part?: string;
  text?: string[];
  notes?: Note[];
  contrasts?: Contrast[];
  /** Small tables in place of paragraphs full of numbers. */
  numbers?: Table[];
  table?: Table;
  /** Of all figures together, which then have none of their own here. What is saved has it. */
  legend?: LegendEntry[];
  figures?: Figure[];
  /** To be copied as it is. */
  code?: string;
}

export interface Report {
  schema: string;
  title: string;
  /** Facts on what was sampled, one by one. */
  facts: string[];
  made_by: string;
  sections: Section[];
}

export const knownSchema = 'darboux-report/1';
