import { isHeldBy } from '#gating/decide/grant';
import type { Community } from '#gating/rules/rule';
import { isActive } from '#gating/runs/planner';
import type { GateStore } from '#gating/store';
import { isHeldRemoval, memberCount, type Run } from './audit.ts';

/** Members are read in pages of this size. */
const PAGE = 1_000;

type HeldStore = Pick<GateStore, 'rulesOf' | 'changesOf' | 'grantsOf' | 'membersAfter'>;

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
  const spared = await protectedIn(store, community);
  return memberCount(held.filter((each) => below.has(keyOf(each)) && !spared.has(each.account)));
}

/** Accounts from which nothing is removed. */
export async function protectedIn(
  store: Pick<GateStore, 'membersAfter'>,
  community: Community,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let after = ''; ; ) {
    const page = await store.membersAfter(community, after, PAGE);
    for (const { account, isProtected } of page) if (isProtected) found.add(account);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return found;
    after = last.account;
  }
}

function keyOf({ rule, account }: { readonly rule: string; readonly account: string }): string {
  return `${rule} ${account}`;
}
