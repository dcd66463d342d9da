import type { Chain } from '#core/chain';
import type { MaybePromise } from '#core/maybe-promise';
import type { Urgency } from '#core/ports';
import type { Wallet } from '#core/wallet';

/**
 * Names of wallets from name services (ENS, SNS, NFD), each verified both ways: the wallet claims the
 * name, and the name leads to the wallet.
 */
export interface VerifiedNames {
  /**
   * The name kept for a wallet. If nothing is kept, or it's getting old, the name is looked up in the
   * background for the next time, so this never waits.
   * @param address canonical, of any chain
   * @param urgency visitors never use up what can be looked up in an hour. Default: interactive
   */
  nameOf(address: string, urgency?: Urgency): string | undefined;
  /** Whether the text has the form of such a name: `alice.eth`. It may not exist. */
  hasForm(text: string): boolean;
  /**
   * The wallet a name leads to, which may take a few seconds.
   * @param name as typed; must satisfy `hasForm`
   * @param urgency visitors never use up what can be asked in a minute. Default: interactive
   * @throws UserError `name-malformed`, `name-not-found`, `name-unsupported`, `name-unchecked`
   */
  walletOf(name: string, urgency?: Urgency): Promise<Wallet>;
  /** The same from what's kept. If nothing is, it's looked up in the background for the next time. */
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
  hasForm: () => false,
  walletOf: async () => await Promise.reject(new Error('there are no name services')),
  keptWalletOf: () => undefined,
};

/** As many characters as a table on a narrow phone has room for. */
const ALONE_MAX = 18;
/** Labels that can be typed and read aloud: `alice-2.eth`. */
const PLAIN = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;
/** A digit beside a letter that it looks like: `vita1ik`. */
const LOOK_ALIKE = /(?<!\d)[01](?=[a-z])|[a-z][01](?!\d)/;
/** Not taken for a letter: many names begin with it. */
const HEX_PREFIX = /^0x/;

/**
 * Whether a name may be shown without its address. Others could pass for another name: letters
 * beyond ASCII and emoji have look-alikes, and what's too long is cut, so that `alice.eth.mallory.eth`
 * would begin like `alice.eth`.
 */
export function canStandAlone(name: string): boolean {
  if (name.length > ALONE_MAX || !PLAIN.test(name)) return false;
  return name.split('.').every((label) => !LOOK_ALIKE.test(label.replace(HEX_PREFIX, '')));
}
