import type { Sequences } from './sequences.ts';

/** Consecutive actions: `count` of them, starting at index `first`. */
export interface ActionRun {
  /** The wallet's index. */
  readonly place: number;
  readonly first: number;
}

/** Wallets that did the same actions in a row, each soon after the previous one. */
export interface RunGroup {
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
export function groupRuns(
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
