import type { Action, Block, Card } from '#command';
import type { Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import {
  type Change,
  canBeTriedAgain,
  isOpen,
  type Moderation,
  problemBlocks,
  type Run,
  type RunCounts,
  type RunResult,
  reasonText,
  runReport,
  type UndoQuestion,
  type UndoResult,
} from '#gating';
import {
  commonButtons,
  gateButton,
  gateCard,
  openQuestion,
  requireOption,
  textBlock,
} from './shared.ts';

/** Members that are named in an answer. */
const NAMED = 10;
/** Of a community's last runs, one under way is among so many. */
const OPEN_AMONG = 20;

/** A run, and what it came to; one that takes long goes on by itself. */
export async function runCard(
  { texts }: CommandContext,
  { gating, community, by }: Moderation,
): Promise<Card> {
  const { gate } = texts;
  const result = await gating.run(community, by);
  if (result === 'under way') return underWayCard(texts, gate.runningTitle);
  if (result === undefined) {
    const rules = await gating.rulesOf(community);
    const actions = [commonButtons(texts)];
    const open = (await gating.runsOf(community, OPEN_AMONG)).filter(isOpen);
    // An undo pauses rules before it begins.
    if (open.length === 0 && rules.every(({ paused }) => paused !== undefined)) {
      return gateCard(gate.notRunTitle, [textBlock(gate.notRun)], { actions });
    }
    const isUndo = open.some(({ cause }) => cause === 'undo');
    const title = isUndo ? gate.undoingTitle : gate.runningTitle;
    return gateCard(title, [textBlock(gate.runsAlready)], { actions });
  }
  const card = resultCard(result, texts);
  const question = await openQuestion(gating, community, texts);
  // Its own question is in its report.
  if (question === undefined || question.held.id === result.run.id) return card;
  return {
    ...card,
    tone: 'warning',
    blocks: [...card.blocks, question.block],
    actions: [question.actions, ...card.actions],
  };
}

/** @throws UserError `gate-nothing` */
export async function confirmedCard(
  context: CommandContext,
  { gating, community, by }: Moderation,
  run: string | undefined,
): Promise<Card> {
  const { texts } = context;
  const result = await gating.confirm(community, requireOption(run, 'rule', context), by);
  const { runningTitle } = texts.gate;
  return result === 'under way' ? underWayCard(texts, runningTitle) : resultCard(result, texts);
}

/** Goes by figures that looked wrong. @throws UserError `gate-nothing` */
export async function acceptedCard(
  { texts }: CommandContext,
  { gating, community, by }: Moderation,
  code: string | undefined,
): Promise<Card> {
  await gating.accept(community, by, code);
  const { acceptedTitle, acceptedAbout } = texts.gate;
  return gateCard(acceptedTitle, [textBlock(acceptedAbout)], { actions: [commonButtons(texts)] });
}

/** Ends what is under way. */
export async function stopCard(
  { texts }: CommandContext,
  { gating, community, by }: Moderation,
): Promise<Card> {
  const { gate } = texts;
  const ending = await gating.stop(community, by);
  if (ending.length === 0) {
    const actions = [commonButtons(texts)];
    return gateCard(gate.stopNothingTitle, [textBlock(gate.stopNothing)], { actions });
  }
  const undo = ending.find(({ cause }) => cause === 'undo');
  const [title, asked] =
    undo === undefined
      ? [gate.stoppedTitle, gate.stopAsked]
      : [gate.undoStoppedTitle, gate.stopAskedUndo];
  return gateCard(title, [textBlock(asked)], {
    actions: [...goOnActions(undo?.undoes, texts), commonButtons(texts)],
  });
}

/** @param run its id; without it the last one, or a question */
export async function undoneCard(
  { texts }: CommandContext,
  { gating, community, by }: Moderation,
  run: string | undefined,
): Promise<Card> {
  const { gate } = texts;
  const actions = [commonButtons(texts)];
  const result = await gating.undo(community, by, run);
  if (result === 'under way') {
    const undo = (await gating.runsOf(community, OPEN_AMONG)).find(({ cause }) => cause === 'undo');
    return underWayCard(texts, gate.undoingTitle, undo);
  }
  if (result === undefined) {
    return gateCard(gate.undoNoneTitle, [textBlock(gate.undoNothing)], { actions });
  }
  if ('asksAbout' in result) return undoQuestionCard(result, texts);
  if (isOpen(result.run)) {
    const blocks = [textBlock(gate.waitingAbout), countsBlock(result.run.counts, texts)];
    return gateCard(gate.undoingTitle, blocks, { actions });
  }
  if (result.run.status === 'stopped') {
    const blocks = [textBlock(gate.undoStopped), countsBlock(result.run.counts, texts)];
    return gateCard(gate.undoStoppedTitle, blocks, {
      actions: [...goOnActions(result.undone.id, texts), ...actions],
    });
  }
  return await putBackCard(texts, result, async () => await gating.invites.of(community));
}

/** What was put back, and what was not, with why and what to do about it. */
async function putBackCard(
  texts: Texts,
  { run, undone, changes, problems, hasPaused }: UndoResult,
  inviteOf: () => Promise<string | undefined>,
): Promise<Card> {
  const { gate } = texts;
  const left = changes.filter(({ status }) => status !== 'done');
  const isRest = left.some(canBeTriedAgain);
  const absent = left.filter(({ reason }) => reason === 'needs-invitation');
  const invite = absent.length > 0 ? await inviteOf() : undefined;
  const text = isRest ? gate.undoneInPart : left.length > 0 ? gate.undoneAsIs : gate.undoneAbout;
  const blocks = [
    countsBlock(run.counts, texts),
    textBlock(hasPaused ? `${text} ${gate.undonePaused}` : text),
    ...problemBlocks(problems, texts),
    ...leftBlocks(left, texts),
    ...(invite === undefined ? [] : [textBlock(gate.inviteAgain), textBlock({ code: invite })]),
  ];
  return gateCard(isRest ? gate.undoneInPartTitle : gate.undoneTitle, blocks, {
    tone: left.length > 0 ? 'warning' : 'plain',
    actions: [...goOnActions(isRest ? undone.id : undefined, texts), commonButtons(texts)],
  });
}

function resultCard(result: RunResult, texts: Texts): Card {
  const report = runReport(result, texts);
  const { given, taken } = result.run.counts;
  const undo = gateButton(texts.gate.undoButton, { action: 'undo', rule: result.run.id });
  const last = given + taken > 0 ? [...commonButtons(texts), undo] : commonButtons(texts);
  return { ...report, private: true, actions: [...report.actions, last] };
}

/** @param undo under way, which no report tells of: asked about again, it says what it came to */
function underWayCard(texts: Texts, title: string, undo?: Pick<Run, 'id'>): Card {
  const { gate } = texts;
  const again = undo === undefined ? { action: 'list' } : { action: 'undo', rule: undo.id };
  const actions = [[gateButton(gate.again, again)]];
  return gateCard(title, [textBlock(gate.runningAbout)], { actions });
}

/** Undoes what an undo has left. */
function goOnActions(run: string | undefined, { gate }: Texts): Action[][] {
  return run === undefined ? [] : [[gateButton(gate.undoButton, { action: 'undo', rule: run })]];
}

/** Names the run that can be undone, with the button that undoes exactly that one. */
function undoQuestionCard(
  { why, asksAbout: run, losing, left = [] }: UndoQuestion,
  texts: Texts,
): Card {
  const { gate, number } = texts;
  const undo = gateButton(gate.undoButton, { action: 'undo', rule: run.id });
  const named = [{ code: run.id }, ', ', { time: run.startedAt, style: 'clock' as const }];
  const blocks = [
    textBlock(gate.undoAsks[why]),
    ...leftBlocks(left, texts),
    textBlock(`${gate.undoLast}: `, ...named),
    countsBlock(run.counts, texts),
    textBlock(gate.undoLosing(number(losing))),
  ];
  return gateCard(gate.undoAskTitle, blocks, {
    tone: 'warning',
    actions: [[undo], commonButtons(texts)],
  });
}

/** Who did not get back what they had, or kept what they were given, and why. */
function leftBlocks(left: readonly Change[], texts: Texts): Block[] {
  if (left.length === 0) return [];
  const { gate, number } = texts;
  const entries = left.slice(0, NAMED).map(({ account, reason }) => ({
    title: [{ member: account }],
    detail: [reasonText(reason, texts)],
  }));
  const more = left.length - entries.length;
  const rest = more > 0 ? [{ title: [texts.rep.more(number(more))], detail: [] }] : [];
  return [
    { kind: 'heading', text: `${gate.notRestored}: ${number(left.length)}` },
    { kind: 'entries', entries: [...entries, ...rest] },
  ];
}

function countsBlock({ given, taken, refused }: RunCounts, { gate, number }: Texts): Block {
  return {
    kind: 'facts',
    facts: [
      { label: gate.given, value: [number(given)] },
      { label: gate.taken, value: [number(taken)] },
      { label: gate.refused, value: [number(refused)] },
    ],
  };
}
