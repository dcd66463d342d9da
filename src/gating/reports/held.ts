import { isActive } from '#gating/runs/planner';
import type { GateStore } from '#gating/store';
import { isHeldRemoval, memberCount, type Run } from './audit.ts';

/**
 * How many members a held run would remove something from, by the rules active now. Whoever was found above the bar
 * since, and everybody once a rule was edited, is read anew before anything is removed.
 */
export async function countHeld(
  store: Pick<GateStore, 'rulesOf' | 'changesOf' | 'grantsOf'>,
  { id, community }: Run,
): Promise<number> {
  const working = new Set((await store.rulesOf(community)).filter(isActive).map((it) => it.id));
  const planned = await store.changesOf(id, 'planned', -1, Number.MAX_SAFE_INTEGER);
  const held = planned.filter((it) => isHeldRemoval(it) && working.has(it.rule));
  const accounts = [...new Set(held.map(({ account }) => account))];
  const grants = accounts.length === 0 ? [] : await store.grantsOf(community, accounts);
  const below = new Set(grants.filter(({ lacks }) => lacks > 0).map(keyOf));
  return memberCount(held.filter((each) => below.has(keyOf(each))));
}

function keyOf({ rule, account }: { readonly rule: string; readonly account: string }): string {
  return `${rule} ${account}`;
}
