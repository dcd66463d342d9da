import { UserError } from '#core/errors';
import { pastedAddress } from '#core/pasted-address';
import type { Reading } from '#core/ports';
import type { VerifiedNames } from '#core/verified-names';
import type { Wallet, WalletParser } from '#core/wallet';

/** Longer texts name nothing. */
export const FIND_MAX = 128;

/** A wallet that a typed text may mean; the name is the community's, if it has one. */
export interface FoundWallet {
  readonly address: string;
  readonly name: string | undefined;
}

export interface FindOptions {
  readonly wallets: WalletParser;
  readonly names: VerifiedNames;
}

/**
 * The wallets that a typed address or name may mean. What looks like an address is never taken for a
 * name, because anyone may choose such a name.
 * @returns none if nothing is known by it
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
    const wallet = await known(() => wallets.parse(pasted));
    return wallet === undefined ? [] : [{ address: wallet.address, name: undefined }];
  }
  const meant = await reading.named(text);
  const found = meant.map(({ address, displayName }) => ({ address, name: displayName }));
  const verified = names.hasForm(text) ? await known(() => names.walletOf(text)) : undefined;
  if (verified === undefined || found.some(({ address }) => address === verified.address)) {
    return found;
  }
  return [...found, { address: verified.address, name: undefined }];
}

/** Undefined for what isn't an address, or a name that leads nowhere. */
export async function known(find: () => Wallet | Promise<Wallet>): Promise<Wallet | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
