import { type Html, html, NOTHING, RetryableError, UserError } from '#base';
import type { PageReader } from '#http/pages/public/reader';
import type { VerifiedNames } from '#names';
import type { Reading } from '#reputation';
import { pastedAddress, type Wallet, type WalletParser } from '#wallet';

/** No name or address is longer. */
const FIND_MAX = 128;

/** A wallet that the text may mean; the name is the community's, if it has one. */
export interface FoundWallet {
  readonly address: string;
  readonly name: string | undefined;
}

export interface FindOptions {
  readonly wallets: WalletParser;
  readonly names: VerifiedNames;
}

/**
 * The wallets that an entered address or name may mean. Text that looks like an address is never matched with
 * names, because anyone may choose such a name.
 * @returns none if there's no match
 * @throws RetryableError
 */
export async function findWallets(
  text: string,
  reading: Reading,
  { wallets, names }: FindOptions,
): Promise<readonly FoundWallet[]> {
  if (text.length > FIND_MAX) return [];
  const pasted = pastedAddress(text);
  if (wallets.hasForm(pasted)) {
    try {
      return [{ address: wallets.parse(pasted).address, name: undefined }];
    } catch (error) {
      if (error instanceof UserError) return [];
      throw error;
    }
  }
  const meant = await reading.named(text);
  const found = meant.map(({ address, displayName }) => ({ address, name: displayName }));
  const verified = await ownerOf(text, names, found.length > 0);
  if (verified === undefined || found.some(({ address }) => address === verified.address)) {
    return found;
  }
  return [...found, { address: verified.address, name: undefined }];
}

/**
 * The wallet that a verified name leads to.
 * @param isOptional whether to return nothing if the service is unavailable
 * @throws RetryableError if it's unavailable and not optional
 */
export async function ownerOf(
  text: string,
  names: VerifiedNames,
  isOptional = false,
): Promise<Wallet | undefined> {
  if (!names.hasForm(text)) return undefined;
  try {
    return await names.walletOf(text, 'visitor');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (error.code !== 'name-unchecked' || isOptional) return undefined;
    throw new RetryableError(error.message, { cause: error });
  }
}

/** A form that finds a wallet's row in the leaderboard. */
export function findForm(
  { words, isChosen }: PageReader,
  { typed = '', chain = 'all' }: { readonly typed?: string; readonly chain?: string } = {},
): Html {
  const { leaderboard } = words.pages;
  const hidden = (name: string, value: string) =>
    html`<input type="hidden" name="${name}" value="${value}">`;
  return html`<form class="find" action="/leaderboard" method="get" role="search"><label for="find">${leaderboard.find}</label><span class="line"><input id="find" name="find" type="search" value="${typed}" maxlength="${FIND_MAX}" placeholder="${leaderboard.findHint}" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="search"><button type="submit">${leaderboard.findButton}</button></span>${
    chain === 'all' ? NOTHING : hidden('chain', chain)
  }${isChosen ? hidden('lang', words.language) : NOTHING}</form>`;
}
