import { type Change, isOpen, memberCount, type Run } from '#gating/reports/audit';
import type { Community } from '#gating/rules/rule';
import type { GateStore } from '#gating/store';

/**
 * An undo that names no run asks first if the run it would undo may not be the one that's meant.
 */
export interface UndoQuestion {
  readonly why: /** The last run, which waits for an answer. */
    | 'held'
    /** The last run. */
    | 'unchanged'
    /** The last run. */
    | 'undone'
    /** The undo of the last run. */
    | 'undo-stopped'
    /** The last undo, part of which the platform refused or didn't answer. */
    | 'undo-partial'
    /** More than a day ago. */
    | 'old'
    /** Only checks of single members have changed anything since. */
    | 'look'
    /** More than five members would lose something. */
    | 'many';
  /** The last run that changed anything; an undo has to name it. */
  readonly asksAbout: Run;
  /** Members who would lose something. */
  readonly losing: number;
  /** What the last undo didn't restore. */
  readonly left?: readonly Change[];
}

/** What an undo without a run's id refers to. */
export type UndoTarget =
  | { readonly run: Run; readonly isBegun: boolean }
  | Omit<UndoQuestion, 'losing'>
  | undefined;

/** Runs searched for the last one. */
const AMONG = 200;
/** Seconds after which a run has to be named to be undone. */
const RECENT = 86_400;

/**
 * Finds the run that an undo without an id refers to: the last one that was active. Checks of
 * single members don't count, as they'd hide the pass that's meant.
 * @param now seconds since 1970
 */
export async function undoTarget(
  store: Pick<GateStore, 'run' | 'runsOf' | 'changesOf' | 'undosOf'>,
  community: Community,
  now: number,
): Promise<UndoTarget> {
  // If two are open, the undo is the newer one: it waits for the other. By no date: clocks may be set back.
  const runs = (await store.runsOf(community, AMONG)).toSorted(
    (a, b) => Number(isOpen(b)) - Number(isOpen(a)),
  );
  const passes = runs.filter(({ cause }) => cause !== 'member');
  const [last] = passes;
  if (last !== undefined && isOpen(last)) {
    if (last.cause !== 'undo') return { run: last, isBegun: false };
    const undone = last.undoes === undefined ? undefined : await store.run(last.undoes);
    return undone && { run: undone, isBegun: true };
  }
  const partly = last?.cause === 'undo' ? await partlyUndone(store, last) : undefined;
  if (partly !== undefined) return partly;
  const looks = runs.filter(({ cause }) => cause === 'member');
  for (const run of [...passes, ...looks]) {
    if (run.cause === 'undo' || run.status === 'undone' || run.id === last?.undoes) continue;
    if ((await store.changesOf(run.id, 'done', -1, 1)).length === 0) continue;
    const why = whyAsk(run, last, now);
    return why === undefined ? { run, isBegun: false } : { why, asksAbout: run };
  }
  return undefined;
}

/** Asks about the run that the last undo reverted only in part. */
async function partlyUndone(
  store: Pick<GateStore, 'run' | 'changesOf' | 'undosOf'>,
  undo: Run,
): Promise<Omit<UndoQuestion, 'losing'> | undefined> {
  const run = undo.undoes === undefined ? undefined : await store.run(undo.undoes);
  if (run === undefined || run.status === 'undone') return undefined;
  if ((await revertibleChanges(store, run)).length === 0) return undefined;
  const changes = await store.changesOf(undo.id, undefined, -1, Number.MAX_SAFE_INTEGER);
  const why = undo.status === 'stopped' ? 'undo-stopped' : 'undo-partial';
  return { why, asksAbout: run, left: changes.filter(canBeTriedAgain) };
}

function whyAsk(run: Run, last: Run | undefined, now: number): UndoQuestion['why'] | undefined {
  if (last?.cause === 'undo' || last?.status === 'undone') return 'undone';
  if (run.cause === 'member' && last === undefined) return 'look';
  if (run.id !== last?.id) return last?.status === 'held' ? 'held' : 'unchanged';
  return (run.finishedAt ?? run.startedAt) > now - RECENT ? undefined : 'old';
}

/**
 * How many members lose something if a run is undone: nobody who is protected, or has lost it or got it from others
 * since, as far as is known.
 */
export async function losingBy(
  store: Pick<GateStore, 'grantsOf' | 'protectedAmong'>,
  community: Community,
  done: readonly Change[],
): Promise<number> {
  const given = done.filter(({ step }) => step === 'give');
  if (given.length === 0) return 0;
  const accounts = [...new Set(given.map(({ account }) => account))];
  const known = await store.grantsOf(community, accounts);
  const others = new Set(
    known
      .filter(({ ownership }) => ownership !== 'ours')
      .map(({ rule, account }) => `${rule} ${account}`),
  );
  const spared = await store.protectedAmong(community, accounts);
  return memberCount(
    given.filter(({ rule, account }) => !others.has(`${rule} ${account}`) && !spared.has(account)),
  );
}

const PAGE = 1_000;
/** Reasons for skipping a change of an undo that can be retried. All others are final. */
const UNTRIED: readonly string[] = ['stopped', 'no-answer', 'not-done', 'other-missing'];

/**
 * Whether an undo didn't restore this and another one could: the platform refused, or was never
 * asked.
 */
export function canBeTriedAgain({ status, reason }: Change): boolean {
  return status === 'skipped' ? UNTRIED.includes(reason) : status !== 'done';
}

/** What a run has changed and no undo has restored yet, or found to be no longer the run's. */
export async function revertibleChanges(
  store: Pick<GateStore, 'changesOf' | 'undosOf'>,
  run: Run,
): Promise<readonly Change[]> {
  const settled = new Set<string>();
  for (const undo of await store.undosOf(run)) {
    for (const change of await changesIn(store, undo, undefined)) {
      if (!canBeTriedAgain(change)) settled.add(keyOf(change));
    }
  }
  const done = await changesIn(store, run, 'done');
  return done.filter((change) => !settled.has(keyOf(change)));
}

/** A run changes each thing about a member once. */
function keyOf({ rule, account, grant }: Change): string {
  return `${rule} ${account} ${grant}`;
}

async function changesIn(
  store: Pick<GateStore, 'changesOf'>,
  { id }: Run,
  status: 'done' | undefined,
): Promise<readonly Change[]> {
  const found: Change[] = [];
  for (let after = -1; ; ) {
    const page = await store.changesOf(id, status, after, PAGE);
    const last = page.at(-1);
    if (last === undefined) return found;
    found.push(...page);
    after = last.number;
  }
}
