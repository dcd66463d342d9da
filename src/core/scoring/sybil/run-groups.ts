import type { Sequences } from './sequences.ts';

/** Actions in a row: `count` of them from the `first` on, from 0. */
export interface ActionRun {
  /** The wallet's place. */
  readonly place: number;
  readonly first: number;
}

/** Wallets that did the same actions in a row, one within some time of the one before it. */
export interface RunGroup {
  /** One of each wallet, in the order in which they began. */
  readonly runs: readonly ActionRun[];
  /** The most seconds between an action of one wallet and the same of the next. */
  readonly apart: number;
}

/** Groups that go on at the same time. */
const OPEN_MAX = 64;

interface OpenGroup {
  readonly runs: ActionRun[];
  readonly members: Set<number>;
  last: ActionRun;
  apart: number;
}

/**
 * Groups runs that are the same actions.
 * @param runs in the order in which they began
 * @param count actions of each run
 * @param withinSeconds the most between the same action of one wallet and the next
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
    // Whoever comes later is later still.
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
