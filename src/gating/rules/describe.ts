import type { Texts } from '#command/texts';
import type { Requirement, Rule } from './rule.ts';

/** `Whale or higher and badge voter, on Solana` */
export function needsOf(
  rule: Pick<Rule, 'requirements' | 'match' | 'chain'>,
  texts: Texts,
): string {
  const { gate } = texts;
  const between = ` ${rule.match === 'all' ? gate.and : gate.or} `;
  const needs = rule.requirements.map((each) => needOf(each, texts)).join(between);
  return rule.chain === undefined ? needs : `${needs}, ${gate.on(texts.chains[rule.chain])}`;
}

function needOf(requirement: Requirement, { gate, tiers, number }: Texts): string {
  switch (requirement.kind) {
    case 'tier':
      return gate.tier(tiers[requirement.tier]);
    case 'score':
      return gate.score(number(requirement.least));
    case 'badge':
      return gate.badge(requirement.badge);
    case 'top':
      return gate.top(number(requirement.most));
  }
}

/** Everything about a rule except its requirements. */
export function mannersOf(rule: Rule, texts: Texts): string {
  const { gate, number } = texts;
  const parts = [
    rule.graceSeconds === 0 ? gate.noGrace : gate.grace(number(rule.graceSeconds / 3600)),
  ];
  if (rule.exclusive) parts.push(gate.exclusive);
  if (rule.paused !== undefined) parts.push(`⏸ ${gate.paused[rule.paused]}`);
  return parts.join(' · ');
}
