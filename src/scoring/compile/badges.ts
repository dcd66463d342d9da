import { daysOf } from '#base';
import type { FileFaults } from '#scoring/faults';
import type { RulesText } from '#scoring/grammar/file';
import type { BadgeNeed, RuleBadge } from '#scoring/model';

type BadgeText = NonNullable<RulesText['badges']>[number];

/**
 * @param types activity types that the rules give
 * @param given ids of badges that rules award
 */
export function buildBadges(
  texts: readonly BadgeText[],
  types: ReadonlySet<string>,
  given: ReadonlySet<string>,
  faults: FileFaults,
): RuleBadge[] {
  return texts.map((text, index) => {
    const path = ['badges', index];
    const { need, keep, soulbound, imageUrl = '', ...definition } = text;
    if (keep !== undefined && need === undefined) {
      faults.at([...path, 'keep'], '"keep" is for badges with "need".');
    }
    if (need !== undefined && given.has(text.id)) {
      faults.at(path, 'A badge is given by a rule or has "need", not both.');
    }
    if (need !== undefined && 'type' in need && !types.has(need.type)) {
      faults.at([...path, 'need', 'type'], `No rule gives activities of type "${need.type}".`);
    }
    return {
      definition: { ...definition, imageUrl, soulbound: soulbound === 'true' },
      need: need && buildNeed(need),
      isKeptWhile: keep === 'while',
    };
  });
}

function buildNeed(text: NonNullable<BadgeText['need']>): BadgeNeed {
  if ('score' in text) return { kind: 'score', score: Number(text.score) };
  const { type, count, within } = text;
  const withinDays = within === undefined ? undefined : daysOf(within);
  return { kind: 'count', type, count: Number(count), withinDays };
}
