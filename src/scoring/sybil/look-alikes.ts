import type { WalletEvents } from '#scoring/score-versions/score-version';
import { Growing, Sequences } from './sequences.ts';

/** Consecutive actions: `count` of them, starting at index `first`. */
interface ActionRun {
  /** The wallet's index. */
  readonly place: number;
  readonly first: number;
}

/** Wallets that did the same actions in a row, each soon after the previous one. */
interface RunGroup {
  /** One per wallet, in the order they began. */
  readonly runs: readonly ActionRun[];
  /** The most seconds between one wallet's action and the next wallet's same action. */
  readonly apart: number;
}

/** How many groups may be open at the same time. */
const OPEN_MAX = 64;

interface OpenGroup {
  readonly runs: ActionRun[];
  readonly members: Set<number>;
  last: ActionRun;
  apart: number;
}

/**
 * Groups runs of the same actions.
 * @param runs in the order they began
 * @param count actions per run
 * @param withinSeconds the most between one wallet's action and the next wallet's same action
 */
function groupRuns(
  sequences: Sequences,
  runs: Iterable<ActionRun>,
  count: number,
  withinSeconds: number,
): RunGroup[] {
  const groups: RunGroup[] = [];
  let open: OpenGroup[] = [];
  const begin = ({ place, first }: ActionRun) => sequences.time(place, first);
  for (const run of runs) {
    // Later runs begin even later.
    const isOver = ({ last }: OpenGroup) => begin(run) - begin(last) > withinSeconds;
    for (const each of open) if (isOver(each)) groups.push(each);
    open = open.filter((each) => !isOver(each));
    if (open.some(({ members }) => members.has(run.place))) continue;
    const own = open.find(({ last }) => gapOf(sequences, last, run, count) <= withinSeconds);
    if (own === undefined) {
      const [oldest] = open.length < OPEN_MAX ? [] : open.splice(0, 1);
      if (oldest !== undefined) groups.push(oldest);
      open.push({ runs: [run], members: new Set([run.place]), last: run, apart: 0 });
    } else {
      own.apart = Math.max(own.apart, gapOf(sequences, own.last, run, count));
      own.runs.push(run);
      own.members.add(run.place);
      own.last = run;
    }
  }
  return [...groups, ...open];
}

/** The most seconds between the same actions of two runs. */
function gapOf(sequences: Sequences, one: ActionRun, other: ActionRun, count: number): number {
  let most = 0;
  for (let i = 0; i < count; i += 1) {
    const apart =
      sequences.time(one.place, one.first + i) - sequences.time(other.place, other.first + i);
    most = Math.max(most, Math.abs(apart));
  }
  return most;
}

/** When wallets count as alike. */
export interface LookAlikeOptions {
  /** The most seconds between one wallet's action and the next wallet's same action. */
  readonly withinSeconds: number;
  /** The fewest actions of a wallet; with fewer, many are alike by chance. */
  readonly leastActions: number;
  /** How many actions in a row make wallets alike, whatever else they did. */
  readonly leastRun: number;
  /** The fewest wallets in a group. */
  readonly leastWallets: number;
}

/** Wallets that did the same things in the same order within minutes of each other. */
export interface LookAlikes {
  /** The wallets' numbers, in the order they began. */
  readonly wallets: readonly number[];
  /** The actions they share. */
  readonly actions: readonly string[];
  /** Whether they did nothing else. */
  readonly isAll: boolean;
  /** Seconds since 1970: the first wallet's first action, and the last wallet's last. */
  readonly from: number;
  readonly to: number;
  /** The most seconds between one wallet's action and the next wallet's same action. */
  readonly apart: number;
}

/** A group by its runs, with `count` actions each. */
interface Found {
  readonly runs: readonly ActionRun[];
  readonly count: number;
  readonly isAll: boolean;
  readonly apart: number;
}

/** How many runs to sort at once; if there are more, they're sorted in several ranges of hashes. */
const RUNS_AT_ONCE = 1_000_000;
/** How many groups by runs to keep; the first ones found. */
const FOUND_MAX = 100_000;

/** Finds wallets that act alike: in everything they did, or in a long run of actions among others. */
export class LookAlikeSearch {
  readonly #options: LookAlikeOptions;
  readonly #sequences: Sequences;

  constructor(options: LookAlikeOptions) {
    this.#options = options;
    this.#sequences = new Sequences(Math.min(options.leastActions, options.leastRun));
  }

  add(wallet: WalletEvents): void {
    this.#sequences.add(wallet);
  }

  /** The groups, largest first, without those whose wallets are all in larger ones. */
  groups(): LookAlikes[] {
    const found = [...this.#alikeInAll(), ...this.#alikeInRuns()];
    return withoutListed(found)
      .map((each) => this.#told(each))
      .sort((one, other) => other.wallets.length - one.wallets.length || one.from - other.from);
  }

  /** Wallets that did exactly the same things. */
  #alikeInAll(): Found[] {
    const { leastActions } = this.#options;
    const all = new HashedRuns();
    for (let place = 0; place < this.#sequences.length; place += 1) {
      const count = this.#sequences.count(place);
      if (count >= leastActions) all.add(hashOf(this.#sequences, place, 0, count), place, 0);
    }
    return this.#grouped(all, undefined);
  }

  /** Wallets that did some things in the same order without others in between. */
  #alikeInRuns(): Found[] {
    const sequences = this.#sequences;
    const { leastRun } = this.#options;
    const parts = Math.ceil(sequences.actions / RUNS_AT_ONCE);
    const found: Found[] = [];
    for (let part = 0; part < parts && found.length < FOUND_MAX; part += 1) {
      const runs = new HashedRuns();
      for (let place = 0; place < sequences.length; place += 1) {
        const last = sequences.count(place) - leastRun;
        for (let first = 0; first <= last; first += 1) {
          const hash = hashOf(sequences, place, first, leastRun);
          if (hash % parts === part) runs.add(hash, place, first);
        }
      }
      for (const each of this.#grouped(runs, leastRun)) found.push(each);
    }
    return joined(found.slice(0, FOUND_MAX));
  }

  /** @param length actions per run; undefined for all of a wallet's actions */
  #grouped(runs: HashedRuns, length: number | undefined): Found[] {
    const { withinSeconds, leastWallets } = this.#options;
    const isAll = length === undefined;
    const order = runs.inOrder((run) => this.#begin(run));
    const found: Found[] = [];
    for (let from = 0; from < order.length; ) {
      const hash = runs.hash(order[from] as number);
      let to = from + 1;
      while (to < order.length && runs.hash(order[to] as number) === hash) to += 1;
      if (to - from >= leastWallets) {
        const same = Array.from(order.subarray(from, to), (at) => runs.run(at));
        const count = length ?? this.#sequences.count((same[0] as ActionRun).place);
        for (const { runs: own, apart } of groupRuns(this.#sequences, same, count, withinSeconds)) {
          if (own.length >= leastWallets) found.push({ runs: own, count, isAll, apart });
        }
      }
      from = to;
    }
    return found;
  }

  #begin({ place, first }: ActionRun): number {
    return this.#sequences.time(place, first);
  }

  #told({ runs, count, isAll, apart }: Found): LookAlikes {
    const sequences = this.#sequences;
    const [{ place, first }] = runs as readonly [ActionRun, ...ActionRun[]];
    const begins = runs.map((run) => this.#begin(run));
    const ends = runs.map((run) => sequences.time(run.place, run.first + count - 1));
    return {
      wallets: runs.map((run) => sequences.wallet(run.place)),
      actions: sequences.names(place, first, first + count),
      isAll: isAll || runs.every((run) => sequences.count(run.place) === count),
      from: begins.reduce((least, each) => Math.min(least, each)),
      to: ends.reduce((most, each) => Math.max(most, each)),
      apart,
    };
  }
}

/** Runs with hashes of their actions, 20 bytes each. */
class HashedRuns {
  readonly #highs = new Growing();
  readonly #lows = new Growing();
  readonly #places = new Growing();
  readonly #firsts = new Growing();

  add(hash: number, place: number, first: number): void {
    this.#highs.push(Math.floor(hash / 2 ** 32));
    this.#lows.push(hash % 2 ** 32);
    this.#places.push(place);
    this.#firsts.push(first);
  }

  hash(at: number): number {
    return this.#highs.at(at) * 2 ** 32 + this.#lows.at(at);
  }

  run(at: number): ActionRun {
    return { place: this.#places.at(at), first: this.#firsts.at(at) };
  }

  /** By hash, then by start. */
  inOrder(begin: (run: ActionRun) => number): Uint32Array {
    return Uint32Array.from({ length: this.#places.length }, (_, at) => at).sort(
      (a, b) =>
        this.#highs.at(a) - this.#highs.at(b) ||
        this.#lows.at(a) - this.#lows.at(b) ||
        begin(this.run(a)) - begin(this.run(b)) ||
        a - b,
    );
  }
}

/** Merges overlapping runs of the same wallets: ten shared actions make five shared runs of six. */
function joined(found: readonly Found[]): Found[] {
  const byWallets = Map.groupBy(found, ({ runs }) => runs.map(({ place }) => place).join());
  return [...byWallets.values()].flatMap((same) => {
    const inOrder = same.toSorted((one, other) => firstOf(one) - firstOf(other));
    const longer: Found[] = [];
    for (const next of inOrder) {
      const last = longer.at(-1);
      const by = last === undefined ? 0 : firstOf(next) - firstOf(last);
      const isSame =
        last !== undefined &&
        by <= last.count &&
        next.runs.every((run, i) => run.first - (last.runs[i] as ActionRun).first === by);
      if (!isSame) longer.push(next);
      else {
        const count = by + next.count;
        longer[longer.length - 1] = { ...last, count, apart: Math.max(last.apart, next.apart) };
      }
    }
    return longer;
  });
}

function firstOf({ runs }: Found): number {
  return (runs[0] as ActionRun).first;
}

/** Leaves out groups whose wallets are all in larger groups, or in groups that share more actions. */
function withoutListed(found: readonly Found[]): Found[] {
  const listed = new Set<number>();
  const largestFirst = found.toSorted(
    (one, other) => other.runs.length - one.runs.length || other.count - one.count,
  );
  return largestFirst.filter(({ runs }) => {
    const before = listed.size;
    for (const { place } of runs) listed.add(place);
    return listed.size > before;
  });
}

/** A hash of some consecutive actions' kinds: an integer up to 2^53, different for nearly all others. */
function hashOf(sequences: Sequences, place: number, first: number, count: number): number {
  let [high, low] = [0x811c9dc5, 0x9e3779b9];
  for (let i = first; i < first + count; i += 1) {
    const kind = sequences.kind(place, i);
    high = Math.imul(high ^ kind, 0x01000193) ^ (low >>> 15);
    low = Math.imul(low ^ (kind + 0x7f4a7c15), 0x85ebca6b) ^ (high >>> 13);
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
