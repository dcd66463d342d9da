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

/**
 * What a text looks like: two texts with the same skeleton can be mistaken for each other.
 * https://www.unicode.org/reports/tr39/#Confusable_Detection
 */
export function skeletonOf(text: string): string {
  // Some dots are a space and a mark when taken apart.
  const visible = text
    .replaceAll(DOTS, '.')
    .normalize('NFKD')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  // The table leads some dots to a middle dot.
  return unhomoglyph(visible.replaceAll(DOTS, '.')).replaceAll(DOTS, '.').normalize('NFD');
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

/** Without any name service. */
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

/** `2.501` is a number, though its end looks like `.sol`. */
const DECIMAL = /(?<=\p{Nd})[.,]\p{Nd}+/gu;
/**
 * A name of a name service anywhere in a skeleton without marks: `vitalik.eth ✓`, `vitalik,eth`, `vitalik .eth.xyz`,
 * and with the digits that stand for letters where people want to: `vitalik.e7h`, `alice.5ol`.
 */
const INSIDE =
  /[\p{L}\p{N}]\P{L}{0,8}[.,](?:[e3][t7]h|[s52]o[l1]|[s52]n[s52]|[a4]l[g9]o)(?![\p{L}\p{N}])/u;

/**
 * Whether a name that anyone may have chosen could pass for one of a name service: `аlice.eth` with a Cyrillic а,
 * `vitaIik.eth` with a capital i, `alice․eth` with another dot, `alice.eth ✓`.
 */
export function isImitation(
  name: string,
  names: Pick<VerifiedNames, 'hasForm' | 'skeletonOf'>,
): boolean {
  const typed = name.toLowerCase();
  const seen = names.skeletonOf(name).toLowerCase();
  const isName = names.hasForm(typed) || names.hasForm(seen);
  if (!isName || (ASCII.test(typed) && !ENDING.test(typed) && !ENDING.test(seen))) {
    const words = names.skeletonOf(name.replaceAll(DECIMAL, '')).toLowerCase();
    return INSIDE.test(words.normalize('NFD').replaceAll(/\p{M}/gu, ''));
  }
  // A capital may look like another letter than its small form does.
  return !canStandAlone(typed) || seen !== names.skeletonOf(typed).toLowerCase();
}

/**
 * Whether a name may be shown without its address. Others could pass for another name: letters beyond ASCII
 * and emoji have look-alikes, and long names are truncated.
 */
export function canStandAlone(name: string): boolean {
  if (name.length > ALONE_MAX || !PLAIN.test(name) || INNER_ENDING.test(name)) return false;
  return name.split('.').every((label) => !LOOK_ALIKE.test(label.replace(HEX_PREFIX, '')));
}
