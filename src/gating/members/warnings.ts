import { type Account, type Card, noteCard } from '#command';
import type { Texts } from '#command/texts';
import { dueOf } from '#gating/decide/grant';
import type { Rule } from '#gating/rules/rule';
import { type Finding, isActive } from '#gating/runs/planner';
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
    for (const ofRole of Map.groupBy(rules, ({ grant }) => grant).values()) {
      const due = grants.flatMap((grant) => {
        const rule = ofRole.find((each) => each.id === grant.rule);
        const dueAt = dueOf(grant);
        return rule === undefined || dueAt === undefined ? [] : [{ rule, dueAt }];
      });
      warnings.push(...due.toSorted((a, b) => b.dueAt - a.dueAt).slice(0, 1));
    }
  }
  return warnings;
}

/** Tells a member what they'll lose and how to keep it. Contains no link and no button. */
export function warningCard({ rule, grant }: Finding, texts: Texts): Card {
  const { gate } = texts;
  const card = noteCard('warning', gate.warningTitle, '');
  return {
    ...card,
    blocks: [
      {
        kind: 'text',
        spans: [
          `${gate.warning(rule.grantName)} `,
          ...(grant.dueAt === undefined ? [] : [{ time: grant.dueAt, style: 'clock' as const }]),
        ],
      },
      { kind: 'text', spans: [gate.warningNext] },
    ],
  };
}
