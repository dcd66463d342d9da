import { type Action, type Block, type Card, type CardEntry, EMBLEMS, type Span } from '#command';
import type { Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import {
  isNothing,
  type Moderation,
  type Panel,
  type PlannedTier,
  postFailureText,
  type ReportRefusal,
  reasonText,
  type SetupPlaces,
  type SetupPlan,
  type SetupResult,
} from '#gating';
import { panelBlocks } from './panel.ts';
import { stillBarredBlocks } from './settings.ts';
import { commonButtons, gateButton, gateCard, textBlock } from './shared.ts';

type Answer = 'go' | 'new' | 'undo' | 'sure';

interface SetupArgs extends SetupPlaces {
  readonly answer: Answer | undefined;
  /** What a button is about, by which it never does anything else. */
  readonly rule: string | undefined;
}

/** A role and a rule for each tier, as a ladder, and the panel: shows what it would make, asks, and makes it. */
export async function setupCard(
  context: CommandContext,
  moderation: Moderation,
  { answer, rule: about, ...places }: SetupArgs,
): Promise<Card> {
  const { texts } = context;
  const { gate } = texts;
  const { gating, community, traits, by } = moderation;
  if (traits.grants !== 'role') return card(texts, gate.setupTitle, [textBlock(gate.setupEntry)]);
  switch (answer) {
    case undefined:
      return await planCard(context, moderation, places);
    case 'go':
    case 'new': {
      if (about !== undefined && about !== (await planOf(moderation, places))) {
        return await planCard(context, moderation, places);
      }
      const result = await gating.setUp(community, by, places, answer === 'new');
      if (result === undefined) return await planCard(context, moderation, places);
      const made = resultCard(result, texts, await gating.panels.of(community));
      if (result === 'under way') return made;
      const roles = result.record.steps.flatMap(({ id }) => id ?? []);
      const barred = stillBarredBlocks(await gating.barring.on(community, roles), texts);
      return { ...made, blocks: [...made.blocks, ...barred] };
    }
    case 'undo':
      return await askCard(context, moderation);
    case 'sure': {
      const record = await gating.setup.recordOf(community);
      if (about !== undefined && record !== undefined && about !== record.id) {
        return await askCard(context, moderation);
      }
      const result = await gating.undoSetup(community, by);
      if (result === undefined) return card(texts, gate.setupTitle, [textBlock(gate.setupNone)]);
      return resultCard(result, texts);
    }
  }
}

/** What it would do; or, of one that was interrupted, what can be done about it. */
async function planCard(
  { texts }: CommandContext,
  { gating, community, by }: Moderation,
  places: SetupPlaces,
): Promise<Card> {
  const { gate } = texts;
  const record = await gating.setup.recordOf(community);
  if (record !== undefined && record.status !== 'done') {
    const actions = [...(record.status === 'running' ? [goOn(texts)] : []), undo(texts)];
    return card(texts, stoppedTitle(record, texts), [textBlock(gate.setupLeft)], actions);
  }
  const plan = await gating.setup.plan(community, by, places);
  const standing = await gating.panels.of(community);
  const isRefused = Object.keys(plan.refused).length > 0;
  const isReady = isNothing(plan) && plan.gone.length === 0 && !isRefused;
  const blocks: Block[] = [
    ...(isReady ? [textBlock(gate.setupNothing)] : []),
    ...(isNothing(plan) ? [] : [textBlock(gate.setupAbout)]),
    { kind: 'entries', entries: plan.tiers.map((tier) => entryOf(tier, texts)) },
    textBlock(gate.setupLadder),
    ...channelBlocks(plan, texts, await gating.logChannelOf(community)),
    ...panelPlanBlocks(plan, texts, standing),
    ...plan.blockers.map((each) => textBlock(`⚠ ${wordsOf(each, texts)}`)),
    ...plan.cautions.map((each) => textBlock(`⚠ ${gate.cautions[each]}`)),
  ];
  const args = {
    action: 'setup',
    rule: codeOf(plan),
    ...(plan.channel !== undefined && { channel: plan.channel }),
    ...(plan.panel !== undefined && { panel: plan.panel }),
  };
  const isOffered = plan.tiers.some(({ is }) => is === 'offered');
  const answers =
    isNothing(plan) || plan.blockers.length > 0
      ? []
      : [
          gateButton(gate.setupGo, { ...args, answer: 'go' }),
          ...(isOffered ? [gateButton(gate.setupNew, { ...args, answer: 'new' })] : []),
        ];
  const actions = [...answers, ...(record === undefined ? [] : [undo(texts)])];
  const isAmiss = plan.blockers.length > 0 || isRefused || (isNothing(plan) && !isReady);
  return card(texts, gate.setupTitle, blocks, actions, isAmiss);
}

/** What a plan does about each tier. */
function codeOf({ tiers }: SetupPlan): string {
  return tiers
    .map(({ is, replaces }) => (replaces.length > 0 ? is[0]?.toUpperCase() : is[0]))
    .join('');
}

async function planOf({ gating, community, by }: Moderation, places: SetupPlaces) {
  return codeOf(await gating.setup.plan(community, by, places));
}

function entryOf(planned: PlannedTier, texts: Texts) {
  const { tier, is, name, role, cautions, replaces, unfit } = planned;
  const { gate, tiers } = texts;
  const title: Span[] =
    role === undefined
      ? [`${EMBLEMS[tier]} `, { bold: name }]
      : [`${EMBLEMS[tier]} ${tiers[tier]}: `, { bold: `@${name}` }];
  const reasons = unfit?.blockers.map((each) => wordsOf(each, texts)).join(' ');
  const detail: Span[] = [
    ...(replaces.length > 0 ? [gate.setupDeleted, ' '] : []),
    gate.setupTiers[is],
    ...(unfit === undefined
      ? []
      : ['. ', { bold: `@${unfit.name}` }, ` ${gate.setupUnfit} ${reasons}`]),
    ...cautions.map((each) => `. ⚠ ${gate.cautions[each]}`),
  ];
  return { title, detail };
}

function channelBlocks(
  { channel, gone, refused }: SetupPlan,
  texts: Texts,
  current: string | undefined,
): Block[] {
  const { gate } = texts;
  if (channel === undefined && gone.includes('channel')) {
    return [textBlock(`⚠ ${gate.setupChannelGone}`)];
  }
  const target = channel ?? current;
  return [
    target === undefined
      ? textBlock(gate.setupNoChannel)
      : textBlock(`${gate.logTo} `, { channel: target }),
    ...refusalBlocks(refused.channel, texts),
  ];
}

function panelPlanBlocks(plan: SetupPlan, texts: Texts, standing: Panel): Block[] {
  const { gate, panel } = texts;
  const channel = plan.panel;
  if (channel === undefined && standing.settings !== undefined) {
    return panelBlocks(standing, true, texts);
  }
  return [
    channel === undefined
      ? textBlock(gate.setupNoPanel)
      : textBlock(`${panel.settings}: `, { channel }),
    ...refusalBlocks(plan.refused.panel, texts),
  ];
}

function refusalBlocks(refused: ReportRefusal | undefined, texts: Texts) {
  return refused === undefined ? [] : [textBlock(`⚠ ${postFailureText(refused, texts)}`)];
}

/** What an undo would remove. */
async function askCard(
  { texts }: CommandContext,
  { gating, community }: Moderation,
): Promise<Card> {
  const { gate } = texts;
  const record = await gating.setup.recordOf(community);
  if (record === undefined) return card(texts, gate.setupTitle, [textBlock(gate.setupNone)]);
  const entries = (await gating.setup.madeRoles(community, record)).map(({ tier, name }) => ({
    title: [`${EMBLEMS[tier]} `, { bold: name }],
    detail: [],
  }));
  const blocks: Block[] = [
    textBlock(gate.setupUndoAsk),
    ...(entries.length > 0 ? [{ kind: 'entries' as const, entries }] : []),
  ];
  const sure = gateButton(gate.setupSure, { action: 'setup', answer: 'sure', rule: record.id });
  return card(texts, gate.setupUndo, blocks, [sure], true);
}

function resultCard(result: SetupResult | 'under way', texts: Texts, panel?: Panel): Card {
  const { gate } = texts;
  if (result === 'under way') {
    return card(
      texts,
      gate.setupTitle,
      [textBlock(gate.setupUnderWay)],
      [gateButton(gate.again, { action: 'setup' })],
    );
  }
  const { record, stopped, stuck = [], channel, hasNamesake } = result;
  const refused =
    channel === undefined
      ? []
      : [textBlock(`⚠ ${gate.setupChannelRefused} ${postFailureText(channel, texts)}`)];
  const isUndo = record.status === 'ending';
  if (stopped !== undefined) {
    const blocks = [
      textBlock(stuck.length > 0 ? gate.setupStuck : gate.setupStopped),
      ...stopped.map((each) => textBlock(wordsOf(each, texts))),
      ...entriesBlock(stuck.map((name) => ({ title: [{ bold: `@${name}` }], detail: [] }))),
      ...refused,
    ];
    const actions = isUndo ? [undo(texts)] : [goOn(texts), undo(texts)];
    return card(texts, stoppedTitle(record, texts), blocks, actions, true);
  }
  if (isUndo) {
    return card(texts, gate.setupUndoneTitle, [
      textBlock(gate.setupUndone),
      ...leftBlocks(record, texts),
    ]);
  }
  const blocks = [
    textBlock(gate.setupDone),
    ...(hasNamesake === true ? [textBlock(`⚠ ${gate.cautions['barred-namesake']}`)] : []),
    ...(panel === undefined ? [] : panelBlocks(panel, true, texts)),
    ...refused,
  ];
  return card(texts, gate.setupDoneTitle, blocks, [undo(texts)], channel !== undefined);
}

/** Of a setup, or of its undo. */
function stoppedTitle({ status }: SetupResult['record'], { gate }: Texts): string {
  return status === 'ending' ? gate.setupUndoStoppedTitle : gate.setupStoppedTitle;
}

/** Roles that it made and somebody else needs by now. */
function leftBlocks({ steps }: SetupResult['record'], { gate }: Texts): Block[] {
  const entries = steps.flatMap(({ name, use }) =>
    use === undefined
      ? []
      : [{ title: [{ bold: `@${name}` }], detail: [gate.setupLeftRoles[use]] }],
  );
  return entriesBlock(entries);
}

function entriesBlock(entries: readonly CardEntry[]): Block[] {
  return entries.length === 0 ? [] : [{ kind: 'entries', entries }];
}

function goOn({ gate }: Texts): Action {
  return gateButton(gate.setupOn, { action: 'setup', answer: 'go' });
}

function undo({ gate }: Texts): Action {
  return gateButton(gate.setupUndo, { action: 'setup', answer: 'undo' });
}

/** What is in the way: a code of ours, or the platform's. */
function wordsOf(code: string, texts: Texts): string {
  const own: Readonly<Record<string, string>> = {
    ...texts.gate.blockers,
    ...texts.gate.setupBlocked,
  };
  return Object.hasOwn(own, code) ? (own[code] ?? code) : reasonText(code, texts);
}

function card(
  texts: Texts,
  title: string,
  blocks: readonly Block[],
  actions: readonly Action[] = [],
  isWarning = false,
): Card {
  return gateCard(title, blocks, {
    tone: isWarning ? 'warning' : 'plain',
    actions: [...(actions.length > 0 ? [actions] : []), commonButtons(texts)],
  });
}
