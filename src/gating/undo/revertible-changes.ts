import type { Change, Run } from '#gating/reports/audit';
import type { GateStore } from '#gating/store';

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
