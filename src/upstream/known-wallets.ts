import type { Wallet } from '#core/wallet';

/** Texts that are remembered. */
const MOST = 40_000;

/** Wallets that the upstream knows, by the texts that name them, so that no text is checked twice. */
export class KnownWallets {
  readonly #wallets = new Map<string, Wallet>();

  get(text: string): Wallet | undefined {
    return this.#wallets.get(text);
  }

  /** @param wallet of which every form without a checksum is recognised from now on */
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
