import { type ChangeEntry, Fathom, isWalletChange, WalletCopy } from '../../client/src/index.ts';

/** A program that knows only the client: it keeps scores, tiers and badges of a service in step. */
export class CopyKeeper {
  readonly copy: WalletCopy;
  readonly fathom: Fathom;
  /** What was told wrongly. */
  readonly faults: string[] = [];
  fillings = 0;
  entries = 0;
  /** Badges by address, of wallets that changed since the last filling. */
  readonly #badges = new Map<string, Set<string>>();
  /** Wallets that may have lost badges since: to be read again. */
  readonly #doubted = new Set<string>();
  /** Scores as the changes told them, from the last filling on. */
  #scores = new Map<string, number>();
  #last: readonly number[] = [];
  readonly #stopping = new AbortController();
  #ended: Promise<void> | undefined;

  /** @param before called before each request */
  constructor(url: string, before: (request: Request) => void | Promise<void> = () => undefined) {
    this.fathom = new Fathom({
      url,
      fetch: async (request) => {
        await before(request);
        return fetch(request);
      },
    });
    this.copy = new WalletCopy(this.fathom, { settle: 0, onFilled: () => this.#begin() });
  }

  start(): void {
    this.#ended = this.#run().catch((error: unknown) => {
      if (!this.#stopping.signal.aborted) this.faults.push(`the copy ended: ${error}`);
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  /** Badges of wallets that changed since the last filling, by address. */
  async badges(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const doubted = [...this.#doubted];
    this.#doubted.clear();
    const lists = await this.fathom.badgeLists(doubted, { cache: 'no-cache' });
    for (const [i, list] of lists.entries()) {
      const ids = list instanceof Error ? [] : list.badges.map(({ id }) => id);
      this.#badges.set(doubted[i] as string, new Set(ids));
    }
    return this.#badges;
  }

  async #run(): Promise<void> {
    for await (const entry of this.copy.keep(this.#stopping.signal)) this.#take(entry);
  }

  #begin(): void {
    this.fillings += 1;
    this.#scores = new Map([...this.copy.wallets].map(([address, { score }]) => [address, score]));
    this.#last = [];
    // What they were changed from may be lost: all that is known of these is in doubt.
    for (const address of this.#badges.keys()) this.#doubted.add(address);
  }

  #take(entry: ChangeEntry): void {
    this.entries += 1;
    const place = placeOf(entry.cursor);
    if (!isAfter(place, this.#last)) this.faults.push(`${entry.cursor} after ${this.#last}`);
    this.#last = place;
    if (!isWalletChange(entry)) return;
    const { address, score, previousScore, badgesEarned } = entry;
    const known = this.#scores.get(address) ?? null;
    if (known !== previousScore) {
      this.faults.push(`${entry.cursor}: ${address} had ${known}, not ${previousScore}`);
    }
    if (this.copy.wallets.has(address)) this.#scores.set(address, score);
    else this.#scores.delete(address);
    const badges = this.#badges.get(address);
    // One that the filling brought may have had badges before.
    if (badges === undefined && previousScore !== null) this.#doubted.add(address);
    else if (badgesEarned.length === 0) this.#doubted.add(address);
    this.#badges.set(address, new Set([...(badges ?? []), ...badgesEarned]));
  }
}

/** The number of the commit, and the place within it. */
function placeOf(cursor: string): number[] {
  const [commit, , place = '0'] = cursor.split('-');
  return [Number(commit), Number(place)];
}

function isAfter([commit = 0, place = 0]: readonly number[], last: readonly number[]): boolean {
  const [before = 0, placeBefore = 0] = last;
  return commit > before || (commit === before && place > placeBefore);
}
