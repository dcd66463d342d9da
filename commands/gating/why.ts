import { accountIdIn, type Block, type Card, type CardEntry, type Span } from '#command';
import type { Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import {
  type AuditRow,
  dueOf,
  type Finding,
  isOfRule,
  type Moderation,
  needsOf,
  reasonSpans,
  reasonText,
  verdictText,
} from '#gating';
import { barBlocks } from './settings.ts';
import {
  commonButtons,
  gateButton,
  gateCard,
  openQuestion,
  requireOption,
  textBlock,
} from './shared.ts';

/** Rule by rule: what it asks for, what the member has, and what happened when. */
export async function whyCard(
  context: CommandContext,
  moderation: Moderation,
  given: string | undefined,
): Promise<Card> {
  const { gating, community } = moderation;
  const { texts } = context;
  const { gate } = texts;
  const account = requireOption(given, 'member', context);
  const explained = await gating.why(community, account);
  const { isHere, isChecked, member, findings, deleted, history } = explained;
  const blocks: Block[] = [textBlock({ member: account })];
  if (member?.isProtected === true) blocks.push(textBlock({ bold: gate.isProtected }));
  const bars = await gating.barring.of(community, account);
  blocks.push(...barBlocks({ bars, count: bars.length }, texts));
  if (!isChecked) blocks.push(textBlock(gate.whyUnchecked));
  if (explained.refusedWith !== undefined) {
    blocks.push(textBlock({ italic: gate.refusedWith(explained.refusedWith) }));
  }
  if (explained.isClockDoubted) blocks.push(textBlock({ bold: gate.clockWrong }));
  if (!isHere) blocks.push(...(isChecked ? [textBlock(gate.whyNotHere)] : []));
  else if (member === undefined || member.wallets.length === 0) {
    blocks.push(textBlock(gate.whyNoWallet));
  } else blocks.push(textBlock({ italic: gate.hiddenWallets }));
  if (isHere && findings.length > 0) {
    blocks.push({
      kind: 'entries',
      entries: findings.map((each) => ruleEntry(each, deleted, gating, context)),
    });
  }
  if (history.length > 0) {
    blocks.push({ kind: 'heading', text: gate.logTitle });
    blocks.push({
      kind: 'entries',
      entries: history.map((row) => historyEntry(row, moderation, texts)),
    });
  }
  // What is due and still there may wait for an answer.
  const isDue = findings.some(({ grant }) => (dueOf(grant) ?? context.now + 1) <= context.now);
  const question = isHere && isDue ? await openQuestion(gating, community, texts) : undefined;
  const answers = question === undefined ? [] : [question.actions];
  if (question !== undefined) blocks.push(question.block);
  return gateCard(gate.whyTitle, blocks, { actions: [...answers, commonButtons(texts)] });
}

function ruleEntry(
  { rule, verdict, grant, bar, refusal, isPending, isPassed, isLater }: Finding,
  deleted: ReadonlySet<string>,
  gating: Moderation['gating'],
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
  const passed = isPassed === true ? ` · ${gate.isPassed}` : '';
  const later = isLater === true ? ` · ${gate.isLater}` : '';
  const isDeleted = deleted.has(rule.grant);
  const held = isDeleted ? gate.refusals['no-role'] : gate.holds[grant.ownership];
  const detail: Span[] = [`${answer} · ${held}${passed}${later}${denied}${waits}${refused}`];
  if (verdict.answer !== 'unknown' && verdict.asOf !== undefined) {
    detail.push(` · ${texts.dataAsOf} `, { time: verdict.asOf, style: 'clock' });
  }
  if (grant.firstLackAt !== undefined) {
    detail.push(` · ${gate.lackSince(grant.lacks, texts.number(grant.lacks))} `);
    detail.push({ time: grant.firstLackAt, style: 'clock' });
  }
  if (rule.paused !== undefined) detail.push(` · ⏸ ${gate.paused[rule.paused]}`);
  const due = isDeleted || rule.paused !== undefined ? undefined : dueOf(grant);
  if (due !== undefined) detail.push(` · ${gate.takenAfter} `, { time: due, style: 'clock' });
  return {
    title: [
      { code: rule.id },
      ' ',
      { bold: rule.grantName },
      `: ${needsOf(gating.named(rule), texts)}`,
    ],
    detail,
  };
}

/** Rows of the audit on a page. */
const PAGE = 20;

/** What was changed, newest first. */
export async function logCard(
  context: CommandContext,
  moderation: Moderation,
  asked = 1,
): Promise<Card> {
  const { texts } = context;
  const { gating, community } = moderation;
  const { gate, number } = texts;
  // One more than is shown says whether there is a next page.
  const rows = await gating.log(community, PAGE + 1, (asked - 1) * PAGE);
  // An old button may lead beyond the end.
  if (rows.length === 0 && asked > 1) return await logCard(context, moderation);
  if (rows.length === 0) {
    return gateCard(gate.logTitle, [textBlock(gate.logNone)], { actions: [commonButtons(texts)] });
  }
  const to = (page: number, label: string) =>
    gateButton(label, { action: 'log', page: String(page) });
  const pages = [
    ...(asked > 1 ? [to(asked - 1, `‹ ${number(asked - 1)}`)] : []),
    ...(rows.length > PAGE ? [to(asked + 1, `${number(asked + 1)} ›`)] : []),
  ];
  const entries = rows.slice(0, PAGE).map((row) => historyEntry(row, moderation, texts));
  return gateCard(gate.logTitle, [{ kind: 'entries', entries }], {
    actions: [...(pages.length > 0 ? [pages] : []), commonButtons(texts)],
  });
}

/** One row of the audit. */
function historyEntry(row: AuditRow, { traits }: Moderation, texts: Texts): CardEntry {
  const { gate } = texts;
  const title: Span[] = [gate.events[row.event]];
  if (row.account !== undefined) title.push(' · ', { member: row.account });
  else if (row.rule !== undefined) title.push(' · ', { code: row.rule });
  const detail: Span[] = [{ time: row.at, style: 'clock' }];
  const byHand = gate.byHandOf[row.event as keyof typeof gate.byHandOf];
  if (row.by !== undefined) detail.push(' · ', { member: accountIdIn(row.by) });
  else if (byHand !== undefined) detail.push(` · ${byHand}`);
  else if (!isOfRule(row.detail)) detail.push(` · ${gate.byRule}`);
  if (isPlace(row)) {
    // Elsewhere the chat itself is the place, or a private one.
    if (traits.reportsTo === 'channel') detail.push(' · ', { channel: row.detail });
  } else if (row.detail !== '') detail.push(' · ', ...reasonSpans(row.detail, texts));
  return { title, detail };
}

/** Whether the detail is the id of where something is posted from then on. */
function isPlace({ event, detail }: AuditRow): boolean {
  return ['log-channel', 'announce-on', 'panel-on'].includes(event) && /^-?\d+$/.test(detail);
}
