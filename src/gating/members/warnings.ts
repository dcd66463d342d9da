import type { Account } from '#command';
import { dueOf } from '#gating/decide/grant';
import type { Rule } from '#gating/rules/rule';
import { isActive } from '#gating/runs/planner';
import type { GateStore } from '#gating/store';

/** Something that an account will lose. */
export interface Warning {
  readonly rule: Rule;
  /** Seconds since 1970. */
  readonly dueAt: number;
}

/** What an account will lose if its wallets stay as they are. @throws RetryableError */
export async function warningsOf(
  store: Pick<GateStore, 'communitiesOf' | 'grantsOf' | 'rulesOf'>,
  { platform, id }: Account,
): Promise<readonly Warning[]> {
  const warnings: Warning[] = [];
  for (const community of await store.communitiesOf(platform, id)) {
    const grants = await store.grantsOf(community, [id]);
    if (grants.every((grant) => dueOf(grant) === undefined)) continue;
    const rules = (await store.rulesOf(community)).filter(isActive);
    // Rules for the same role remove it together, on the last day that any of them names.
    for (const its of Map.groupBy(rules, ({ grant }) => grant).values()) {
      const due = grants.flatMap((grant) => {
        const rule = its.find((each) => each.id === grant.rule);
        const dueAt = dueOf(grant);
        return rule === undefined || dueAt === undefined ? [] : [{ rule, dueAt }];
      });
      warnings.push(...due.toSorted((a, b) => b.dueAt - a.dueAt).slice(0, 1));
    }
  }
  return warnings;
}
