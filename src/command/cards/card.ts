import type { Texts } from '#command/texts/index';
import type { Tier } from '#reputation';

/**
 * A command's answer, for any platform to render. All strings are plain text, many written by
 * strangers: renderers escape everything and derive formatting only from the structure.
 */
export interface Card {
  readonly tone: Tone;
  /** 0xRRGGBB in place of the tone's colour, unless it's a warning or an error. */
  readonly accent?: number;
  readonly title: string;
  readonly blocks: readonly Block[];
  /** Rows of buttons. */
  readonly actions: readonly (readonly Action[])[];
  /** A menu of further views, apart from the buttons. No two entries make the same call. */
  readonly menu: Menu | undefined;
  /** The footer: the time of the data, the page. */
  readonly footer: readonly Span[];
  /** Only the caller may see it. */
  readonly private: boolean;
  /** Attached to the card, to save or open elsewhere. */
  readonly file?: CardFile;
  /** Shows what the card says; no card has both this and a file. */
  readonly picture?: DrawPicture;
  /** What a press on a button has done, shown for a moment where the platform can; in the card as well. */
  readonly toast?: string;
  /** Two-letter code, if it isn't the asker's language. */
  readonly language?: string;
}

/**
 * Draws a card's picture. Never rejects, and takes a second at most: undefined if it isn't ready by
 * then, so that the card goes out alone.
 */
export type DrawPicture = () => Promise<CardPicture | undefined>;

/** A card's picture, if it has one and that's ready in time. */
export function pictureOn({ picture }: Card): Promise<CardPicture | undefined> {
  return picture?.() ?? Promise.resolve(undefined);
}

export interface CardPicture {
  readonly png: Uint8Array;
  /** Where the platform can fetch it; undefined if it can't, so it has to be uploaded. */
  readonly url: string | undefined;
  /** Everything it shows, in words: at most 500 characters. */
  readonly alt: string;
}

/** A text file of at most FILE_MAX characters. */
export interface CardFile {
  /** `[a-z0-9.-]+` */
  readonly name: string;
  readonly text: string;
  /** What it holds: said only where it arrives, as a platform may refuse it. */
  readonly about?: string;
}

/** Far below both platforms' limits for bots (10 and 50 MB). */
export const FILE_MAX = 2_000_000;

/** Colour and emblem: a tier's own, or by kind of message. */
export type Tone = Tier | 'plain' | 'warning' | 'error';

export type Block =
  /** A paragraph. */
  | { readonly kind: 'text'; readonly spans: readonly Span[] }
  /** Opens a part of the card, which the block after it belongs to. */
  | { readonly kind: 'heading'; readonly text: string }
  /** Short labelled values, side by side if there's room. */
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  /** Progress from one level to the next. */
  | { readonly kind: 'progress'; readonly fraction: number; readonly spans: readonly Span[] }
  /** Shares of a whole, each with a bar. */
  | { readonly kind: 'bars'; readonly bars: readonly Bar[] }
  /** A list of items with a line of detail each. */
  | {
      readonly kind: 'entries';
      readonly entries: readonly CardEntry[];
      /** Background that the card can do without, folded where a platform can. */
      readonly folded?: true;
    }
  /** Lines to be copied exactly: printable ASCII without backticks, separated by `\n`. */
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
  /** A member, by account id: shown as the platform shows members, without notifying them. */
  | { readonly member: string }
  /** A channel, by id. */
  | { readonly channel: string }
  /** Monospaced, for copying: an address, a key. */
  | { readonly code: string }
  /** A link to an `https:` or `http:` address, which only we or the operator may choose. */
  | { readonly link: string; readonly url: string }
  /**
   * Seconds since 1970, shown in the reader's time zone if the platform can. `relative` is "3 hours
   * ago", `date` a day, `clock` a day and time.
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
  /** Count and percentage, each a column. */
  readonly count: string;
  readonly share: string;
}

export interface CardEntry {
  readonly title: readonly Span[];
  /** Empty if the title says it all. */
  readonly detail: readonly Span[];
  /** Address of a small picture that says nothing more; only where the platform can fetch it. */
  readonly picture?: string;
}

export interface Column {
  readonly align: 'left' | 'right';
  /** The column that shrinks if the row is too wide; at most one. */
  readonly shrinks?: true;
}

/**
 * A button: runs a command in place of the card, opens a page, or opens a form first. One that is
 * `forPresser` leaves the card as it is, and answers the presser where nobody else reads it.
 */
export type Action =
  | {
      readonly label: string;
      readonly call: Call;
      readonly disabled?: boolean;
      readonly forPresser?: true;
    }
  | { readonly label: string; readonly url: string }
  | { readonly label: string; readonly form: Form };

/**
 * Asks for one text, then runs a command with it. Its only words are the button's label and the
 * option's description, so the form still opens after a restart. Platforms without forms omit the
 * button, so the card must explain how to type the command instead.
 */
export interface Form {
  /** The `text` option that receives the text. */
  readonly option: string;
  /** The call without that option. */
  readonly call: Call;
}

export interface Menu {
  /** Placeholder while nothing is chosen. */
  readonly placeholder: string;
  readonly choices: readonly {
    readonly label: string;
    readonly detail: string;
    readonly call: Call;
  }[];
}

/** A command with its arguments as texts by option name. */
export interface Call {
  readonly command: string;
  readonly args: Readonly<Record<string, string>>;
}

/** A private card with a single message. */
export function noteCard(tone: Tone, title: string, sentence: string): Card {
  return {
    tone,
    title,
    blocks: [{ kind: 'text', spans: [sentence] }],
    actions: [],
    menu: undefined,
    footer: [],
    private: true,
  };
}

/**
 * Warns somebody who typed a seed phrase or a private key, without repeating it.
 * @param mayBePublic it may as well be the hash of a transaction
 */
export function secretCard({ link }: Texts, mayBePublic: boolean): Card {
  const blocks: Block[] = [
    { kind: 'text', spans: [mayBePublic ? link.keyOrHash : link.secret] },
    { kind: 'text', spans: [{ bold: link.secretNever }] },
  ];
  const title = mayBePublic ? link.keyOrHashTitle : link.secretTitle;
  return {
    ...{ tone: 'warning', title, blocks, actions: [] },
    ...{ menu: undefined, footer: [], private: true },
  };
}
