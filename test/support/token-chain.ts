import { DAY_SECONDS } from '#base/time/time';
import { pathPlace } from '#scoring/inputs/input';
import type {
  EvidenceStore,
  EvidenceStretch,
  SourceEvent,
  SourcePosition,
} from '#scoring/inputs/store';
import type { Start } from '#scoring/model';
import type { BalanceQuestion, ChainSource, ReadRequest, ReadStretch } from '#sources/source';
import type { Wallet } from '#wallet/wallet';

/** A block of a chain with one token. */
export interface TokenBlock {
  /** Seconds since the block before it. */
  readonly after: number;
  /** Whom its events name, as places in the list of wallets. */
  readonly named: readonly number[];
  /** What each wallet holds at its end. */
  readonly balances: readonly number[];
}

/** A chain whose blocks have the heights 0, 1, …; its token's balances follow no events. */
export class TokenChain implements ChainSource {
  readonly pollMs = 5;
  readonly #blocks: readonly TokenBlock[];
  readonly #wallets: readonly Wallet[];
  readonly #times: readonly number[];
  /** How many blocks are read at once. */
  widest = 5;
  /** Runs before balances are told. */
  onAsked: (question: BalanceQuestion) => void = () => undefined;

  constructor(blocks: readonly TokenBlock[], wallets: readonly Wallet[], genesis: number) {
    this.#blocks = blocks;
    this.#wallets = wallets;
    let time = genesis;
    this.#times = blocks.map(({ after }) => {
      time += after;
      return time;
    });
  }

  at(height: number): SourcePosition {
    if (height < 0) return { height: -1, hash: null, time: 0 };
    return { height, hash: `0x${height}`, time: this.#times[height] as number };
  }

  async end() {
    return this.at(this.#blocks.length - 1);
  }

  async begin(since: Start): Promise<SourcePosition> {
    if (since.kind === 'height') return this.at(Number(since.height) - 1);
    return this.at(this.#times.filter((time) => time < since.day * DAY_SECONDS).length - 1);
  }

  async read({ from, upTo }: ReadRequest): Promise<ReadStretch> {
    const to = Math.min(upTo, from.height + this.widest);
    const events: SourceEvent[] = [];
    for (let height = from.height + 1; height <= to; height++) {
      const { named = [] } = this.#blocks[height] ?? {};
      for (const [index, wallet] of named.entries()) {
        events.push({
          ...{ input: 0, wallet: this.#wallets[wallet] as Wallet, height },
          ...{ place: pathPlace([0, index]), time: this.at(height).time },
          ...{ args: '{"amount":"0"}', transaction: `0xt${height}` },
        });
      }
    }
    return { events, end: this.at(to) };
  }

  async balancesOf(question: BalanceQuestion): Promise<readonly bigint[] | undefined> {
    this.onAsked(question);
    const { addresses, at } = question;
    const { balances = [] } = this.#blocks[at.height] ?? {};
    return addresses.map((address) => {
      const place = this.#wallets.findIndex((each) => each.address === address);
      return BigInt(balances[place] ?? 0);
    });
  }

  nodes() {
    return [];
  }

  async close(): Promise<void> {}
}

/** Evidence of one input, in memory. */
export class TokenEvidence {
  readonly events: SourceEvent[] = [];
  position: SourcePosition;
  verdict: string | undefined;

  constructor(position: SourcePosition) {
    this.position = position;
  }

  /** As far as daily balances need it. */
  store(): EvidenceStore {
    return {
      append: (stretch: EvidenceStretch) => this.append(stretch),
      setVerdict: (_: string, __: string, verdict: string) => {
        this.verdict = verdict;
      },
      balances: (_: string, __: string, from: number) =>
        from > 0
          ? []
          : [...Map.groupBy(this.events, ({ wallet }) => wallet)].map(([wallet, all]) => ({
              wallet,
              changes: all.map(({ time, args }) => ({
                ...{ time, amount: BigInt((JSON.parse(args) as { amount: string }).amount) },
              })),
            })),
    } as unknown as EvidenceStore;
  }

  append({ from, to, events }: EvidenceStretch): boolean {
    if (from.height !== this.position.height) return false;
    this.events.push(...events);
    // As stores do: in canonical order.
    this.events.sort(
      (one, other) =>
        one.height - other.height ||
        (one.place < other.place ? -1 : one.place > other.place ? 1 : 0) ||
        (one.wallet.address < other.wallet.address ? -1 : 1),
    );
    this.position = to;
    return true;
  }
}
