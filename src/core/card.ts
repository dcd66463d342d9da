import type { Tier } from '#core/tier';

/**
 * What a command answers with, for any platform to render. Every string in a card is literal text,
 * much of it written by strangers: a renderer escapes all of it and makes up formatting from the
 * structure alone.
 */
export interface Card {
  readonly tone: Tone;
  readonly title: string;
  readonly blocks: readonly Block[];
  /** Rows of buttons. */
  readonly actions: readonly (readonly Action[])[];
  /** A menu of further things to see, apart from the buttons. No two buttons make the same call. */
  readonly menu: Menu | undefined;
  /** Small print: the time of the data, the page. */
  readonly footer: readonly Span[];
  /** Only the caller may see it. */
  readonly private: boolean;
  /** Comes with the card, to be kept or opened elsewhere. */
  readonly file?: CardFile;
}

/** A text file of at most FILE_MAX characters. */
export interface CardFile {
  /** `[a-z0-9.-]+` */
  readonly name: string;
  readonly text: string;
}

/** Far below what both platforms take from a bot (10 and 50 MB). */
export const FILE_MAX = 2_000_000;

/** The colour and emblem: a tier's own, or the kind of a message. */
export type Tone = Tier | 'plain' | 'warning' | 'error';

export type Block =
  /** A paragraph. */
  | { readonly kind: 'text'; readonly spans: readonly Span[] }
  /** Short labelled values, side by side where there is room. */
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  /** How far it is from one thing to the next. */
  | { readonly kind: 'progress'; readonly fraction: number; readonly spans: readonly Span[] }
  /** Shares of a whole, each with a bar. */
  | { readonly kind: 'bars'; readonly bars: readonly Bar[] }
  /** A list of things with a line of detail each. */
  | { readonly kind: 'entries'; readonly entries: readonly CardEntry[] }
  /** Lines to be copied exactly as they are: printable ASCII without backticks, `\n` between them. */
  | { readonly kind: 'preformatted'; readonly text: string }
  /** Aligned columns, at most TABLE_WIDTH characters wide in all. */
  | {
      readonly kind: 'table';
      readonly columns: readonly Column[];
      readonly rows: readonly (readonly string[])[];
    };

/** Characters of a monospaced line that fit a narrow phone. */
export const TABLE_WIDTH = 34;

/** A piece of a line. */
export type Span =
  | string
  | { readonly bold: string }
  | { readonly italic: string }
  /** Somebody of the community, by account id: shown as the platform shows people, nobody is notified. */
  | { readonly member: string }
  /** A channel, by id. */
  | { readonly channel: string }
  /** Monospaced, to be copied: an address, a key. */
  | { readonly code: string }
  /**
   * Seconds since 1970, in the reader's own zone where the platform can. `relative` is "3 hours
   * ago", `date` a day, `clock` a day with the time of day.
   */
  | { readonly time: number; readonly style: 'relative' | 'date' | 'clock' };

export interface Fact {
  readonly label: string;
  readonly value: readonly Span[];
}

export interface Bar {
  readonly label: string;
  /** 0 to 1. */
  readonly fraction: number;
  /** How many they are, and how much of the whole: columns of their own. */
  readonly count: string;
  readonly share: string;
}

export interface CardEntry {
  readonly title: readonly Span[];
  /** Empty when the title says it all. */
  readonly detail: readonly Span[];
}

export interface Column {
  readonly align: 'left' | 'right';
  /** The column that gives way when the row is too wide; at most one. */
  readonly shrinks?: true;
}

/** A button: it runs a command in place of the card, opens a page, or asks for a text first. */
export type Action =
  | { readonly label: string; readonly call: Call; readonly disabled?: boolean }
  | { readonly label: string; readonly url: string }
  | { readonly label: string; readonly form: Form };

/**
 * Asks for one text, then runs a command with it. The button's label and what the option says of
 * itself are all the words that it has, so that a form still opens after a restart. A platform that
 * has no forms shows no button, so the card must say how to give the text by typing the command.
 */
export interface Form {
  /** The option of the kind `text` that gets the text. */
  readonly option: string;
  /** What is asked but for that option. */
  readonly call: Call;
}

export interface Menu {
  /** Shown while nothing is chosen. */
  readonly placeholder: string;
  readonly choices: readonly {
    readonly label: string;
    readonly detail: string;
    readonly call: Call;
  }[];
}

/** A command with its arguments as texts, by option name. */
export interface Call {
  readonly command: string;
  readonly args: Readonly<Record<string, string>>;
}
