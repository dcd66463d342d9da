import type { Texts } from '#command/texts';
import type { Requirement, Rule, UpperBound } from './rule.ts';

/** `Shark or higher and badge voter, but below Whale, on Solana` */
export function needsOf(
  rule: Pick<Rule, 'requirements' | 'match' | 'chain' | 'bounds'>,
  texts: Texts,
): string {
  const { gate } = texts;
  const between = ` ${rule.match === 'all' ? gate.and : gate.or} `;
  const bounds = (rule.bounds ?? []).map((each) => boundOf(each, texts));
  const met = rule.requirements.map((each) => needOf(each, texts)).join(between);
  const needs = bounds.length === 0 ? met : `${met}${gate.but}${bounds.join(` ${gate.and} `)}`;
  return rule.chain === undefined ? needs : `${needs}, ${gate.on(texts.chains[rule.chain])}`;
}

function needOf(requirement: Requirement, { gate, tiers, number }: Texts): string {
  switch (requirement.kind) {
    case 'tier':
      return gate.tier(tiers[requirement.tier]);
    case 'score':
      return gate.score(requirement.least, number(requirement.least));
    case 'badge':
      return gate.badge(requirement.badge);
    case 'top':
      return gate.top(number(requirement.most));
  }
}

function boundOf(bound: UpperBound, { gate, tiers, number }: Texts): string {
  if (bound.kind === 'below') return gate.below(tiers[bound.tier]);
  return gate.most(bound.score, number(bound.score));
}

/** Everything about a rule except its requirements. */
export function mannersOf(rule: Rule, texts: Texts): string {
  const { gate, number } = texts;
  const parts = [
    rule.graceSeconds === 0 ? gate.noGrace : gate.grace(number(rule.graceSeconds / 3600)),
  ];
  if (rule.exclusive) parts.push(gate.exclusive);
  if (rule.isHidden === true) parts.push(gate.isHidden);
  if (rule.paused !== undefined) parts.push(`⏸ ${gate.paused[rule.paused]}`);
  return parts.join(' · ');
}
