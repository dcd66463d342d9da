import { pathPlace } from '#scoring/inputs/input';
import type { SourceEvent, SourcePosition } from '#scoring/inputs/store';
import type { Start } from '#scoring/model';
import type {
  BalanceQuestion,
  ChainEnd,
  ChainSource,
  NodeStatus,
  ReadRequest,
  ReadStretch,
} from '#sources/source';
import type { Wallet } from '#wallet/wallet';
import { ETH_A } from './ledger.ts';

/** A chain with an event of each input at every tenth height, read in ranges that the test sets. */
export class ModelChain implements ChainSource {
  readonly pollMs = 5;
  stallMs?: number;
  /** How many seconds its blocks are ahead of their true times. */
  ahead = 0;
  head: number;
  widest = 50;
  /** The requests. */
  readonly asked: {
    readonly inputs: readonly string[];
    readonly from: number;
    readonly to: number;
  }[] = [];
  /** Runs before a stretch is returned. */
  onRead: (request: ReadRequest) => Promise<void> | void = () => undefined;
  /** The starts that it was asked for. */
  readonly begun: Start[] = [];
  /** Runs before a start is returned. */
  onBegin: (since: Start) => Promise<void> | void = () => undefined;
  /** How far a node is that no other one confirms. */
  newest: number | undefined;
  /** How often it was asked for the end. */
  ends = 0;
  /** Runs before the end is returned. */
  onEnd: () => Promise<void> | void = () => undefined;
  balances: (addresses: readonly string[]) => readonly bigint[] | undefined = () => undefined;
  /** Whom each event names. */
  wallets: readonly Wallet[] = [ETH_A];
  /** The arguments of each event. */
  args = '{}';

  constructor(head: number) {
    this.head = head;
  }

  at(height: number): SourcePosition {
    return { height, hash: `0x${height}`, time: 1_600_000_000 + height * 10 + this.ahead };
  }

  async end(): Promise<ChainEnd> {
    this.ends += 1;
    await this.onEnd();
    const { head, newest } = this;
    return newest === undefined ? this.at(head) : { ...this.at(head), newest: this.at(newest) };
  }

  async begin(since: Start): Promise<SourcePosition> {
    this.begun.push(since);
    await this.onBegin(since);
    return this.at((since.kind === 'height' ? Number(since.height) : 0) - 1);
  }

  async read(request: ReadRequest): Promise<ReadStretch> {
    const { inputs, from, upTo } = request;
    const to = Math.min(upTo, from.height + this.widest);
    this.asked.push({ inputs: inputs.map(({ name }) => name), from: from.height, to });
    await this.onRead(request);
    const events: SourceEvent[] = [];
    for (let height = from.height + 1; height <= to; height++) {
      if (height % 10 !== 0) continue;
      for (const input of inputs.keys()) {
        const { time } = this.at(height);
        for (const [index, wallet] of this.wallets.entries()) {
          const place = pathPlace([index, input]);
          const rest = { place, time, args: this.args, transaction: `0xt${height}` };
          events.push({ input, wallet, height, ...rest });
        }
      }
    }
    return { events, end: this.at(to) };
  }

  async balancesOf({ addresses }: BalanceQuestion): Promise<readonly bigint[] | undefined> {
    return this.balances(addresses);
  }

  nodes(): readonly NodeStatus[] {
    return [];
  }

  async close(): Promise<void> {}
}
