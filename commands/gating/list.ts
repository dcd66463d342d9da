import type { Block, Card } from '#command';
import type { CommandContext } from '#commands/answering/command';
import {
  type AnnounceFailure,
  acceptActions,
  blockedBlocks,
  doubtBlock,
  isOpen,
  languageName,
  type Moderation,
  needsOf,
  type PreviewCounts,
  postFailureText,
  type RuleProblem,
  ruleSettingsText,
} from '#gating';
import { announceBlocks } from './announce.ts';
import { panelBlocks } from './panel.ts';
import { barBlocks, reportsBlocks } from './settings.ts';
import { commonButtons, findingBlocks, gateCard, openQuestion, textBlock } from './shared.ts';

/** Bars that are shown; the log has all of them. */
const BARS = 10;

/** The rules, who is barred, and whether a run waits for an answer. */
export async function listCard(
  { texts }: CommandContext,
  { gating, community, traits }: Moderation,
): Promise<Card> {
  const { gate, number } = texts;
  await gating.hear(community);
  // First, as this brings names up to date.
  const problems = await gating.problemsOf(community);
  const rules = await gating.rulesOf(community);
  const bars = barBlocks(await gating.barring.list(community, BARS), texts);
  const settings = await settingsBlocks(texts, { gating, community, traits });
  const log = await reportsBlocks({ gating, community, traits }, texts);
  if (rules.length === 0) {
    const next = traits.grants === 'role' ? gate.noneNextRole : gate.noneNextEntry;
    const blocks = [
      ...[textBlock(gate.none), textBlock(next)],
      ...settings,
      ...bars,
      ...log.blocks,
    ];
    return gateCard(gate.listTitle, blocks);
  }
  const entries = rules.map((rule) => ({
    title: [
      { code: rule.id },
      ' ',
      { bold: rule.grantName },
      `: ${needsOf(gating.named(rule), texts)}`,
    ],
    detail: [ruleSettingsText(rule, texts)],
  }));
  const waiting = await gating.countWaiting(community);
  const blocks: Block[] = [
    { kind: 'entries', entries },
    ...settings,
    ...blockedBlocks(problems, texts),
    ...bars,
    ...(waiting > 0 ? [textBlock(gate.waitingToJoin(number(waiting)))] : []),
    ...(log.blocks.length === 0 ? [textBlock(gate.noLog)] : log.blocks),
  ];
  const runs = await gating.runsOf(community, 20);
  const running = runs.find(isOpen);
  if (running !== undefined) {
    const { given, taken, refused, planned, looked, toLook } = running.counts;
    const done = number(given + taken + refused);
    const isLooking = planned === 0 && toLook > 0;
    const far = isLooking
      ? gate.lookingNow(number(looked), number(toLook))
      : gate.runningNow(done, number(planned));
    blocks.push(textBlock(`⏳ ${far}`));
  }
  const doubt = await gating.doubtOf(community);
  if (doubt !== undefined) blocks.push(doubtBlock(doubt, texts));
  const accept = acceptActions(doubt, texts);
  const question = await openQuestion(gating, community, texts);
  if (question === undefined) {
    const hasProblem = problems.some(isPrevented) || doubt !== undefined || log.isClosed;
    return gateCard(gate.listTitle, blocks, {
      tone: hasProblem ? 'warning' : 'plain',
      actions: [...accept, commonButtons(texts)],
    });
  }
  return gateCard(
    gate.listTitle,
    [
      ...blocks,
      question.block,
      ...(question.held.toldAt === undefined && gating.reports.isConnectFailure(community)
        ? [textBlock(gate.heldUntold)]
        : []),
    ],
    { tone: 'warning', actions: [question.actions, ...accept, commonButtons(texts)] },
  );
}

/** What moderators have set, which counts from the first rule on. */
async function settingsBlocks(
  texts: CommandContext['texts'],
  { gating, community, traits }: Pick<Moderation, 'gating' | 'community' | 'traits'>,
): Promise<Block[]> {
  const { gate } = texts;
  const hasChannels = traits.reportsTo === 'channel';
  const isSum = (await gating.choices.walletModeOf(community)) === 'sum';
  const language = await gating.choices.languageOf(community);
  const { settings, isWeekly, refused, closed } = await gating.announcing.of(community);
  const setup = await gating.setup.recordOf(community);
  const isSetupLeft = setup !== undefined && setup.status !== 'done';
  return [
    ...(isSetupLeft ? [textBlock(`⚠ ${gate.setupLeft} `, { code: '/gate setup' })] : []),
    ...((await gating.isLadder(community)) ? [textBlock(gate.ladderOn)] : []),
    ...(isSum ? [textBlock(gate.walletsSum)] : []),
    ...(language === undefined ? [] : [textBlock(gate.languageSet(languageName(language, texts)))]),
    ...(settings === undefined ? [] : announceBlocks(settings, hasChannels, texts)),
    ...(isWeekly ? [textBlock(texts.digest.on)] : []),
    ...(refused === undefined ? [] : [textBlock(`⚠ ${failureNote(refused, texts)}`)]),
    ...(closed === undefined || closed === refused
      ? []
      : [textBlock(`⚠ ${postFailureText(closed, texts, '/gate announce')}`)]),
    ...panelBlocks(await gating.panels.of(community), hasChannels, texts),
  ];
}

function failureNote(refused: AnnounceFailure, texts: CommandContext['texts']): string {
  const why = postFailureText(refused, texts, '/gate announce');
  return refused === 'answer-lost' ? why : `${texts.announce.refusedIn} ${why}`;
}

function isPrevented({ blockers }: RuleProblem): boolean {
  return blockers.length > 0;
}

/** Who would gain and lose now. */
export async function previewCard(
  context: CommandContext,
  { gating, community, by }: Moderation,
): Promise<Card> {
  const { gate, number } = context.texts;
  const preview = await gating.preview(community, by);
  const { counts: numbers, affected, gains, losses, atRisk, doubt, isClockDoubted } = preview;
  const problems = blockedBlocks(preview.problems, context.texts);
  const counts: Block = {
    kind: 'facts',
    facts: [
      { label: gate.members, value: [number(preview.members)] },
      { label: gate.gains, value: [number(affected.gains)] },
      { label: gate.losses, value: [number(affected.losses)] },
      ...(affected.replaced > 0
        ? [{ label: gate.replaced, value: [number(affected.replaced)] }]
        : []),
      { label: gate.atRisk, value: [number(affected.atRisk)] },
      { label: gate.unknown, value: [number(preview.unknown)] },
    ],
  };
  const of = (kind: keyof PreviewCounts) => ({ count: numbers[kind], members: affected[kind] });
  const lists = [
    ...findingBlocks(gate.losses, losses, of('losses'), context),
    ...(preview.isTooMuch ? [textBlock(gate.tooMuch)] : []),
    ...findingBlocks(gate.gains, gains, of('gains'), context),
    ...findingBlocks(gate.replaced, preview.replaced, of('replaced'), context),
    ...findingBlocks(gate.atRisk, atRisk, of('atRisk'), context),
  ];
  const missing = [
    ...(preview.unseen > 0 ? [textBlock(gate.unseen(number(preview.unseen)))] : []),
    ...(isClockDoubted ? [textBlock({ bold: gate.clockWrong })] : []),
    ...(preview.unchecked > 0 ? [textBlock(gate.unchecked(number(preview.unchecked)))] : []),
  ];
  const all = numbers.losses + numbers.gains + numbers.replaced + numbers.atRisk;
  const { text, count } = preview.file;
  const note = count < all ? gate.someInFile(number(count), number(all)) : gate.allInFile;
  const file = all === 0 ? undefined : { name: 'preview.csv', text, about: note };
  // Don't say that nothing changes while members are still unknown.
  const isNothing = file === undefined && missing.length === 0;
  const end = doubt !== undefined ? gate.doubts[doubt] : isNothing ? gate.nothing : undefined;
  const last = end === undefined ? [] : [textBlock(end)];
  const isPlain = doubt === undefined && !isClockDoubted && problems.length === 0;
  return gateCard(gate.previewTitle, [counts, ...problems, ...lists, ...missing, ...last], {
    tone: isPlain ? 'plain' : 'warning',
    actions: [commonButtons(context.texts)],
    ...(file !== undefined && { file }),
  });
}
