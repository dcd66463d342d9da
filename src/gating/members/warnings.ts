import { RetryableError } from '#base';
import { type Account, type Card, noteCard } from '#command';
import type { Texts } from '#command/texts';
import type { CommunityAdapter } from '#gating/community-adapter';
import { dueOf } from '#gating/decide/grant';
import { type Community, isEntry, isSame, type Rule } from '#gating/rules/rule';
import { type Finding, isActive } from '#gating/runs/planner';
import type { GateStore } from '#gating/store';

/** Something that an account will lose. */
export interface Warning {
  readonly rule: Rule;
  /** Seconds since 1970. */
  readonly dueAt: number;
  /** Where they'll lose it, if that's not where they read it; undefined where nobody can tell its name now. */
  readonly elsewhere?: { readonly name: string | undefined };
}

interface WarningParts {
  readonly store: Pick<GateStore, 'communitiesOf' | 'grantsOf' | 'rulesOf'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  /** Deadline by which somebody who asks expects an answer. */
  readonly patience: () => Promise<void>;
}

/**
 * What an account will lose if its wallets stay as they are.
 * @param here the community where they read it
 * @throws RetryableError
 */
export async function warningsOf(
  parts: WarningParts,
  { platform, id }: Account,
  here: Community | undefined,
): Promise<readonly Warning[]> {
  const { store } = parts;
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
  const away = warnings
    .filter(({ rule }) => !isThere(rule, here))
    .map(({ rule }) => rule.community.id);
  const named = [...new Set(away)].map(
    async (community) => [community, await nameOf(parts, { platform, id: community })] as const,
  );
  const names = new Map(await Promise.all(named));
  return warnings.map((each) => {
    const { id: community } = each.rule.community;
    return names.has(community) ? { ...each, elsewhere: { name: names.get(community) } } : each;
  });
}

/** Roles of several communities may have one name; entry has the community's own. */
function isThere(rule: Rule, here: Community | undefined): boolean {
  return isEntry(rule) || (here !== undefined && isSame(rule.community, here));
}

async function nameOf(
  { adapterOf, patience }: WarningParts,
  { platform, id }: Community,
): Promise<string | undefined> {
  const asked = Promise.resolve(adapterOf(platform)?.communityName?.(id));
  const found = asked.catch((error: unknown) => {
    if (error instanceof RetryableError) return undefined;
    throw error;
  });
  return await Promise.race([found, patience().then(() => undefined)]);
}

/** Tells a member what they'll lose and how to keep it. Contains no link and no button. */
export function warningCard({ rule, grant }: Finding, texts: Texts): Card {
  const { gate } = texts;
  const card = noteCard('warning', gate.warningTitle, '');
  return {
    ...card,
    language: texts.language,
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
