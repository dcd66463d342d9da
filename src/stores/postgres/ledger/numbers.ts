import type { Connection } from './connection.ts';
import { integersOf, packed } from './packed-sql.ts';

/** Wallets whose numbers are remembered, some 100 bytes each; a busy one comes back in every batch. */
const KEPT = 200_000;

export interface NewWallet {
  readonly number: number;
  readonly address: string;
  /** Its place in CHAINS. */
  readonly chain: number;
}

/** Numbers of wallets by their addresses, as far as they were met lately. */
export class WalletNumbers {
  #numbers = new Map<string, number>();

  /**
   * Finds the numbers of wallets, and gives the next ones to those that have none. To be called by
   * who alone may write.
   * @param chains by address, as places in CHAINS, of wallets that it has no numbers of
   * @returns those that have none yet, which are to be written; `forget` if they are not
   */
  async meet(
    { client }: Connection,
    chains: ReadonlyMap<string, number>,
  ): Promise<{ readonly added: readonly NewWallet[]; readonly highest: number }> {
    const asked = [...chains.keys()];
    // In the order of the index that answers.
    asked.sort((a, b) => (a < b ? -1 : 1));
    const { rows } = await client.query(
      `SELECT count(*) AS n, ${packed('place - 1')} AS places, ${packed('id')} AS ids,
              (SELECT coalesce(max(id), 0) FROM wallet) AS highest
       FROM (SELECT place, wallet.id
             FROM unnest($1::text[]) WITH ORDINALITY AS asked (address, place)
             JOIN wallet ON wallet.address = asked.address) AS found`,
      // As pg would write it, which looks at every character: no address holds one to be escaped.
      [`{${asked.join(',')}}`],
    );
    const count = Number(rows[0]?.n);
    const places = integersOf(rows[0]?.places, count);
    const ids = integersOf(rows[0]?.ids, count);
    for (let i = 0; i < count; i++) {
      this.#numbers.set(asked[places[i] as number] as string, ids[i] as number);
    }
    const highest = Number(rows[0]?.highest);
    const added: NewWallet[] = [];
    for (const address of asked) {
      if (this.#numbers.has(address)) continue;
      const number = highest + added.length + 1;
      this.#numbers.set(address, number);
      added.push({ number, address, chain: chains.get(address) as number });
    }
    return { added, highest };
  }

  /** The number of a wallet, if it was met. */
  find(address: string): number | undefined {
    return this.#numbers.get(address);
  }

  forget(): void {
    this.#numbers = new Map();
  }

  /** Keeps the memory within bounds; to be called before a commit. */
  trim(): void {
    if (this.#numbers.size > KEPT) this.forget();
  }
}
