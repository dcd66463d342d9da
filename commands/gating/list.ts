import type { Block, Card } from '#command';
import type { CommandContext } from '#commands/answering/command';
import {
  acceptActions,
  doubtBlock,
  isOpen,
  type Moderation,
  mannersOf,
  needsOf,
  type RuleTrouble,
  troubleBlocks,
} from '#gating';
import { barBlocks } from './bars.ts';
import { commonButtons, gateButton, gateCard, textBlock } from './shared.ts';

/** Bars that are shown; the log has all of them. */
const BARS = 10;

/** The rules, who is barred, and whether a run waits for an answer. */
export async function listCard(
  { texts }: CommandContext,
  { gating, community, traits }: Moderation,
): Promise<Card> {
  const { gate, number } = texts;
  // First, as this brings names up to date.
  const troubled = await gating.troublesOf(community);
  const rules = await gating.rulesOf(community);
  const bars = barBlocks(await gating.barring.list(community, BARS), texts);
  if (rules.length === 0) {
    const next = traits.grants === 'role' ? gate.noneNextRole : gate.noneNextEntry;
    return gateCard(gate.listTitle, [textBlock(gate.none), textBlock(next), ...bars]);
  }
  const entries = rules.map((rule) => ({
    title: [{ code: rule.id }, ' ', { bold: rule.grantName }, `: ${needsOf(rule, texts)}`],
    detail: [mannersOf(rule, texts)],
  }));
  const channel = await gating.logChannelOf(community);
  const troubles = troubled;
  const waiting = await gating.countWaiting(community);
  const blocks: Block[] = [
    { kind: 'entries', entries },
    ...troubleBlocks(troubles, texts),
    ...bars,
    ...(waiting > 0 ? [textBlock(gate.waitingToJoin(number(waiting)))] : []),
    channel === undefined
      ? textBlock(gate.noLog)
      : textBlock(
          `${gate.logTo} `,
          traits.reportsTo === 'channel' ? { channel } : { member: channel },
        ),
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
  const [held] = await gating.heldRuns(community);
  const losing = held === undefined ? 0 : await gating.countHeld(held);
  // Of rules that were paused or removed since, nothing is left to answer.
  if (held === undefined || losing === 0) {
    const isTroubled = troubles.some(isPrevented) || doubt !== undefined;
    return gateCard(gate.listTitle, blocks, {
      tone: isTroubled ? 'warning' : 'plain',
      actions: [...accept, commonButtons(texts)],
    });
  }
  const confirm = gateButton(gate.confirmButton, { action: 'confirm', rule: held.id });
  return gateCard(
    gate.listTitle,
    [
      ...blocks,
      textBlock(`⚠ ${gate.heldNow(number(losing))}`),
      ...(held.toldAt === undefined && gating.reports.isUnreached(community)
        ? [textBlock(gate.heldUntold)]
        : []),
    ],
    { tone: 'warning', actions: [[confirm], ...accept, commonButtons(texts)] },
  );
}

function isPrevented({ obstacles }: RuleTrouble): boolean {
  return obstacles.length > 0;
}
