import { UserError } from '#base';
import type { Block, Card } from '#command';
import type { CommandContext } from '#commands/answering/command';
import {
  type AskedRequirements,
  DEFAULT_GRACE,
  ENTRY,
  isImpossible,
  type Moderation,
  needsOf,
  type Requirement,
  type Rule,
  type RuleDraft,
  type RuleEdit,
  type RuleResult,
  readRequirements,
  ruleSettingsText,
  tierNamed,
  type UpperBound,
} from '#gating';
import type { Tier } from '#reputation';
import { type ChainCode, chainOfCode } from '#wallet';
import { stillBarredBlocks } from './settings.ts';
import { commonButtons, gateCard, requireOption, textBlock } from './shared.ts';

/** What the options of `add` and `edit` give. */
interface Given extends AskedRequirements {
  readonly role: string | undefined;
  readonly rule: string | undefined;
  readonly below: string | null | undefined;
  readonly most: number | null | undefined;
  readonly chain: ChainCode | null | undefined;
  readonly match: 'all' | 'any' | undefined;
  readonly exclusive: 'yes' | 'no' | undefined;
  readonly hidden: 'yes' | 'no' | undefined;
  readonly grace: number | undefined;
}

const LOWEST: Tier = 'Shrimp';

/** @throws UserError `gate-empty-rule`, and what `Gating.add` throws */
export async function newRule(
  context: CommandContext,
  moderation: Moderation,
  given: Given,
): Promise<Card> {
  const { gating, community, traits, by } = moderation;
  const requirements = readRequirements(given);
  const bounds = boundsOf(given);
  const grant = traits.grants === 'role' ? requireOption(given.role, 'role', context) : ENTRY;
  const draft: RuleDraft = {
    grant,
    requirements: requirementsWith(bounds, requirements),
    match: given.match ?? 'all',
    chain: given.chain ? chainOfCode(given.chain) : undefined,
    bounds,
    exclusive: given.exclusive === 'yes',
    ...(given.hidden === 'yes' && { isHidden: true }),
    graceSeconds: given.grace === undefined ? DEFAULT_GRACE : given.grace * 3600,
  };
  const before = await gating.choices.rungsOf(community);
  const result = await gating.add(community, draft, by);
  const made = resultCard(context, gating, result, context.texts.gate.addedTitle);
  const card = withBlocks(made, await ladderBlocks(context, moderation, before, grant));
  if (result.rule === undefined || grant === ENTRY) return card;
  const barred = stillBarredBlocks(await gating.barring.on(community, [grant]), context.texts);
  return withBlocks(card, barred);
}

/** What is left out stays as it was; requirements and bounds are replaced, or end, kind by kind. */
export async function changeRule(
  context: CommandContext,
  moderation: Moderation,
  given: Given,
): Promise<Card> {
  const { gating, community, by } = moderation;
  const id = requireOption(given.rule, 'rule', context);
  // Somebody else may change the rest of it at this moment.
  const edit = (rule: Rule): RuleEdit => ({
    ...needsAfter(rule, given),
    ...(given.match !== undefined && { match: given.match }),
    ...(given.chain !== undefined && {
      chain: given.chain === null ? undefined : chainOfCode(given.chain),
    }),
    ...(given.exclusive !== undefined && { exclusive: given.exclusive === 'yes' }),
    ...(given.hidden !== undefined && { isHidden: given.hidden === 'yes' }),
    ...(given.grace !== undefined && { graceSeconds: given.grace * 3600 }),
  });
  const before = await gating.choices.rungsOf(community);
  const result = await gating.edit(community, id, edit, by);
  const card = resultCard(context, gating, result, context.texts.gate.changedTitle);
  return withBlocks(card, await ladderBlocks(context, moderation, before, result.rule?.grant));
}

/** Whether a role has become part of the ladder or stands beside it now, which moderators may not have meant. */
async function ladderBlocks(
  { texts }: CommandContext,
  { gating, community }: Moderation,
  before: ReadonlySet<string>,
  role: string | undefined,
): Promise<Block[]> {
  if (role === undefined) return [];
  const { gate } = texts;
  const isOn = (await gating.choices.rungsOf(community)).has(role);
  if (isOn === before.has(role)) return [];
  return [textBlock(isOn ? gate.joinsLadder : `⚠ ${gate.leavesLadder}`)];
}

function withBlocks(card: Card, more: readonly Block[]): Card {
  return { ...card, blocks: [...card.blocks, ...more] };
}

export async function ruleChanged(
  context: CommandContext,
  moderation: Moderation,
  action: 'remove' | 'pause' | 'resume',
  given: string | undefined,
): Promise<Card> {
  const { gating, community, by } = moderation;
  const { gate } = context.texts;
  const id = requireOption(given, 'rule', context);
  switch (action) {
    case 'remove': {
      const before = await gating.choices.rungsOf(community);
      const rule = await gating.remove(community, id, by);
      const card = ruleCard(context, gating.named(rule), gate.removedTitle, gate.removedAbout);
      const isLast = (await gating.rulesOf(community)).every(({ grant }) => grant !== rule.grant);
      if (isLast) return card;
      return withBlocks(card, await ladderBlocks(context, moderation, before, rule.grant));
    }
    case 'pause': {
      const rule = await gating.pause(community, id, by);
      return ruleCard(context, gating.named(rule), gate.pausedTitle, gate.pausedAbout);
    }
    case 'resume': {
      return resultCard(
        context,
        gating,
        await gating.unpause(community, id, by),
        gate.resumedTitle,
      );
    }
  }
}

/** @throws UserError `gate-empty-rule` */
function needsAfter(rule: Rule, given: Given): Pick<RuleEdit, 'requirements' | 'bounds'> {
  const bounds = replaced(rule.bounds ?? [], boundsOf(given), given);
  const asked = replaced(rule.requirements, readRequirements(given), given);
  return { requirements: requirementsWith(bounds, asked), bounds };
}

/**
 * @param bounds the rule's
 * @throws UserError `gate-empty-rule` if that's nothing
 */
function requirementsWith(
  bounds: readonly UpperBound[],
  asked: readonly Requirement[],
): readonly Requirement[] {
  if (asked.length > 0) return asked;
  if (bounds.length === 0) throw new UserError('gate-empty-rule', 'Say what members need.');
  // To be below something, a member needs a wallet that is known.
  return [{ kind: 'tier', tier: LOWEST }];
}

/** What is kept of each kind that isn't given anew, or given up. */
function replaced<K extends keyof Given, T extends { readonly kind: K }>(
  kept: readonly T[],
  fresh: readonly T[],
  given: Given,
): T[] {
  return [...kept.filter(({ kind }) => given[kind] === undefined), ...fresh];
}

function boundsOf({ below, most }: Given): UpperBound[] {
  const found: UpperBound[] = [];
  const named = tierNamed(below ?? undefined);
  if (named !== undefined) found.push({ kind: 'below', tier: named });
  if (typeof most === 'number') found.push({ kind: 'most', score: most });
  return found;
}

function resultCard(
  context: CommandContext,
  gating: Moderation['gating'],
  result: RuleResult,
  title: string,
): Card {
  const { gate } = context.texts;
  if (result.rule === undefined) {
    const sentences = result.blockers.map((each) => textBlock(gate.blockers[each]));
    return gateCard(gate.cantTitle, [textBlock({ bold: result.name }), ...sentences], {
      tone: 'warning',
    });
  }
  const { rule, cautions, invite, uncheckedBadges = [] } = result;
  const isEntry = rule.grant === ENTRY;
  const entryNext = invite === undefined ? gate.addedNextNoLink : gate.addedNextEntry;
  const next =
    rule.paused !== undefined ? gate.changedPaused : isEntry ? entryNext : gate.addedNext;
  const card = ruleCard(context, gating.named(rule), title, next);
  const more = [
    ...(invite === undefined ? [] : [textBlock({ code: invite })]),
    ...uncheckedBadges.map((each) => textBlock(`⚠ ${gate.badgeUnchecked(each)}`)),
    ...cautions.map((each) => textBlock(`⚠ ${gate.cautions[each]}`)),
    ...(isImpossible(rule, context.thresholds) ? [textBlock(`⚠ ${gate.nobodyNow}`)] : []),
  ];
  return { ...card, blocks: [...card.blocks, ...more] };
}

/** @param rule as people read it */
function ruleCard({ texts }: CommandContext, rule: Rule, title: string, about: string): Card {
  return gateCard(
    title,
    [
      {
        kind: 'entries',
        entries: [
          {
            title: [{ code: rule.id }, ' ', { bold: rule.grantName }, `: ${needsOf(rule, texts)}`],
            detail: [ruleSettingsText(rule, texts)],
          },
        ],
      },
      textBlock(about),
    ],
    { actions: [commonButtons(texts)] },
  );
}
