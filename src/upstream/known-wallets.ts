import type { Wallet } from '#wallet';

/** Most addresses remembered. */
const MOST = 40_000;

/** Wallets that the upstream knows, by address as written, so that we validate none twice. */
export class KnownWallets {
  readonly #wallets = new Map<string, Wallet>();

  get(text: string): Wallet | undefined {
    return this.#wallets.get(text);
  }

  /** From now on also recognises the wallet's address without a checksum. */
  add(wallet: Wallet): void {
    this.#set(wallet.address, wallet);
    if (wallet.chain === 'ethereum') this.#set(wallet.address.toLowerCase(), wallet);
  }

  #set(text: string, wallet: Wallet): void {
    this.#wallets.delete(text);
    this.#wallets.set(text, wallet);
    if (this.#wallets.size <= MOST) return;
    const oldest = this.#wallets.keys().next().value;
    if (oldest !== undefined) this.#wallets.delete(oldest);
  }
}
