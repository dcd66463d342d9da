import type { Block, Card, CardEntry, Span } from '#command';
import type { CommandContext } from '#commands/answering/command';
import { dueOf, type Finding, type Moderation, needsOf, reasonText, verdictText } from '#gating';
import { barBlocks } from './bars.ts';
import { historyEntry } from './log.ts';
import { commonButtons, gateCard, requireOption, textBlock } from './shared.ts';

/** Rule by rule: what it asks for, what the member has, and what happened when. */
export async function whyCard(
  context: CommandContext,
  { gating, community }: Moderation,
  given: string | undefined,
): Promise<Card> {
  const { texts } = context;
  const { gate } = texts;
  const account = requireOption(given, 'member', context);
  const { isHere, member, findings, history } = await gating.why(community, account);
  const blocks: Block[] = [textBlock({ member: account })];
  if (member?.isProtected === true) blocks.push(textBlock({ bold: gate.isProtected }));
  const bars = await gating.barring.of(community, account);
  blocks.push(...barBlocks({ bars, count: bars.length }, texts));
  if (!isHere) blocks.push(textBlock(gate.whyNotHere));
  else if (member === undefined || member.wallets.length === 0) {
    blocks.push(textBlock(gate.whyNoWallet));
  } else blocks.push(textBlock({ italic: gate.hiddenWallets }));
  if (isHere && findings.length > 0) {
    blocks.push({ kind: 'entries', entries: findings.map((each) => ruleEntry(each, context)) });
  }
  if (history.length > 0) {
    blocks.push({ kind: 'heading', text: gate.logTitle });
    blocks.push({
      kind: 'entries',
      entries: history.map((row) => historyEntry(row, texts)),
    });
  }
  return gateCard(gate.whyTitle, blocks, { actions: [commonButtons(texts)] });
}

function ruleEntry(
  { rule, verdict, grant, bar, refusal, isPending }: Finding,
  { texts }: CommandContext,
): CardEntry {
  const { gate } = texts;
  const answer =
    verdict.answer === 'unknown'
      ? gate.doubts[verdict.why]
      : `${gate[verdict.answer]}: ${verdictText(verdict, texts)}`;
  const denied = bar === undefined ? '' : ` · ${gate.isBarred}`;
  const waits = isPending === true ? ` · ${gate.skips.pending}` : '';
  const refused = refusal === undefined ? '' : ` · ${reasonText(refusal.code, texts)}`;
  const detail: Span[] = [`${answer} · ${gate.holds[grant.holds]}${denied}${waits}${refused}`];
  if (verdict.answer !== 'unknown' && verdict.asOf !== undefined) {
    detail.push(` · ${texts.dataAsOf} `, { time: verdict.asOf, style: 'clock' });
  }
  if (grant.firstLackAt !== undefined) {
    detail.push(` · ${gate.lackSince(texts.number(grant.lacks))} `);
    detail.push({ time: grant.firstLackAt, style: 'clock' });
  }
  const due = dueOf(grant);
  if (due !== undefined) detail.push(` · ${gate.takenAfter} `, { time: due, style: 'clock' });
  return {
    title: [{ code: rule.id }, ' ', { bold: rule.grantName }, `: ${needsOf(rule, texts)}`],
    detail,
  };
}
