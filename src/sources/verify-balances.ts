import {
  DAY_SECONDS,
  dayOf,
  type Logger,
  type ProblemLog,
  ProblemLogs,
  RetryableError,
} from '#base';
import { Backoff } from '#base/waiting';
import {
  type EvidenceStore,
  type InputState,
  isAskedDaily,
  MATCHES_CHAIN,
  type SourceEvent,
  type SourceInput,
  type SourcePosition,
  START_PLACE,
  type WalletBalance,
} from '#scoring';
import { balancesAt } from './daily/chain-at.ts';
import { howToLift, NO_BALANCE_OF, tooManyWords } from './daily/daily-balances.ts';
import { HOLDERS_MOST } from './daily/holders.ts';
import type { Degradations } from './reading/degradations.ts';
import type { SourceReaderOptions } from './reading/reader-options.ts';
import type { ChainSource } from './source.ts';

/** How many wallets to check at a time. */
const AT_ONCE = 1_000;
/** How many balances to ask the chain for: those of the largest holders, and as many others. */
const ASKED = 20;

interface VerifyBalancesOptions {
  readonly input: SourceInput & { readonly kind: 'hold' };
  readonly state: InputState;
  readonly store: EvidenceStore;
  readonly chain: ChainSource;
  /** The highest id of a wallet with evidence. */
  readonly upTo: number;
  /** Canonical addresses that no rule counts: contracts often keep other figures for burned tokens. */
  readonly nobody: ReadonlySet<string>;
  readonly log: Logger;
  /** What the contract leaves unanswered, said once as long as it does. */
  readonly silence: ProblemLog;
  /** Keeps it for those who look later; undefined once all is answered. */
  readonly noteSilence: (words: string | undefined) => void;
  readonly signal: AbortSignal;
}

/**
 * Checks that the sums of a token's transfers equal its balances. They don't if balances change without a
 * transfer (rebasing) or transfers take a fee. Until the check passes, the input gives no points. An input
 * that passed before is rejected only if it differs at two heights, because that takes points away.
 * @param doubtedAt the height at which it differed, since it last passed
 * @returns that height, as long as it's undecided
 */
async function verifyBalances(
  options: VerifyBalancesOptions,
  doubtedAt?: number,
): Promise<number | undefined> {
  const { input, state, store, log, signal } = options;
  const { source, name } = input;
  const { verdict, starts } = await verdictOn(options);
  signal.throwIfAborted();
  if (starts.length > 0) {
    const { position } = state;
    const at = { source, inputs: [name], from: position, to: position };
    const isIn = await store.append({ ...at, events: starts });
    if (!isIn) throw new RetryableError(`Another process reads ${source} too.`);
  }
  const wasSound = state.verdict === MATCHES_CHAIN;
  if (wasSound && verdict === MATCHES_CHAIN) return undefined;
  const { height } = state.position;
  if (wasSound && (doubtedAt ?? height) === height) {
    if (doubtedAt === undefined) {
      log.warn({ source, input: name }, `Balances differ; comparing them again: ${verdict}`);
    }
    return height;
  }
  await store.setVerdict(source, name, verdict);
  if (verdict === MATCHES_CHAIN) return undefined;
  log.error(
    { source, input: name },
    `A rule about balances gives no points: ${verdict} ${howToLift(source)}`,
  );
  return undefined;
}

async function verdictOn(
  options: VerifyBalancesOptions,
): Promise<{ readonly verdict: string; readonly starts: readonly SourceEvent[] }> {
  const {
    input,
    state,
    store,
    chain,
    upTo: highest,
    nobody,
    silence,
    noteSilence,
    signal,
  } = options;
  const { source, name } = input;
  const sample = new Sample();
  const starts: SourceEvent[] = [];
  const isAsked = isAskedDaily(input);
  const at = isAsked ? await lastAsked(options) : state.position;
  if (at === undefined) return { verdict: MATCHES_CHAIN, starts };
  let holders = 0;
  for (let from = 0; from < highest; from += AT_ONCE) {
    signal.throwIfAborted();
    for (const known of await store.balances(source, name, from, from + AT_ONCE)) {
      const wallet = isAsked ? upTo(known, at.time) : known;
      holders += 1;
      if (wallet.changes.length === 0 || nobody.has(wallet.wallet.address)) continue;
      const lowest = lowestOf(wallet);
      const start = lowest < 0n ? await startOf(options, wallet, -lowest) : undefined;
      if (start !== undefined) {
        starts.push(start.event);
        sample.add(wallet.wallet.address, sumOf(wallet) + start.amount);
        continue;
      }
      if (lowest < 0n) {
        const verdict = `the balance of ${wallet.wallet.address} falls to ${lowest} by its events. Either "since" comes after the first event, or ${moved(input)}`;
        return { verdict, starts: [] };
      }
      sample.add(wallet.wallet.address, sumOf(wallet));
    }
  }
  if (isAsked && holders > HOLDERS_MOST) return { verdict: tooManyWords(), starts: [] };
  const asked = sample.wallets();
  if (asked.length === 0) return { verdict: MATCHES_CHAIN, starts };
  const addresses = asked.map(([address]) => address);
  const balances = await balancesAt(chain, input, addresses, { at, isThere: true, signal });
  if (balances === undefined && isAsked) return { verdict: NO_BALANCE_OF, starts: [] };
  const silent = addresses.filter((_, place) => balances?.[place] === undefined).length;
  // No standard function returns what a staking contract holds.
  if (silent > 0 && !isAsked && input.holding.kind.startsWith('erc')) {
    const which = balances === undefined ? 'Balances' : `${silent} of ${balances.length} balances`;
    const words = `${which} of ${source} can't be compared with the chain's: the contract doesn't answer balanceOf. Its events are counted without that check.`;
    silence.report('silent', 'warn', { source, input: name }, words);
    noteSilence(words);
  } else {
    silence.resolve();
    noteSilence(undefined);
  }
  for (const [index, [address, sum]] of asked.entries()) {
    const balance = balances?.[index];
    if (balance === undefined || balance === sum) continue;
    const verdict = isAsked
      ? `${address} has ${balance} by the chain at ${at.height}, where ${sum} was told before.`
      : `${address} has ${balance} by the chain and ${sum} by its events, at ${at.height}. Either "since" comes after the first one, or ${moved(input)}`;
    return { verdict, starts: [] };
  }
  return { verdict: MATCHES_CHAIN, starts };
}

/** What makes balances differ from their events, if not a late start, and what to do then. */
function moved({ holding }: VerifyBalancesOptions['input']): string {
  const isWide = 'by' in holding && holding.by === 'events';
  const twice = isWide ? ', or logs others beside its transfers (then leave out "by: events")' : '';
  const asked = 'by' in holding ? ' "by: balance" asks for them instead.' : '';
  return `the contract moves balances in other ways (it rebases, takes a fee, or has events of its own)${twice}.${asked}`;
}

/** The last day's end for which balances were asked; undefined if there's none yet. */
async function lastAsked({
  input,
  state,
  chain,
  signal,
}: VerifyBalancesOptions): Promise<SourcePosition | undefined> {
  const begin = await chain.begin(input.since, signal);
  const day = dayOf(state.position.time);
  if (begin.time >= day * DAY_SECONDS) return undefined;
  const end = await chain.begin({ kind: 'day', day }, signal);
  return end.height > begin.height ? end : undefined;
}

function upTo({ wallet, changes }: WalletBalance, time: number): WalletBalance {
  return { wallet, changes: changes.filter((each) => each.time <= time) };
}

/**
 * What an address held before the first block that was read, by the chain, if its balance would fall below zero
 * without: constructors may give tokens without an event.
 */
async function startOf(
  { input, chain, signal }: VerifyBalancesOptions,
  { wallet }: WalletBalance,
  least: bigint,
): Promise<{ readonly event: SourceEvent; readonly amount: bigint } | undefined> {
  const { holding, since } = input;
  if (!('by' in holding) || holding.by !== 'events') return undefined;
  const at = await chain.begin(since, signal);
  const held = await chain.balancesOf({ input, addresses: [wallet.address], at, signal });
  const amount = held?.[0] ?? 0n;
  if (amount < least) return undefined;
  const args = JSON.stringify({ amount: String(amount) });
  const { height, time, hash } = at;
  const event = {
    input: 0,
    wallet,
    height,
    place: START_PLACE,
    time,
    args,
    transaction: hash ?? '',
  };
  return { event, amount };
}

function lowestOf({ changes }: WalletBalance): bigint {
  let [sum, lowest] = [0n, 0n];
  for (const { amount } of changes) {
    sum += amount;
    if (sum < lowest) lowest = sum;
  }
  return lowest;
}

function sumOf({ changes }: WalletBalance): bigint {
  return changes.reduce((sum, { amount }) => sum + amount, 0n);
}

/** The largest holders, and every n-th of all wallets; n grows with their number. */
class Sample {
  #largest: [address: string, sum: bigint][] = [];
  #spread: [address: string, sum: bigint][] = [];
  #every = 1;
  #seen = 0;

  add(address: string, sum: bigint): void {
    this.#largest.push([address, sum]);
    if (this.#largest.length >= 2 * ASKED) this.#trim();
    if (this.#seen++ % this.#every !== 0) return;
    this.#spread.push([address, sum]);
    if (this.#spread.length < 2 * ASKED) return;
    this.#every *= 2;
    this.#spread = this.#spread.filter((_, index) => index % 2 === 0);
  }

  wallets(): readonly (readonly [address: string, sum: bigint])[] {
    this.#trim();
    return [...new Map([...this.#largest, ...this.#spread])];
  }

  #trim(): void {
    this.#largest.sort(([, one], [, other]) => (one > other ? -1 : one < other ? 1 : 0));
    this.#largest.length = Math.min(this.#largest.length, ASKED);
  }
}

/** How often to compare balances with the chain again once they were correct. */
const COMPARE_AGAIN_MS = 24 * 3_600_000;
/** How long after the start to compare them again, so that a crash loop doesn't hammer the nodes. */
const COMPARE_FIRST_MS = 10 * 60_000;

/** Compares a source's balances with the chain's, once all is read and then daily. */
export class ComparedBalances {
  readonly #options: SourceReaderOptions;
  readonly #degradations: Degradations;
  readonly #backoff: Backoff;
  #from = Number.NEGATIVE_INFINITY;
  readonly #beganAt = performance.now();
  /** When each input's balances were last compared with the chain. */
  readonly #comparedAt = new Map<string, number>();
  /** By input. */
  readonly #silences: ProblemLogs;
  /** What is left unanswered, by input. */
  readonly #silent = new Map<string, string>();
  /** The heights at which they differed, as long as that is undecided. */
  readonly #doubtedAt = new Map<string, number>();

  constructor(
    options: SourceReaderOptions,
    degradations: Degradations,
    retryMs: { readonly first: number; readonly most: number },
  ) {
    this.#options = options;
    this.#degradations = degradations;
    this.#backoff = new Backoff(retryMs);
    this.#silences = new ProblemLogs(options.log);
  }

  /** Whether live rules about its balances give no points before these have been compared. */
  isUncompared({ name, verdict }: InputState): boolean {
    const { inputs, live } = this.#options.wanted();
    const isHold = inputs.some((each) => each.kind === 'hold' && each.name === name);
    return isHold && live.has(name) && verdict === undefined;
  }

  /** What contracts leave unanswered about inputs that are wanted, as sentences; undefined if nothing. */
  get silentWords(): string | undefined {
    const all = this.#options.wanted().inputs.flatMap(({ name }) => this.#silent.get(name) ?? []);
    return all.length === 0 ? undefined : [...new Set(all)].join(' ');
  }

  /** @param states of inputs that have been read to the end @returns whether there may be more to compare */
  async atEnd(states: readonly InputState[], signal: AbortSignal): Promise<boolean> {
    const { id } = this.#options;
    // Which rules are live may change while they're compared.
    const isWaiting = () => states.some((each) => this.isUncompared(each));
    if (performance.now() < this.#from) return false;
    try {
      await this.#compare(states, signal);
      this.#backoff.reset();
      for (const kind of ['balances', 'comparison'] as const) {
        this.#degradations.resolve(kind, `Balances of ${id} can be compared again`);
      }
      return isWaiting();
    } catch (error) {
      if (signal.aborted || !(error instanceof RetryableError)) throw error;
      this.#from = performance.now() + this.#backoff.next();
      const waits = isWaiting() ? ', so rules about them give no points yet' : '';
      const words = `Balances of ${id} can't be compared with the chain's${waits}: ${error.message}`;
      if (isWaiting()) this.#degradations.report('balances', words);
      // Rules whose balances were right go on.
      else this.#degradations.report('comparison', words, COMPARE_AGAIN_MS);
      return false;
    }
  }

  async #compare(states: readonly InputState[], signal: AbortSignal): Promise<void> {
    const { store, chain, highestWallet, wanted, log } = this.#options;
    const { inputs, nobody } = wanted();
    for (const input of inputs) {
      const state = states.find(({ name }) => name === input.name);
      if (input.kind !== 'hold' || state === undefined || !this.#isToCompare(state)) continue;
      const upTo = await highestWallet();
      const silence = this.#silences.of(input.name);
      const noteSilence = (words: string | undefined) => {
        if (words === undefined) this.#silent.delete(input.name);
        else this.#silent.set(input.name, words);
      };
      const told = { log, silence, noteSilence };
      const options = { input, state, store, chain, upTo, nobody, ...told, signal };
      const doubtedAt = await verifyBalances(options, this.#doubtedAt.get(input.name));
      if (doubtedAt === undefined) {
        this.#comparedAt.set(input.name, performance.now());
        this.#doubtedAt.delete(input.name);
      } else this.#doubtedAt.set(input.name, doubtedAt);
    }
  }

  #isToCompare({ name, verdict }: InputState): boolean {
    if (verdict === undefined) return true;
    if (verdict !== MATCHES_CHAIN) return false;
    const { compareAgainMs = COMPARE_AGAIN_MS } = this.#options;
    const comparedAt = this.#comparedAt.get(name);
    if (comparedAt !== undefined) return performance.now() - comparedAt >= compareAgainMs;
    // We don't know when an earlier process compared them; a service that restarts daily must, too.
    return performance.now() - this.#beganAt >= Math.min(compareAgainMs, COMPARE_FIRST_MS);
  }
}
