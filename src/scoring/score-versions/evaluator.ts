import { RetryableError, UserError } from '#base';
import { endsText, isAnotherDay } from './ends.ts';
import type { Evaluation } from './evaluation.ts';
import type {
  DueWallet,
  NewScoreVersion,
  ScoreVersion,
  ScoreVersionProgress,
  WalletEvents,
  WalletScore,
} from './score-version.ts';
import type { ImportedEvidence, ScoreVersionMove, ScoringStore, WalletSelection } from './store.ts';

/** Events in memory at a time, about: they take some 500 bytes each. */
const EVENTS = 50_000;
const FIRST = 32;

/** How many wallets to read at a time, by how many events the ones before had. */
export class PageSize {
  readonly #most: number;
  #wallets: number;

  /** @param most wallets */
  constructor(most: number) {
    this.#most = most;
    this.#wallets = Math.min(most, FIRST);
  }

  get wallets(): number {
    return this.#wallets;
  }

  /** @param events of the last page */
  saw(events: number): void {
    const room = Math.min(2, EVENTS / Math.max(1, events));
    this.#wallets = Math.max(1, Math.min(this.#most, Math.floor(this.#wallets * room)));
  }
}

/** Wallets per commit. */
const AT_ONCE = 500;
/** Rows per commit, about, if some wallets have long histories. They take some 500 bytes each. */
const ROWS_AT_ONCE = 20_000;
/** Arrivals processed together: however often a wallet is among them, it's scored once. */
const ARRIVALS = 200_000;

export interface EvaluatorOptions {
  readonly store: ScoringStore;
  /** The last midnight, as the day that it begins. */
  readonly today: () => number;
  /** Yields to the rest of the process. */
  readonly yieldToEventLoop: () => Promise<void>;
  readonly signal: AbortSignal;
  /** Wallets per commit: few where requests wait for the process meanwhile. */
  readonly runSteps?: number;
  /** Rows per commit; a wallet's aren't divided. */
  readonly rowsAtOnce?: number;
  /** Arrivals processed together; what isn't finished of them is done again. */
  readonly arrivals?: number;
  /** Whether to leave the other arrivals for later: more come for as long as sources are read. */
  readonly isEnough?: () => boolean;
}

/** Progress of a build. */
export interface BuildProgress {
  /** Wallet numbers processed, and the highest. */
  readonly done: number;
  readonly all: number;
}

/** Computes score versions: new ones from scratch, and the live one as evidence arrives and days end. */
export class Evaluator {
  readonly #options: EvaluatorOptions;
  readonly #page: PageSize;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
    this.#page = new PageSize(options.runSteps ?? AT_ONCE);
  }

  /**
   * Builds a score version beside the live one, including what arrives meanwhile.
   * @throws RetryableError if another build has begun; the signal's reason
   */
  async build(
    evaluation: Evaluation,
    rules: NewScoreVersion,
    onProgress: (progress: BuildProgress) => void = () => undefined,
  ): Promise<ScoreVersion> {
    const { store, signal } = this.#options;
    const scoreVersion = await store.begin(rules);
    try {
      while (await store.removeLeftovers()) await this.#options.yieldToEventLoop();
      const ends = evaluation.ends(await store.inputs());
      const all = await store.highestWallet();
      for (let from = 0, to = 0; from < all; from = to) {
        to = from + this.#page.wallets;
        await this.#write(scoreVersion, { from, to }, progressOf(scoreVersion), (wallet) =>
          evaluation.score(wallet, scoreVersion.asOf, ends),
        );
        onProgress({ done: Math.min(all, to), all });
      }
      await this.#catchUp(scoreVersion, evaluation);
      return (await store.scoreVersion(scoreVersion.number)) ?? scoreVersion;
    } catch (error) {
      if (signal.aborted || !(error instanceof RetryableError))
        await store.discard(scoreVersion.number);
      throw error;
    }
  }

  /**
   * Brings the live score version up to date: the days that have ended, then the evidence that has
   * arrived.
   * @throws RetryableError if another process is doing so, or has switched score versions
   */
  async follow(scoreVersion: ScoreVersion, evaluation: Evaluation): Promise<void> {
    await this.#catchUp(scoreVersion, evaluation);
  }

  async #catchUp(scoreVersion: ScoreVersion, evaluation: Evaluation): Promise<void> {
    const { store, today, arrivals = ARRIVALS, isEnough } = this.#options;
    let at = progressOf(scoreVersion);
    let { isSettled } = scoreVersion;
    for (;;) {
      const arrived = await store.arrivals(at.arrived, arrivals);
      const asOf = Math.max(at.asOf, today());
      // They are of the same moment as the arrivals. Evidence that comes until it's read doesn't count yet.
      const ends = evaluation.ends(arrived.inputs);
      const settled = { arrived: arrived.upTo, asOf, ends: endsText(ends) };
      if (isSettled && isAt(at, settled)) return;
      const score = (wallet: WalletEvents) => evaluation.score(wallet, asOf, ends);
      const isMidnight = at.asOf < asOf || isAnotherDay(at.ends, settled.ends);
      const due = isMidnight
        ? await this.#takeMidnights(scoreVersion, at, evaluation.newestMidnight(ends, asOf), score)
        : [];
      const wallets = ascending(due, arrived.wallets);
      const finish = async (): Promise<ScoreVersionMove> => {
        // Imports come at any place, so that they can't be left out if they came after the arrivals.
        const isSame = wallets.length === 0 || isEqual(await store.imported(), arrived.imported);
        if (!arrived.isAll || !isSame) return { from: at, to: { ...settled, ends: at.ends } };
        return { from: at, to: settled, settles: { imported: arrived.imported } };
      };
      let move: ScoreVersionMove | undefined;
      for (let from = 0, end = 0; move === undefined; from = end) {
        end = from + this.#page.wallets;
        const numbers = wallets.slice(from, end);
        const isLast = end >= wallets.length;
        move = await this.#write(scoreVersion, { numbers }, at, score, isLast ? finish : undefined);
      }
      at = move.to;
      isSettled = move.settles !== undefined;
      if (isEnough?.() === true) return;
    }
  }

  /**
   * Each wallet processes its midnights in order, even when catching up.
   * @returns the last wallets, which are left to the caller
   */
  async #takeMidnights(
    scoreVersion: ScoreVersion,
    at: ScoreVersionProgress,
    newest: number,
    score: (wallet: WalletEvents) => WalletScore,
  ): Promise<readonly number[]> {
    let numbers: readonly number[] = [];
    let last: DueWallet | undefined;
    for (;;) {
      const limit = this.#page.wallets;
      const due = await this.#options.store.dueWallets(scoreVersion.number, newest, limit, last);
      last = due.at(-1);
      if (last === undefined) return numbers;
      if (numbers.length > 0) await this.#write(scoreVersion, { numbers }, at, score);
      numbers = due.map(({ number }) => number);
    }
  }

  /** @param finish says where this write leads, once its evidence is read; absent: nowhere */
  async #write(
    scoreVersion: ScoreVersion,
    selection: WalletSelection,
    at: ScoreVersionProgress,
    score: (wallet: WalletEvents) => WalletScore,
    finish?: () => Promise<ScoreVersionMove>,
  ): Promise<ScoreVersionMove | undefined> {
    const { store, signal, rowsAtOnce = ROWS_AT_ONCE } = this.#options;
    signal.throwIfAborted();
    const stay = { from: at, to: at };
    let scores: WalletScore[] = [];
    let rows = 0;
    const wallets = isNone(selection) ? [] : await store.evidence(selection);
    this.#page.saw(wallets.reduce((sum, { events }) => sum + events.length, 0));
    const move = await finish?.();
    for (const wallet of wallets) {
      if (rows >= rowsAtOnce) {
        await this.#put(scoreVersion, scores, stay);
        scores = [];
        rows = 0;
      }
      const next = score(wallet);
      scores.push(next);
      rows += next.rows.length;
    }
    await this.#put(scoreVersion, scores, move ?? stay);
    return move;
  }

  async #put(
    scoreVersion: ScoreVersion,
    scores: readonly WalletScore[],
    move: ScoreVersionMove,
  ): Promise<void> {
    const { store, signal, yieldToEventLoop } = this.#options;
    await yieldToEventLoop();
    signal.throwIfAborted();
    if (!(await store.write(scoreVersion.number, scores, move))) throw overtaken();
    await yieldToEventLoop();
  }
}

function isNone(selection: WalletSelection): boolean {
  return 'numbers' in selection && selection.numbers.length === 0;
}

/** Both, each once, in the order on disk. */
function ascending(some: readonly number[], others: readonly number[]): readonly number[] {
  if (some.length === 0) return others;
  return [...new Set([...some, ...others])].sort((one, other) => one - other);
}

function isAt(one: ScoreVersionProgress, other: ScoreVersionProgress): boolean {
  return one.arrived === other.arrived && one.asOf === other.asOf && one.ends === other.ends;
}

function isEqual(one: ImportedEvidence | undefined, other: ImportedEvidence | undefined): boolean {
  return one?.events === other?.events && one?.newest === other?.newest;
}

function progressOf({ arrived, asOf, ends }: ScoreVersion): ScoreVersionProgress {
  return { arrived, asOf, ends };
}

function overtaken(): RetryableError {
  return new RetryableError('Another process is applying rules. Try again.');
}

/**
 * Rejects rules whose version is taken by different rules, or is older than a known one.
 * @param known score versions of any name
 * @throws UserError `wrong-usage`
 */
export function requireNewMeaning(
  { name, version, hash }: Pick<ScoreVersion, 'name' | 'version' | 'hash'>,
  known: readonly Pick<ScoreVersion, 'name' | 'version' | 'hash'>[],
): void {
  const own = known.filter((each) => each.name === name);
  const highest = Math.max(0, ...own.map((each) => each.version));
  const same = own.find((each) => each.version === version);
  if (same !== undefined ? same.hash === hash : version > highest) return;
  throw new UserError(
    'wrong-usage',
    same === undefined
      ? `Version ${version} of ${name} is behind version ${highest}, which was applied before. Give these rules version ${highest + 1}.`
      : `Version ${version} of ${name} was already applied with different content. Give these rules version ${highest + 1}.`,
  );
}
