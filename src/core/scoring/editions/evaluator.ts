import { RetryableError, UserError } from '#core/errors';
import type {
  DueWallet,
  Edition,
  EditionProgress,
  NewEdition,
  WalletEvents,
  WalletScore,
} from './edition.ts';
import { endsText, isAnotherDay } from './ends.ts';
import type { Evaluation } from './evaluation.ts';
import { PageSize } from './page-size.ts';
import type { ScoringStore, WalletSelection } from './store.ts';

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
  readonly breathe: () => Promise<void>;
  readonly signal: AbortSignal;
  /** Wallets per commit: few where requests wait for the process meanwhile. */
  readonly atOnce?: number;
  /** Rows per commit; a wallet's aren't divided. */
  readonly rowsAtOnce?: number;
  /** Arrivals processed together; what isn't finished of them is done again. */
  readonly arrivals?: number;
  /** Whether to leave the other arrivals for later: more come for as long as sources are read. */
  readonly isEnough?: () => boolean;
}

/** Where an edition was before a write, and where it is after it. */
interface Move {
  readonly from: EditionProgress;
  readonly to: EditionProgress;
}

/** Progress of a build. */
export interface BuildProgress {
  /** Wallet numbers processed, and the highest. */
  readonly done: number;
  readonly all: number;
}

/** Computes editions: new ones from scratch, and the live one as evidence arrives and days end. */
export class Evaluator {
  readonly #options: EvaluatorOptions;
  readonly #page: PageSize;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
    this.#page = new PageSize(options.atOnce ?? AT_ONCE);
  }

  /**
   * Builds an edition beside the live one, including what arrives meanwhile.
   * @throws RetryableError if another build has begun; the signal's reason
   */
  async build(
    evaluation: Evaluation,
    rules: NewEdition,
    onProgress: (progress: BuildProgress) => void = () => undefined,
  ): Promise<Edition> {
    const { store, signal } = this.#options;
    const edition = await store.begin(rules);
    try {
      while (await store.removeLeftovers()) await this.#options.breathe();
      const ends = evaluation.ends(await store.inputs());
      const all = await store.highestWallet();
      for (let from = 0, to = 0; from < all; from = to) {
        to = from + this.#page.wallets;
        const at = { from: progressOf(edition), to: progressOf(edition) };
        await this.#write(edition, { from, to }, at, (wallet) =>
          evaluation.score(wallet, edition.asOf, ends),
        );
        onProgress({ done: Math.min(all, to), all });
      }
      await this.#catchUp(edition, evaluation);
      return (await store.edition(edition.number)) ?? edition;
    } catch (error) {
      if (signal.aborted || !(error instanceof RetryableError)) await store.discard(edition.number);
      throw error;
    }
  }

  /**
   * Brings the live edition up to date: the days that have ended, then the evidence that has
   * arrived.
   * @throws RetryableError if another process is doing so, or has switched editions
   */
  async follow(edition: Edition, evaluation: Evaluation): Promise<void> {
    await this.#catchUp(edition, evaluation);
  }

  async #catchUp(edition: Edition, evaluation: Evaluation): Promise<void> {
    const { store, today, arrivals = ARRIVALS, isEnough } = this.#options;
    let at = progressOf(edition);
    for (;;) {
      const { wallets, upTo } = await store.arrivals(at.arrived, arrivals);
      const day = Math.max(at.asOf, today());
      // Read after the arrivals, which may come from a verdict that these include, and before the
      // evidence, so that everything complete up to these ends is included.
      const ends = evaluation.ends(await store.inputs());
      const text = endsText(ends);
      const score = (wallet: WalletEvents) => evaluation.score(wallet, day, ends);
      if (at.asOf < day || isAnotherDay(at.ends, text)) {
        await this.#takeMidnights(edition, at, evaluation.newestMidnight(ends, day), score);
        const to = { ...at, asOf: day };
        if (at.asOf < day) await this.#move(edition, { from: at, to });
        at = to;
      }
      if (upTo === at.arrived) {
        if (at.ends !== text) await this.#move(edition, { from: at, to: { ...at, ends: text } });
        return;
      }
      const to = { ...at, arrived: upTo };
      for (let from = 0, end = 0; from < wallets.length; from = end) {
        end = from + this.#page.wallets;
        const numbers = wallets.slice(from, end);
        const isLast = end >= wallets.length;
        await this.#write(edition, { numbers }, { from: at, to: isLast ? to : at }, score);
      }
      at = to;
      // The scores don't stand on these ends yet.
      if (isEnough?.() === true) return;
    }
  }

  /** Each wallet processes its midnights in order, even when catching up. */
  async #takeMidnights(
    edition: Edition,
    at: EditionProgress,
    newest: number,
    score: (wallet: WalletEvents) => WalletScore,
  ): Promise<void> {
    let last: DueWallet | undefined;
    for (;;) {
      const limit = this.#page.wallets;
      const due = await this.#options.store.dueWallets(edition.number, newest, limit, last);
      last = due.at(-1);
      if (last === undefined) return;
      const numbers = due.map(({ number }) => number);
      await this.#write(edition, { numbers }, { from: at, to: at }, score);
    }
  }

  async #write(
    edition: Edition,
    selection: WalletSelection,
    move: Move,
    score: (wallet: WalletEvents) => WalletScore,
  ): Promise<void> {
    const { store, signal, rowsAtOnce = ROWS_AT_ONCE } = this.#options;
    signal.throwIfAborted();
    const stay = { from: move.from, to: move.from };
    let scores: WalletScore[] = [];
    let rows = 0;
    const wallets = await store.evidence(selection);
    this.#page.saw(wallets.reduce((sum, { events }) => sum + events.length, 0));
    for (const wallet of wallets) {
      if (rows >= rowsAtOnce) {
        await this.#put(edition, scores, stay);
        scores = [];
        rows = 0;
      }
      const next = score(wallet);
      scores.push(next);
      rows += next.rows.length;
    }
    await this.#put(edition, scores, move);
  }

  async #put(edition: Edition, scores: readonly WalletScore[], move: Move): Promise<void> {
    const { store, signal, breathe } = this.#options;
    await breathe();
    signal.throwIfAborted();
    if (!(await store.write(edition.number, scores, move))) throw overtaken();
    await breathe();
  }

  async #move(edition: Edition, move: Move) {
    const { store, signal } = this.#options;
    signal.throwIfAborted();
    if (!(await store.write(edition.number, [], move))) throw overtaken();
  }
}

function progressOf({ arrived, asOf, ends }: Edition): EditionProgress {
  return { arrived, asOf, ends };
}

function overtaken(): RetryableError {
  return new RetryableError('Another process is applying rules. Try again.');
}

/**
 * Rejects rules whose version is taken by different rules, or is older than a known one.
 * @param known editions of any name
 * @throws UserError `wrong-usage`
 */
export function requireNewMeaning(
  { name, version, hash }: Pick<Edition, 'name' | 'version' | 'hash'>,
  known: readonly Pick<Edition, 'name' | 'version' | 'hash'>[],
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
