import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Logger, messageOf, ProblemLog, RetryableError, UserError } from '#base';
import { Backoff, sleep } from '#base/waiting';
import { type Replica, type WorkHealth, worksNotice } from '#cluster';
import {
  differsFromChain,
  type EvidenceStore,
  type InputState,
  SOUND,
  type SourceInput,
  type SourcePosition,
} from '#scoring';
import { DailyBalances } from './daily/daily-balances.ts';
import { Degradations } from './degradations.ts';
import { InputTraces } from './input-traces.ts';
import { KnownEnd } from './known-end.ts';
import { type Lane, nextRangeOf } from './next-range.ts';
import { Pace } from './pace.ts';
import { ProgressLog } from './progress-log.ts';
import type { ReaderStatus } from './reader-status.ts';
import { requirePast } from './require-past.ts';
import { type ChainSource, SourceStopped, sourceClaim } from './source.ts';
import { verifyBalances } from './verify-balances.ts';

/** When to look again after a stop: a node may have been wrong for a moment. */
const STOPPED_MS = 60_000;
const RETRY = { first: 500, most: 30_000 };
/**
 * How often to try for a claim that another replica holds; it must be taken within 15 s of that replica's
 * death.
 */
const STANDBY_MS = 2_000;
/** After this long unreadable, a source counts as stopped. Nodes fail for a moment at times. */
const UNREAD_MS = 60_000;
/** How often to compare balances with the chain again once they were correct. */
const COMPARE_AGAIN_MS = 24 * 3_600_000;
/** How long after the start to compare them again: one that crashes again and again is to ask nodes for little. */
const COMPARE_FIRST_MS = 10 * 60_000;
/** With this much of the chain's time left to read, scores are partial. */
const FAR_S = 3_600;

/** What to read from a source; may change at any time. */
export interface WantedInputs {
  readonly inputs: readonly SourceInput[];
  /** Names of the inputs that live rules need. */
  readonly live: ReadonlySet<string>;
}

export interface SourceReaderOptions {
  readonly id: string;
  /** Its chain in the rules file. */
  readonly chainId: string;
  readonly chain: ChainSource;
  readonly store: EvidenceStore;
  /** The highest id of a wallet with evidence. */
  readonly highestWallet: () => Promise<number> | number;
  readonly wanted: () => WantedInputs;
  readonly replica: Pick<Replica, 'during' | 'hears'>;
  readonly log: Logger;
  /** For tests. */
  readonly retryMs?: { readonly first: number; readonly most: number };
  readonly stoppedMs?: number;
  readonly unreadMs?: number;
  readonly compareAgainMs?: number;
}

/** Reads a source into the store; of all replicas, one reads at a time. */
export class SourceReader {
  readonly #options: SourceReaderOptions;
  readonly #stopping = new AbortController();
  readonly #trouble: ProblemLog;
  readonly #backoff: Backoff;
  readonly #pace = new Pace();
  readonly #shortfalls: Degradations;
  readonly #compareBackoff: Backoff;
  #compareFrom = Number.NEGATIVE_INFINITY;
  readonly #end: KnownEnd;
  readonly #days: DailyBalances;
  #running: Promise<unknown> = Promise.resolve();
  #status: Omit<ReaderStatus, 'pace' | 'remainingSeconds' | 'leftOut'> = {
    ...{ state: 'starting', position: undefined, end: undefined, refused: 0, words: undefined },
  };
  readonly #progress: ProgressLog;
  readonly #traces: InputTraces;
  /** Since the start. */
  #leftOut = 0;
  readonly #beganAt = performance.now();
  /** When each input's balances were last compared with the chain. */
  readonly #comparedAt = new Map<string, number>();
  /** The heights at which they differed, as long as that is undecided. */
  readonly #doubtedAt = new Map<string, number>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** How far the wanted inputs were read when the chain's end was last known. */
  #states: readonly InputState[] | undefined;
  #isReadElsewhere = false;
  /** From when on the source counts as unread; undefined: it can be read, here or by another replica. */
  #unreadFrom: number | undefined;

  constructor(options: SourceReaderOptions) {
    this.#options = options;
    const { id, log, retryMs = RETRY, unreadMs = UNREAD_MS } = options;
    this.#trouble = new ProblemLog(log);
    this.#progress = new ProgressLog(log, id);
    this.#traces = new InputTraces(log, id);
    this.#shortfalls = new Degradations(log, id, unreadMs);
    this.#end = new KnownEnd(id, options.chain, this.#shortfalls);
    this.#days = new DailyBalances(options);
    this.#backoff = new Backoff(retryMs);
    this.#compareBackoff = new Backoff(retryMs);
  }

  begin(): void {
    this.#running = this.#run();
  }

  /** Aborts what's under way: a stretch that isn't written yet is read again later. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    // Requests could otherwise take half a minute.
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

  /** It fails once it has stopped, or has failed for so long that scores may lack events. */
  get health(): WorkHealth {
    if (this.#shortfalls.isFailure) return 'fails';
    if (this.#unreadFrom !== undefined) {
      return performance.now() >= this.#unreadFrom ? 'fails' : undefined;
    }
    const { state } = this.#status;
    return state === 'reading' || state === 'following' ? 'works' : undefined;
  }

  /** Whether much of what live rules need is still to come, or may be. */
  get isFarBehind(): boolean {
    if (this.#isReadElsewhere) return false;
    // Which rules are live may have changed since then.
    const { inputs, live } = this.#options.wanted();
    return inputs.some(({ name }) => live.has(name) && this.#isFar(name));
  }

  get #claim(): string {
    return sourceClaim(this.#options.id);
  }

  async #run(): Promise<void> {
    const { replica, chain } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let waitMs = STANDBY_MS;
      try {
        await replica.during(this.#claim, async (lease) => {
          const both = AbortSignal.any([signal, lease.signal]);
          while (!both.aborted) if (!(await this.#step(both))) await sleep(chain.lookMs, both);
        });
        await this.#standBy();
      } catch (error) {
        if (signal.aborted) return;
        waitMs = this.#failed(error);
      }
      await sleep(waitMs, signal);
    }
  }

  /** @returns how long to wait, in milliseconds */
  #failed(error: unknown): number {
    const { id } = this.#options;
    const isStopped = error instanceof SourceStopped || error instanceof UserError;
    const words = messageOf(error);
    this.#pace.pause();
    const graceMs = isStopped ? 0 : (this.#options.unreadMs ?? UNREAD_MS);
    const from = performance.now() + graceMs;
    this.#unreadFrom = Math.min(this.#unreadFrom ?? from, from);
    this.#set({ state: isStopped ? 'stopped' : 'waiting', words });
    if (isStopped) {
      this.#trouble.report(words, 'error', { source: id }, `Reading ${id} has stopped: ${words}`);
      return this.#options.stoppedMs ?? STOPPED_MS;
    }
    // Perhaps a node knows less than it did.
    this.#end.doubt();
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.#trouble.failed(error, `Can't read ${id} now; trying again`);
    return this.#backoff.next();
  }

  /** @returns whether there may be more */
  async #step(signal: AbortSignal): Promise<boolean> {
    const { chain } = this.#options;
    const { states, live } = await this.#inputs(signal);
    this.#set({ refused: refusedIn(states, live) });
    if (states.length === 0) return false;
    const laneTo = (end = this.#end.readable) =>
      end && nextRangeOf(states, (name) => live.has(name), end.height);
    let lane = laneTo();
    const age = performance.now() - this.#lookedAt;
    if (lane === undefined || age >= chain.lookMs) {
      const end = await this.#inTime(chain.end(signal));
      this.#set({ end: this.#end.told(end, highest(states.map(({ position }) => position))) });
      this.#lookedAt = performance.now();
      lane = laneTo();
    }
    if (lane === undefined && this.#end.isDoubted) {
      this.#end.trust();
      lane = laneTo();
    }
    this.#set({ position: lowest(states.map(({ position }) => position)) });
    this.#states = states;
    this.#isReadElsewhere = false;
    if (lane === undefined) {
      this.#traces.atEnd(states.filter(({ name }) => live.has(name)));
      return await this.#rest(states, signal);
    }
    await this.#read(lane, signal);
    await nextTurn();
    return true;
  }

  /** Whether much of an input is still to come, or may be. */
  #isFar(name: string): boolean {
    const state = this.#states?.find((each) => each.name === name);
    const { end } = this.#status;
    if (state === undefined || end === undefined || this.#shortfalls.has('stall')) return true;
    return end.time - state.position.time > FAR_S || this.#isUncompared(state);
  }

  /** Whether live rules about its balances give no points before these have been compared. */
  #isUncompared({ name, verdict }: InputState): boolean {
    const { inputs, live } = this.#options.wanted();
    const isHold = inputs.some((each) => each.kind === 'hold' && each.name === name);
    return isHold && live.has(name) && verdict === undefined;
  }

  /** At the end: compares balances with the chain. @returns whether there may be more */
  async #rest(states: readonly InputState[], signal: AbortSignal): Promise<boolean> {
    const { id } = this.#options;
    // Which rules are live may change while they're compared.
    const isWaiting = () => states.some((each) => this.#isUncompared(each));
    if (performance.now() < this.#compareFrom) {
      this.#recovered('following');
      return false;
    }
    try {
      await this.#compare(states, signal);
      this.#compareBackoff.reset();
      for (const kind of ['balances', 'comparison'] as const) {
        this.#shortfalls.over(kind, `Balances of ${id} can be compared again`);
      }
      this.#recovered('following');
      return isWaiting();
    } catch (error) {
      if (signal.aborted || !(error instanceof RetryableError)) throw error;
      this.#compareFrom = performance.now() + this.#compareBackoff.next();
      const waits = isWaiting() ? ', so rules about them give no points yet' : '';
      const words = `Balances of ${id} can't be compared with the chain's${waits}: ${error.message}`;
      if (isWaiting()) this.#shortfalls.found('balances', words);
      // Rules whose balances were right go on.
      else this.#shortfalls.found('comparison', words, COMPARE_AGAIN_MS);
      this.#recovered('following');
      return false;
    }
  }

  async #compare(states: readonly InputState[], signal: AbortSignal): Promise<void> {
    const { store, chain, highestWallet, wanted, log } = this.#options;
    for (const input of wanted().inputs) {
      const state = states.find(({ name }) => name === input.name);
      if (input.kind !== 'hold' || state === undefined || !this.#isToCompare(state)) continue;
      const upTo = await highestWallet();
      const options = { input, state, store, chain, upTo, log, signal };
      const doubtedAt = await verifyBalances(options, this.#doubtedAt.get(input.name));
      if (doubtedAt === undefined) {
        this.#comparedAt.set(input.name, performance.now());
        this.#doubtedAt.delete(input.name);
      } else this.#doubtedAt.set(input.name, doubtedAt);
    }
  }

  #isToCompare({ name, verdict }: InputState): boolean {
    if (verdict === undefined) return true;
    if (verdict !== SOUND) return false;
    const { compareAgainMs = COMPARE_AGAIN_MS } = this.#options;
    const comparedAt = this.#comparedAt.get(name);
    if (comparedAt !== undefined) return performance.now() - comparedAt >= compareAgainMs;
    // When the last process did so isn't known. A service that restarts daily must compare them, too.
    return performance.now() - this.#beganAt >= Math.min(compareAgainMs, COMPARE_FIRST_MS);
  }

  async #read({ inputs, from, upTo }: Lane, signal: AbortSignal): Promise<void> {
    const { id, chain, store, wanted } = this.#options;
    const byName = new Map(wanted().inputs.map((each) => [each.name, each]));
    const asked = inputs.flatMap(({ name }) => byName.get(name) ?? []);
    if (asked.length === 0) return;
    const day = { inputs: asked, states: inputs, from, signal };
    const most = await this.#inTime(this.#days.upTo(day, upTo, this.#end.readable ?? from));
    const read = await this.#inTime(chain.read({ inputs: asked, from, upTo: most, signal }));
    requirePast(id, read);
    const { end, leftOut = [] } = read;
    if (end.height <= from.height || end.height > upTo) {
      throw new Error(`${id} was read to ${end.height}, which isn't in ${from.height}–${upTo}`);
    }
    const events = [...read.events, ...(await this.#inTime(this.#days.balances(day, read)))];
    signal.throwIfAborted();
    const names = asked.map(({ name }) => name);
    const isIn = await store.append({ source: id, inputs: names, from, to: end, events, leftOut });
    if (!isIn) throw new RetryableError(`Another process reads ${id} too. Continuing from there.`);
    this.#leftOut += leftOut.reduce((sum, each) => sum + each, 0);
    this.#traces.read(names, leftOut);
    this.#pace.add(end.height - from.height);
    this.#recovered('reading');
    this.#progress.tell(end, this.status());
  }

  /** Says so where nodes let a request wait for long, or a narrower one again and again. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { id, unreadMs = UNREAD_MS } = this.#options;
    const timer = setTimeout(() => {
      const words = `The nodes of ${id} have answered nothing useful for a while; "fathom sources" shows what each said last.`;
      this.#unreadFrom ??= performance.now();
      this.#set({ state: 'waiting', words });
      this.#trouble.report('slow', 'warn', { source: id }, words);
    }, unreadMs);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The state of each wanted input; new ones are begun. */
  async #inputs(
    signal: AbortSignal,
  ): Promise<{ states: readonly InputState[]; live: ReadonlySet<string> }> {
    const { id, chainId, chain, store, wanted } = this.#options;
    const { inputs, live } = wanted();
    const known = await this.#statesOf(inputs);
    const names = new Set(known.map(({ name }) => name));
    const added = inputs.filter(({ name }) => !names.has(name));
    if (added.length === 0) return { states: known, live };
    const begun: { name: string; position: SourcePosition }[] = [];
    for (const { name, since } of added) {
      begun.push({ name, position: await chain.begin(since, signal) });
    }
    await store.begin({ id, chain: chainId }, begun);
    return { states: await this.#statesOf(inputs), live };
  }

  async #statesOf(inputs: readonly SourceInput[]): Promise<readonly InputState[]> {
    const names = new Set(inputs.map(({ name }) => name));
    const all = await this.#options.store.inputs();
    return all.filter(({ source, name }) => source === this.#options.id && names.has(name));
  }

  async #standBy(): Promise<void> {
    // If all replicas fail, each gives way to the next; one that succeeds says so.
    this.#isReadElsewhere = this.#options.replica.hears(worksNotice(this.#claim));
    this.#states = undefined;
    // Then that one says how far it is, and what it lacks.
    if (this.#isReadElsewhere) {
      this.#unreadFrom = undefined;
      this.#shortfalls.clear();
    }
    this.#set({ state: 'standby', words: undefined });
    const { inputs, live } = this.#options.wanted();
    this.#set({ refused: refusedIn(await this.#statesOf(inputs), live) });
  }

  #recovered(state: 'reading' | 'following'): void {
    this.#backoff.reset();
    this.#unreadFrom = undefined;
    this.#trouble.resolve(`${this.#options.id} can be read again`);
    const { words, isLacking } = this.#shortfalls;
    this.#set({ state: isLacking ? 'waiting' : state, words });
  }

  #set(status: Partial<ReaderStatus>): void {
    this.#status = { ...this.#status, ...status };
  }
}

/** How many balances of live rules aren't the chain's. */
function refusedIn(states: readonly InputState[], live: ReadonlySet<string>): number {
  return states.filter((each) => live.has(each.name) && differsFromChain(each)).length;
}

function highest(positions: readonly SourcePosition[]): SourcePosition | undefined {
  return positions.toSorted((one, other) => other.height - one.height)[0];
}

function lowest(positions: readonly SourcePosition[]): SourcePosition | undefined {
  return positions.toSorted((one, other) => one.height - other.height)[0];
}
