import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf, RetryableError, UserError } from '#core/errors';
import type { Logger } from '#core/logger';
import { SOUND } from '#core/scoring/editions/ends';
import type { SourceInput } from '#core/scoring/reading/input';
import type { EvidenceStore, InputState, SourcePosition } from '#core/scoring/reading/store';
import type { Replica } from '#core/work/replica';
import { Backoff } from '#runtime/backoff';
import { SayOnce } from '#runtime/say-once';
import { sleep } from '#runtime/sleep';
import { judgeBalances } from './judge-balances.ts';
import { type Lane, nextLane } from './lane.ts';
import { Pace } from './pace.ts';
import { type ChainSource, SourceStopped } from './source.ts';

/** After a stop it is looked again, for a node may have been wrong for a moment. */
const STOPPED_MS = 60_000;
const RETRY = { first: 500, most: 30_000 };
/** How often it is asked for the claim that another replica has: within 15 s of its death it is taken. */
const STANDBY_MS = 2_000;
/** A source that can't be read for this long counts as stopped: nodes fail for a moment at times. */
const UNREAD_MS = 60_000;
/** How often balances that were found to be right are compared with the chain again. */
const COMPARE_AGAIN_MS = 24 * 3_600_000;
/** Between two lines of the log about how far the reading is. */
const TELL_MS = 10_000;

/** What is to be read of a source, which may change at any time. */
export interface WantedInputs {
  readonly inputs: readonly SourceInput[];
  /** Names of those that live rules stand on. */
  readonly live: ReadonlySet<string>;
}

export interface SourceReaderOptions {
  readonly id: string;
  /** As in the rules file. */
  readonly chainId: string;
  readonly chain: ChainSource;
  readonly store: EvidenceStore;
  /** The highest number of a wallet with evidence. */
  readonly highestWallet: () => Promise<number> | number;
  readonly wanted: () => WantedInputs;
  readonly replica: Pick<Replica, 'during'>;
  readonly log: Logger;
  /** For tests. */
  readonly retryMs?: { readonly first: number; readonly most: number };
  readonly stoppedMs?: number;
  readonly unreadMs?: number;
  readonly compareAgainMs?: number;
}

/** How reading a source goes, for operators. */
export interface ReaderStatus {
  readonly state: 'starting' | 'standby' | 'reading' | 'following' | 'waiting' | 'stopped';
  /** Up to where every wanted input is read. */
  readonly position: SourcePosition | undefined;
  /** The newest final position. */
  readonly end: SourcePosition | undefined;
  /** Heights in a second. */
  readonly pace: number | undefined;
  /** Seconds until the end is reached, at that pace. */
  readonly remainingSeconds: number | undefined;
  /** Events that were left out since the start: they name no wallet, or aren't what they claim to be. */
  readonly leftOut: number;
  /** Why it waits or has stopped, for people. */
  readonly words: string | undefined;
}

/** Reads a source into the store, as one of all replicas that share it. */
export class SourceReader {
  readonly #options: SourceReaderOptions;
  readonly #stopping = new AbortController();
  readonly #trouble: SayOnce;
  readonly #backoff: Backoff;
  readonly #pace = new Pace();
  #running: Promise<unknown> = Promise.resolve();
  #status: Pick<ReaderStatus, 'state' | 'position' | 'end' | 'words'> = {
    ...{ state: 'starting', position: undefined, end: undefined, words: undefined },
  };
  #toldAt = performance.now();
  /** Since the start. */
  #leftOut = 0;
  readonly #beganAt = performance.now();
  /** When the balances of inputs were compared with the chain's. */
  readonly #comparedAt = new Map<string, number>();
  /** At which heights they differed, where that isn't decided yet. */
  readonly #doubtedAt = new Map<string, number>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Since when it can't be read; undefined while it can. */
  #failingSince: number | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SourceReaderOptions) {
    this.#options = options;
    this.#trouble = new SayOnce(options.log);
    this.#backoff = new Backoff(options.retryMs ?? RETRY);
  }

  begin(): void {
    this.#running = this.#run();
  }

  /** Ends with what is under way: a stretch that isn't written yet is read again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    // What is under way may take half a minute otherwise.
    await this.#options.chain.close();
    await this.#running;
  }

  status(): ReaderStatus {
    const { position, end } = this.#status;
    const pace = this.#pace.perSecond();
    const left = end === undefined || position === undefined ? 0 : end.height - position.height;
    const remainingSeconds = pace === undefined || left <= 0 ? undefined : left / pace;
    return { ...this.#status, pace, remainingSeconds, leftOut: this.#leftOut };
  }

  /** Whether it has stopped, or has failed for so long that scores may lack events. */
  get isUnread(): boolean {
    if (this.#status.state === 'stopped') return true;
    const since = this.#failingSince;
    if (since === undefined) return false;
    return performance.now() - since >= this.#unreadMs;
  }

  get #unreadMs(): number {
    return this.#options.unreadMs ?? UNREAD_MS;
  }

  async #run(): Promise<void> {
    const { replica, id, chain } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let waitMs = STANDBY_MS;
      try {
        const done = await replica.during(`source ${id}`, async (lease) => {
          const both = AbortSignal.any([signal, lease.signal]);
          while (!both.aborted) if (!(await this.#step(both))) await sleep(chain.lookMs, both);
          return true;
        });
        if (done === undefined) this.#standBy();
      } catch (error) {
        if (signal.aborted) return;
        waitMs = this.#failed(error);
      }
      await sleep(waitMs, signal);
    }
  }

  /** @returns how long to wait */
  #failed(error: unknown): number {
    const { id } = this.#options;
    const isStopped = error instanceof SourceStopped || error instanceof UserError;
    const words = messageOf(error);
    this.#pace.pause();
    this.#failedAt = performance.now();
    this.#failingSince ??= this.#failedAt;
    this.#set({ state: isStopped ? 'stopped' : 'waiting', words });
    if (isStopped) {
      this.#trouble.say(words, 'error', { source: id }, `Reading ${id} has stopped: ${words}`);
      return this.#options.stoppedMs ?? STOPPED_MS;
    }
    this.#trouble.failed(error, `Can't read ${id} now; trying again`);
    return this.#backoff.next();
  }

  /** @returns whether there may be more */
  async #step(signal: AbortSignal): Promise<boolean> {
    const { chain } = this.#options;
    const { states, live } = await this.#inputs(signal);
    if (states.length === 0) return false;
    const known = this.#status.end;
    let lane = known && nextLane(states, (name) => live.has(name), known.height);
    const age = performance.now() - this.#lookedAt;
    if (lane === undefined || age >= chain.lookMs) {
      const end = await chain.end(signal);
      this.#lookedAt = performance.now();
      this.#set({ end: known === undefined || end.height > known.height ? end : known });
      lane = nextLane(states, (name) => live.has(name), this.#status.end?.height ?? end.height);
    }
    this.#set({ position: lowest(states.map(({ position }) => position)) });
    if (lane === undefined) return await this.#rest(states, signal);
    await this.#read(lane, signal);
    await nextTurn();
    return true;
  }

  /** At the end: what was held is compared with the chain. @returns whether there may be more */
  async #rest(states: readonly InputState[], signal: AbortSignal): Promise<boolean> {
    const { store, chain, highestWallet, wanted, log } = this.#options;
    this.#recovered('following');
    for (const input of wanted().inputs) {
      const state = states.find(({ name }) => name === input.name);
      if (input.kind !== 'hold' || state === undefined || !this.#isToCompare(state)) continue;
      const upTo = await highestWallet();
      const options = { input, state, store, chain, upTo, log, signal };
      const doubtedAt = await judgeBalances(options, this.#doubtedAt.get(input.name));
      if (doubtedAt === undefined) {
        this.#comparedAt.set(input.name, performance.now());
        this.#doubtedAt.delete(input.name);
      } else this.#doubtedAt.set(input.name, doubtedAt);
    }
    return false;
  }

  #isToCompare({ name, verdict }: InputState): boolean {
    if (verdict === undefined) return true;
    if (verdict !== SOUND) return false;
    const { compareAgainMs = COMPARE_AGAIN_MS } = this.#options;
    const comparedAt = this.#comparedAt.get(name) ?? this.#beganAt;
    return performance.now() - comparedAt >= compareAgainMs;
  }

  async #read({ inputs, from, upTo }: Lane, signal: AbortSignal): Promise<void> {
    const { id, chain, store, wanted } = this.#options;
    const byName = new Map(wanted().inputs.map((each) => [each.name, each]));
    const asked = inputs.flatMap(({ name }) => byName.get(name) ?? []);
    if (asked.length === 0) return;
    const read = await chain.read({ inputs: asked, from, upTo, signal });
    const { events, end, leftOut = 0 } = read;
    if (end.height <= from.height || end.height > upTo) {
      throw new Error(`${id} was read to ${end.height}, which isn't in ${from.height}–${upTo}`);
    }
    signal.throwIfAborted();
    const names = asked.map(({ name }) => name);
    const isIn = await store.append({ source: id, inputs: names, from, to: end, events });
    if (!isIn) throw new RetryableError(`Another process reads ${id} too. Going on from there.`);
    this.#leftOut += leftOut;
    this.#pace.add(end.height - from.height);
    this.#recovered('reading');
    this.#tell(end);
  }

  /** What is wanted and where it is; what is new begins. */
  async #inputs(
    signal: AbortSignal,
  ): Promise<{ states: readonly InputState[]; live: ReadonlySet<string> }> {
    const { id, chainId, chain, store, wanted } = this.#options;
    const { inputs, live } = wanted();
    const statesOf = async () => {
      const names = new Set(inputs.map(({ name }) => name));
      return (await store.inputs()).filter((each) => each.source === id && names.has(each.name));
    };
    const known = await statesOf();
    const names = new Set(known.map(({ name }) => name));
    const added = inputs.filter(({ name }) => !names.has(name));
    if (added.length === 0) return { states: known, live };
    const begun: { name: string; position: SourcePosition }[] = [];
    for (const { name, since } of added) {
      begun.push({ name, position: await chain.begin(since, signal) });
    }
    await store.begin({ id, chain: chainId }, begun);
    return { states: await statesOf(), live };
  }

  #standBy(): void {
    // Where all fail, each gives way to the next, whose attempt may take half a minute.
    const isCalm = performance.now() - this.#failedAt >= this.#unreadMs;
    if (isCalm) this.#failingSince = undefined;
    this.#set({ state: 'standby', words: undefined });
  }

  #recovered(state: 'reading' | 'following'): void {
    this.#backoff.reset();
    this.#failingSince = undefined;
    this.#trouble.over(`${this.#options.id} is read again`);
    this.#set({ state, words: undefined });
  }

  #tell(at: SourcePosition): void {
    if (performance.now() - this.#toldAt < TELL_MS) return;
    this.#toldAt = performance.now();
    const { pace, remainingSeconds, end } = this.status();
    const { id, log } = this.#options;
    log.info(
      {
        ...{ source: id, height: at.height, end: end?.height },
        ...(this.#leftOut > 0 && { leftOut: this.#leftOut }),
        ...{ perSecond: pace && Math.round(pace) },
        ...{ secondsLeft: remainingSeconds && Math.round(remainingSeconds) },
      },
      `reading ${id}`,
    );
  }

  #set(status: Partial<ReaderStatus>): void {
    this.#status = { ...this.#status, ...status };
  }
}

function lowest(positions: readonly SourcePosition[]): SourcePosition | undefined {
  return positions.toSorted((one, other) => one.height - other.height)[0];
}
