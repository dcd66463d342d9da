import type { Texts } from '#command/texts';
import type { Shortfall } from '#gating/decide/shortfall';
import { kindOf } from '#gating/requirements/index';
import type { UpperBound } from '#gating/requirements/kind';
import type { ReputationSource } from '#reputation';
import type { Rule } from './rule.ts';

/** The same for people to read: with the names of badges, where the source tells them, in place of their ids. */
export function namedRule(rule: Rule, source: Pick<ReputationSource, 'badgeWithId'>): Rule {
  const requirements = rule.requirements.map((each) =>
    each.kind === 'badge'
      ? { ...each, badge: source.badgeWithId?.(each.badge)?.name ?? each.badge }
      : each,
  );
  return { ...rule, requirements };
}

/** `Shark or higher and badge Voter, but below Whale, on Solana`. @param rule as `namedRule` makes it */
export function needsOf(
  rule: Pick<Rule, 'requirements' | 'match' | 'chain' | 'bounds'>,
  texts: Texts,
): string {
  const { gate } = texts;
  const between = ` ${rule.match === 'all' ? gate.and : gate.or} `;
  const bounds = (rule.bounds ?? []).map((each) => boundOf(each, texts));
  const met = rule.requirements.map((each) => kindOf(each).needText(each, texts)).join(between);
  const needs = bounds.length === 0 ? met : `${met}${gate.but}${bounds.join(` ${gate.and} `)}`;
  return rule.chain === undefined ? needs : `${needs}, ${gate.on(texts.chains[rule.chain])}`;
}

function boundOf(bound: UpperBound, { gate, tiers, number }: Texts): string {
  if (bound.kind === 'below') return gate.below(tiers[bound.tier]);
  return gate.most(bound.score, number(bound.score));
}

/** `1,810 points to Titan` */
export function shortfallText(shortfall: Shortfall, texts: Texts): string {
  const { access, tiers, number } = texts;
  switch (shortfall.kind) {
    case 'below':
      return access.below(tiers[shortfall.tier]);
    case 'most':
      return access.tooMany(shortfall.points, number(shortfall.points));
    default:
      return kindOf(shortfall).shortfallText(shortfall, texts);
  }
}

/** Everything about a rule except its requirements. */
export function ruleSettingsText(rule: Rule, texts: Texts): string {
  const { gate } = texts;
  const parts = [graceText(rule, texts)];
  if (rule.exclusive) parts.push(gate.exclusive);
  if (rule.isHidden === true) parts.push(gate.isHidden);
  if (rule.paused !== undefined) parts.push(`⏸ ${gate.paused[rule.paused]}`);
  return parts.join(' · ');
}

export function graceText({ graceSeconds }: Pick<Rule, 'graceSeconds'>, texts: Texts): string {
  const { gate, number } = texts;
  return graceSeconds === 0 ? gate.noGrace : gate.grace(number(graceSeconds / 3600));
}
