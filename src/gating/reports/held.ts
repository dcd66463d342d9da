import { isHeldBy } from '#gating/decide/grant';
import { isActive } from '#gating/runs/planner';
import type { GateStore } from '#gating/store';
import { isHeldRemoval, memberCount, type Run } from './audit.ts';

type HeldStore = Pick<GateStore, 'rulesOf' | 'changesOf' | 'grantsOf' | 'protectedAmong'>;

/**
 * How many members a held run would remove something from, by the rules active now. Whoever was found above the bar
 * since, and everybody once a rule was edited, is read anew before anything is removed. Whoever was protected since,
 * or given it by hand, keeps it.
 */
export async function countHeld(store: HeldStore, { id, community }: Run): Promise<number> {
  const working = new Map(
    (await store.rulesOf(community)).filter(isActive).map((rule) => [rule.id, rule]),
  );
  const planned = await store.changesOf(id, 'planned', -1, Number.MAX_SAFE_INTEGER);
  const held = planned.filter((it) => isHeldRemoval(it) && working.has(it.rule));
  const accounts = [...new Set(held.map(({ account }) => account))];
  if (accounts.length === 0) return 0;
  const grants = await store.grantsOf(community, accounts);
  const losing = grants.filter((grant) => {
    const rule = working.get(grant.rule);
    return grant.lacks > 0 && rule !== undefined && isHeldBy(rule, grant);
  });
  const below = new Set(losing.map(keyOf));
  const spared = await store.protectedAmong(community, accounts);
  return memberCount(held.filter((each) => below.has(keyOf(each)) && !spared.has(each.account)));
}

function keyOf({ rule, account }: { readonly rule: string; readonly account: string }): string {
  return `${rule} ${account}`;
}
