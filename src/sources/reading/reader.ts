import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  DAY_SECONDS,
  formatTime,
  messageOf,
  ProblemLog,
  RetryableError,
  UserError,
  wallSeconds,
} from '#base';
import { Backoff, sleep } from '#base/waiting';
import { type WorkHealth, worksNotice } from '#cluster';
import { differsFromChain, type InputState, type SourceInput, type SourcePosition } from '#scoring';
import { KnownEnd } from '#sources/checks/known-end';
import { DailyBalances } from '#sources/daily/daily-balances';
import { type ReadStretch, SourceStopped, sourceClaim } from '#sources/source';
import { Starts } from '#sources/starts';
import { ComparedBalances } from '#sources/verify-balances';
import { Degradations, DelayedInputs } from './degradations.ts';
import {
  InputTraces,
  type Lane,
  nextRangeOf,
  Pace,
  ProgressLog,
  type ReaderStatus,
} from './progress.ts';
import type { SourceReaderOptions } from './reader-options.ts';

/** When to look again after a stop: a node may have been wrong for a moment. */
const STOPPED_MS = 60_000;
const RETRY = { first: 500, most: 30_000 };
/** How often to try for another replica's claim, which must be taken within 15 s of its death. */
const STANDBY_MS = 2_000;
/** After this long unreadable, a source counts as stopped. Nodes fail for a moment at times. */
const UNREAD_MS = 60_000;
/** With this much of the chain's time left to read, scores are partial. */
const FAR_S = 3_600;

/** Reads a source into the store; of all replicas, one reads at a time. */
export class SourceReader {
  readonly #options: SourceReaderOptions;
  readonly #stopping = new AbortController();
  readonly #trouble: ProblemLog;
  readonly #backoff: Backoff;
  readonly #pace = new Pace();
  readonly #degradations: Degradations;
  readonly #compared: ComparedBalances;
  readonly #delayed: DelayedInputs;
  /** Inputs whose start isn't known yet, for example because the chain hasn't reached it. */
  readonly #unbegun: DelayedInputs;
  readonly #end: KnownEnd;
  readonly #days: DailyBalances;
  readonly #starts: Starts;
  #running: Promise<unknown> = Promise.resolve();
  #status: Omit<ReaderStatus, 'pace' | 'remainingSeconds' | 'leftOut'> = {
    ...{ state: 'starting', position: undefined, end: undefined, words: undefined },
    ...{ refused: 0, unbegun: 0 },
  };
  readonly #progress: ProgressLog;
  readonly #traces: InputTraces;
  /** Events left out since the start. */
  #leftOut = 0;
  #polledAt = Number.NEGATIVE_INFINITY;
  /** How far the wanted inputs were read when the chain's end was last known. */
  #states: readonly InputState[] | undefined;
  #isReadElsewhere = false;
  /** From when the source counts as unread; undefined while it can be read, here or by another replica. */
  #unreadFrom: number | undefined;

  constructor(options: SourceReaderOptions) {
    this.#options = options;
    const { id, log, retryMs = RETRY, unreadMs = UNREAD_MS } = options;
    this.#trouble = new ProblemLog(log);
    this.#progress = new ProgressLog(log, id);
    this.#traces = new InputTraces(log, id);
    this.#degradations = new Degradations(log, id, unreadMs);
    this.#end = new KnownEnd(id, options.chain, this.#degradations);
    this.#days = new DailyBalances(options);
    this.#starts = new Starts(options.chain);
    this.#backoff = new Backoff(retryMs);
    this.#compared = new ComparedBalances(options, this.#degradations, retryMs);
    this.#delayed = new DelayedInputs(retryMs);
    this.#unbegun = new DelayedInputs(retryMs);
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
    if (this.#degradations.isFailure) return 'fails';
    if (this.#unreadFrom !== undefined) {
      return performance.now() >= this.#unreadFrom ? 'fails' : undefined;
    }
    const { state } = this.#status;
    return state === 'reading' || state === 'following' ? 'works' : undefined;
  }

  /** Whether live rules may still lack much of their data. */
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
      let held: AbortSignal | undefined;
      try {
        await replica.during(this.#claim, async (lease) => {
          held = lease.signal;
          const both = AbortSignal.any([signal, lease.signal]);
          while (!both.aborted) {
            if (await this.#step(both)) continue;
            await sleep(Math.min(chain.pollMs, this.#delayed.leftMs), both);
          }
        });
        await this.#standBy();
      } catch (error) {
        if (signal.aborted) return;
        // The replica that took the claim from us reads now.
        if (held?.aborted) this.#set({ state: 'standby', words: undefined });
        else waitMs = this.#failed(error, held !== undefined);
      }
      await sleep(waitMs, signal);
    }
  }

  /**
   * @param isHeld whether it held the claim; if not, no node was asked and the fault is the database's
   * @returns how long to wait, in milliseconds
   */
  #failed(error: unknown, isHeld: boolean): number {
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
      return isHeld ? (this.#options.stoppedMs ?? STOPPED_MS) : STANDBY_MS;
    }
    // Perhaps a node knows less than it did.
    this.#end.doubt();
    this.#polledAt = Number.NEGATIVE_INFINITY;
    this.#trouble.failed(error, `Can't read ${id} now; trying again`);
    // The next attempt logs that the database is back.
    return !isHeld && error instanceof RetryableError ? STANDBY_MS : this.#backoff.next();
  }

  /** @returns whether there may be more */
  async #step(signal: AbortSignal): Promise<boolean> {
    const { chain } = this.#options;
    const { states, live } = await this.#inputs(signal);
    this.#set({ refused: refusedIn(states, live) });
    if (states.length === 0) return false;
    this.#delayed.keep(new Set(states.map(({ name }) => name)));
    const ready = states.filter(({ name }) => !this.#delayed.has(name));
    const laneTo = (end = this.#end.readable) =>
      end && nextRangeOf(ready, (name) => live.has(name), end.height);
    let lane = laneTo();
    const age = performance.now() - this.#polledAt;
    if (lane === undefined || age >= chain.pollMs) {
      const end = await this.#inTime(chain.end(signal));
      this.#set({ end: this.#end.update(end, highest(states.map(({ position }) => position))) });
      this.#polledAt = performance.now();
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
      this.#traces.atEnd(ready.filter(({ name }) => live.has(name)));
      const isMore = await this.#compared.atEnd(ready, signal);
      this.#recovered('following');
      return isMore;
    }
    await this.#read(lane, signal);
    await nextTurn();
    return true;
  }

  /** Whether much of an input is still to come, or may be. */
  #isFar(name: string): boolean {
    const state = this.#states?.find((each) => each.name === name);
    const { end } = this.#status;
    if (state === undefined || end === undefined || this.#degradations.has('stall')) return true;
    return end.time - state.position.time > FAR_S || this.#compared.isUncompared(state);
  }

  async #read({ inputs, from, upTo }: Lane, signal: AbortSignal): Promise<void> {
    const { id, chain, store, wanted } = this.#options;
    const byName = new Map(wanted().inputs.map((each) => [each.name, each]));
    const asked = inputs.flatMap(({ name }) => byName.get(name) ?? []);
    if (asked.length === 0) return;
    const day = { inputs: asked, states: inputs, from, signal };
    const most = await this.#inTime(this.#days.upTo(day, upTo, this.#end.readable ?? from));
    if (this.#delayAll(most.unanswered)) return;
    const read = await this.#inTime(chain.read({ inputs: asked, from, upTo: most.upTo, signal }));
    requirePast(id, read);
    const { end, leftOut = [] } = read;
    if (end.height <= from.height || end.height > upTo) {
      throw new Error(`${id} was read to ${end.height}, which isn't in ${from.height}–${upTo}`);
    }
    const { changes, unanswered } = await this.#inTime(this.#days.balances(day, read));
    const events = [...read.events, ...changes];
    signal.throwIfAborted();
    const names = asked.map(({ name }) => name);
    const isIn = await store.append({ source: id, inputs: names, from, to: end, events, leftOut });
    if (!isIn) throw new RetryableError(`Another process reads ${id} too. Continuing from there.`);
    this.#delayAll(unanswered);
    this.#leftOut += leftOut.reduce((sum, each) => sum + each, 0);
    this.#traces.read(names, leftOut);
    this.#pace.add(end.height - from.height);
    this.#recovered('reading');
    this.#progress.log(end, this.status());
  }

  /**
   * Delays inputs whose balances no node gives now, while the others are read on.
   * @param unanswered why, by input; undefined for inputs whose balances are known
   * @returns whether any waits
   */
  #delayAll(unanswered: ReadonlyMap<string, RetryableError | undefined>): boolean {
    for (const [name, error] of unanswered) {
      if (error === undefined) this.#delayed.remove(name);
      else this.#delayed.add(name, error.message);
    }
    return [...unanswered.values()].some((each) => each !== undefined);
  }

  /** Reports that nodes let one request wait for long, or ever narrower ones. */
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

  /** The state of each wanted input. Begins new ones; one that can't begin doesn't hold up the others. */
  async #inputs(
    signal: AbortSignal,
  ): Promise<{ states: readonly InputState[]; live: ReadonlySet<string> }> {
    const { id, chainId, store, wanted } = this.#options;
    const { inputs, live } = wanted();
    const known = await this.#statesOf(inputs);
    const names = new Set(known.map(({ name }) => name));
    const added = inputs.filter(({ name }) => !names.has(name));
    this.#unbegun.keep(new Set(added.map(({ name }) => name)));
    const due = added.filter(({ name }) => !this.#unbegun.has(name));
    const { positions, faults } = await this.#starts.ofAll(due, signal);
    if (faults.size > 0 && known.length + positions.length === 0) {
      this.#set({ unbegun: faults.size });
      throw [...faults.values()][0];
    }
    for (const [name, { message }] of faults) this.#unbegun.add(name, message);
    for (const { name } of positions) this.#unbegun.remove(name);
    this.#set({ unbegun: this.#unbegun.count });
    if (positions.length === 0) return { states: known, live };
    await store.begin({ id, chain: chainId }, positions);
    this.#starts.clear();
    return { states: await this.#statesOf(inputs), live };
  }

  async #statesOf(inputs: readonly SourceInput[]): Promise<readonly InputState[]> {
    const names = new Set(inputs.map(({ name }) => name));
    const all = await this.#options.store.inputs();
    return all.filter(({ source, name }) => source === this.#options.id && names.has(name));
  }

  async #standBy(): Promise<void> {
    // If all replicas fail, each gives way to the next; one that succeeds announces it.
    this.#isReadElsewhere = this.#options.replica.peersAnnounce(worksNotice(this.#claim));
    this.#states = undefined;
    // That replica now reports how far it is, and what it lacks.
    if (this.#isReadElsewhere) {
      this.#unreadFrom = undefined;
      this.#degradations.clear();
      this.#delayed.keep(new Set());
      this.#unbegun.keep(new Set());
    }
    this.#pace.pause();
    // The chain's end, if known, is of when this replica read it.
    this.#set({ state: 'standby', unbegun: 0, words: undefined, end: undefined });
    const { inputs, live } = this.#options.wanted();
    const states = await this.#statesOf(inputs);
    const position = lowest(states.map((each) => each.position));
    this.#set({ position, refused: refusedIn(states, live) });
  }

  #recovered(state: 'reading' | 'following'): void {
    this.#backoff.reset();
    this.#unreadFrom = undefined;
    const { id } = this.#options;
    this.#trouble.resolve(`${id} can be read again`);
    const { words: delayed } = this.#delayed;
    if (delayed === undefined)
      this.#degradations.resolve('unanswered', `Balances of ${id} are told again`);
    else {
      const waits = `Rules with "by: balance" wait for balances of ${id}, while the rest is read: ${delayed}`;
      this.#degradations.report('unanswered', waits);
    }
    this.#reportUnbegun();
    const { words, isLacking } = this.#degradations;
    const all = [words, this.#compared.silentWords].filter((each) => each !== undefined);
    this.#set({ state: isLacking ? 'waiting' : state, words: all.join(' ') || undefined });
  }

  #reportUnbegun(): void {
    const { id } = this.#options;
    const { words } = this.#unbegun;
    if (words === undefined) {
      this.#degradations.resolve('unbegun', `All rules about ${id} have begun`);
      return;
    }
    const { inputs, live } = this.#options.wanted();
    const known = new Set(this.#states?.map(({ name }) => name));
    const isLive = inputs.some(({ name }) => live.has(name) && !known.has(name));
    // Scores of live rules lack nothing while others wait.
    const grace = isLive ? undefined : Number.POSITIVE_INFINITY;
    this.#degradations.report(
      'unbegun',
      `Some rules about ${id} can't begin, while the rest is read: ${words}`,
      grace,
    );
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

/**
 * Refuses what nodes date more than a day ahead, as imports do: it would award points for future days.
 * @throws RetryableError
 */
function requirePast(source: string, { events, end }: ReadStretch): void {
  const latest = wallSeconds() + DAY_SECONDS;
  const isAhead = ({ time }: { readonly time: number }) => time > latest;
  const ahead = events.find(isAhead) ?? (isAhead(end) ? end : undefined);
  if (ahead === undefined) return;
  throw new RetryableError(
    `The nodes of ${source} date block ${ahead.height} ${formatTime(ahead.time)}, more than a day ahead of the system clock. Nothing of it counts. Check the nodes and the clock.`,
  );
}
