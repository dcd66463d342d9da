import unhomoglyph from 'unhomoglyph';
import type { MaybePromise } from '#base';
import type { Urgency } from '#reputation';
import type { Chain, Wallet } from '#wallet';

/**
 * Dots that pass for a full stop and aren't in the table, or lead elsewhere there: IDNA's ideographic ones
 * (https://www.unicode.org/reports/tr46/, section 2.3), what ends a sentence in other scripts, middle dots, bullets and
 * operators.
 */
const DOTS =
  /[\u00b7\u02d9\u0387\u2022\u2027\u2219\u22c5\u2981\u2e30\u2e31\u2e33\u3002\u30fb\uff65]|(?!\p{ASCII})\p{Sentence_Terminal}/gu;

/** Letters in dark circles and squares, and those that make flags; the table and NFKD leave them. */
const FRAMED = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu;

function letterIn(framed: string): string {
  const code = framed.codePointAt(0) as number;
  const first = [0x1f1e6, 0x1f170, 0x1f150].find((each) => code >= each) as number;
  return String.fromCodePoint(0x61 + code - first);
}

/**
 * What a text looks like: two texts with the same skeleton can be mistaken for each other.
 * https://www.unicode.org/reports/tr39/#Confusable_Detection
 */
export function skeletonOf(text: string): string {
  // Some dots are a space and a mark when taken apart.
  const visible = text
    .replaceAll(DOTS, '.')
    .replaceAll(FRAMED, letterIn)
    .normalize('NFKD')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  // The table leads some dots to a middle dot.
  return unhomoglyph(visible.replaceAll(DOTS, '.')).replaceAll(DOTS, '.').normalize('NFD');
}

/** But for modifiers, such as the apostrophe of some languages. */
const BEYOND_LATIN = /(?![\p{Script=Latin}\p{Lm}])\p{L}/u;
const BEYOND_ASCII = /(?!\p{ASCII})\p{L}/u;

/**
 * Whether a text has letters of another script than Latin, and all of it looks like plain Latin: `аlice` and
 * `сосо` with Cyrillic letters, but not `Анна`.
 */
export function looksLatin(text: string): boolean {
  return BEYOND_LATIN.test(text) && !BEYOND_ASCII.test(skeletonOf(text).replaceAll(/\p{M}/gu, ''));
}

/**
 * Names of wallets from name services (ENS, SNS, NFD), each verified both ways: the wallet claims the
 * name, and the name leads to the wallet.
 */
export interface VerifiedNames {
  /**
   * The cached name of a wallet. If there's none, or it's getting old, the name is looked up in the
   * background for the next time, so this never waits.
   * @param address canonical, on any chain
   * @param urgency visitors never use up the hourly look-ups. Default: interactive
   */
  nameOf(address: string, urgency?: Urgency): string | undefined;
  /**
   * Whether a name is known to lead to another wallet. Never waits, and doesn't look it up.
   * @param name as anyone may have chosen it
   */
  isAnothers(name: string, address: string): boolean;
  /** Whether the text has the form of such a name: `alice.eth`. It may not exist. */
  hasForm(text: string): boolean;
  /** What the text looks like: texts with the same skeleton can be mistaken for each other. */
  skeletonOf(text: string): string;
  /**
   * The wallet that a name leads to, which may take a few seconds.
   * @param name as typed; must satisfy `hasForm`
   * @param urgency visitors never use up the look-ups of a minute. Default: interactive
   * @throws UserError `name-malformed`, `name-not-found`, `name-unsupported`, `name-renamed`,
   *   `name-unchecked`
   */
  walletOf(name: string, urgency?: Urgency): Promise<Wallet>;
  /** The same from the cache. If it isn't there, it's looked up in the background for the next time. */
  keptWalletOf(name: string): MaybePromise<Wallet | undefined>;
}

/** The name service of each chain's wallets. */
export const NAME_SERVICES: Readonly<Record<Chain, string>> = {
  ethereum: 'ENS',
  solana: 'SNS',
  algorand: 'NFD',
};

/** What there is without any name service. */
export const NO_NAMES: VerifiedNames = {
  nameOf: () => undefined,
  isAnothers: () => false,
  hasForm: () => false,
  skeletonOf: (text) => text,
  walletOf: async () => await Promise.reject(new Error('there are no name services')),
  keptWalletOf: () => undefined,
};

/** The width of a narrow phone's table, in characters. */
const ALONE_MAX = 18;
/** Labels that can be typed and read aloud: `alice-2.eth`. A word alone, such as `admin`, is no name's form. */
const PLAIN = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/;
/**
 * Digits next to a letter that they look like (`vita1ik`, `g00gle`), and letters that look like another one. At
 * the end of a label, different digits are a number: `base10`.
 */
const LOOK_ALIKE = /(?<!\d)[01]+(?=[a-z])|[a-z]([01])\1*(?!\d)|rn|vv/;
/** Not a look-alike: many names start with it. */
const HEX_PREFIX = /^0x/;

/** `alice.eth.me.eth` starts like `alice.eth`. */
const INNER_ENDING = /\.(?:eth|sol|sns|algo)\./;

/** The endings of name services. */
const ENDING = /\.(?:eth|sol|sns|algo)$/;
const ASCII = /^[\x20-\x7e]+$/;

/** `2.501` and `Levi's.501` end in numbers, though these look like `.sol`. */
const NUMBER = /[.,]\p{Nd}+(?![\p{L}\p{N}])/gu;
/** Marks that look like a full stop behind their letter: `vitalik\u0307eth`. */
const DOT_MARK = '\u0307\u0323\u0358\u05b4\u05c1\u05c2\u05c4\u05c5';
/** Marks at letters, but for those. */
const OTHER_MARK = new RegExp(`(?![${DOT_MARK}])\\p{M}`, 'gu');
/** Commas, and what's small and round or square: bullets, shapes, Braille, coloured circles. */
const DOT_LIKE = `.,\u3001\u060c\u2022-\u2027\u23fa\u25a0-\u25ff\u26aa\u26ab\u2801-\u28ff\u2b1b-\u2b2f\u{1f534}-\u{1f53b}\u{1f7e0}-\u{1f7eb}${DOT_MARK}`;
/** The endings' letters with what stands for them where people want to: `e7h`, `5ol`, `\u1d07\u1d1b\u029c`. */
const ENDING_LETTERS = [
  ['e3\u1d07', 't7+\u1d1b', 'h\u029c'],
  ['s52\ua731', 'o', 'l1\u029f'],
  ['s52\ua731', 'n\u0274', 's52\ua731'],
  ['a4\u1d00', 'l\u029f', 'g9\u0262', 'o'],
] as const;
/** Also with any one sign beyond ASCII in a letter's place: `\u0258th`, `s\u26aal`. */
const ENDING_LIKE = ENDING_LETTERS.flatMap((letters) => {
  const exact = letters.map((each) => `[${each}]`);
  return [exact, ...exact.keys().map((place) => exact.with(place, '[^\\x00-\\x7f]'))];
}).map((each) => each.join(''));
/**
 * A name of a name service anywhere in a skeleton: `vitalik.eth ✓`, `vitalik,eth`, `vitalik .eth.xyz`. A space behind
 * the dot, as in `Mr. Sol`, is none unless one stands before it, too. What goes on with a hyphen is one:
 * `vitalik.eth-official`.
 */
const INSIDE = new RegExp(
  `[\\p{L}\\p{N}]\\P{L}{0,8}(?:[${DOT_LIKE}]|\\s\\.\\s+)(?:${ENDING_LIKE.join('|')})(?![\\p{L}\\p{N}])`,
  'u',
);
/** What may stand behind a name as if it belonged to it: `vitalik.eth™`. */
const ADDED = /[\p{So}\p{No}]/gu;

/** Written as people are, `José.Sol`: names of a name service have no capitals. */
const PERSON = /^\p{Lu}\p{Ll}+\.[A-Z][a-z]+$/u;

/** Such a name without its accents, where nothing else of it looks like another letter. */
function withoutAccents(name: string): string {
  const plain = name.normalize('NFD').replaceAll(/\p{M}/gu, '');
  return PERSON.test(name.normalize('NFC')) && ASCII.test(plain) ? plain : name;
}

/**
 * Whether a name that anyone may have chosen could pass for one of a name service: `аlice.eth` with a Cyrillic а,
 * `vitaIik.eth` with a capital i, `alice․eth` with another dot, `alice.eth ✓`.
 */
export function isImitation(
  text: string,
  names: Pick<VerifiedNames, 'hasForm' | 'skeletonOf'>,
): boolean {
  const name = withoutAccents(text);
  const typed = name.toLowerCase();
  if (ASCII.test(typed) && !/[.,]/.test(typed)) return false;
  const seen = names.skeletonOf(name).toLowerCase();
  const isName = names.hasForm(typed) || names.hasForm(seen);
  if (!isName || (ASCII.test(typed) && !ENDING.test(typed) && !ENDING.test(seen))) {
    return containsName(name, names);
  }
  // A capital may look like another letter than its small form does; an m always looks like rn.
  const looks = [seen, names.skeletonOf(typed).toLowerCase()].map((each) =>
    each.replaceAll('rn', 'm'),
  );
  return !canStandAlone(typed) || looks[0] !== looks[1];
}

function containsName(name: string, names: Pick<VerifiedNames, 'skeletonOf'>): boolean {
  const words = name.replaceAll(NUMBER, '');
  return [words, words.replaceAll(ADDED, ' ')]
    .flatMap((each) => [names.skeletonOf(each), each.normalize('NFKD')])
    .map((each) => each.toLowerCase().normalize('NFD'))
    .some((each) =>
      [OTHER_MARK, /\p{M}/gu].some((marks) => INSIDE.test(each.replaceAll(marks, ''))),
    );
}

/**
 * Whether a name may be shown without its address. Others could pass for another name: letters beyond ASCII
 * and emoji have look-alikes, and long names are truncated.
 */
export function canStandAlone(name: string): boolean {
  if (name.length > ALONE_MAX || !PLAIN.test(name) || INNER_ENDING.test(name)) return false;
  return name.split('.').every((label) => !LOOK_ALIKE.test(label.replace(HEX_PREFIX, '')));
}
