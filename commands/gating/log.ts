import { accountIdIn, type Card, type CardEntry, type Span } from '#command';
import type { Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import { type AuditRow, isOfRule, type Moderation, reasonSpans } from '#gating';
import { commonButtons, gateButton, gateCard, textBlock } from './shared.ts';

/** Rows of the audit on a page. */
const PAGE = 20;

/** What was changed, newest first. */
export async function logCard(
  { texts }: CommandContext,
  { gating, community }: Moderation,
  asked = 1,
): Promise<Card> {
  const { gate, number } = texts;
  // One more than is shown says whether there is a next page.
  const rows = await gating.log(community, PAGE + 1, (asked - 1) * PAGE);
  if (rows.length === 0) {
    return gateCard(gate.logTitle, [textBlock(gate.logNone)], { actions: [commonButtons(texts)] });
  }
  const to = (page: number, label: string) =>
    gateButton(label, { action: 'log', page: String(page) });
  const pages = [
    ...(asked > 1 ? [to(asked - 1, `‹ ${number(asked - 1)}`)] : []),
    ...(rows.length > PAGE ? [to(asked + 1, `${number(asked + 1)} ›`)] : []),
  ];
  const entries = rows.slice(0, PAGE).map((row) => historyEntry(row, texts));
  return gateCard(gate.logTitle, [{ kind: 'entries', entries }], {
    actions: [...(pages.length > 0 ? [pages] : []), commonButtons(texts)],
  });
}

/** One row of the audit. */
export function historyEntry(row: AuditRow, texts: Texts): CardEntry {
  const { gate } = texts;
  const title: Span[] = [gate.events[row.event]];
  if (row.account !== undefined) title.push(' · ', { member: row.account });
  const detail: Span[] = [{ time: row.at, style: 'clock' }];
  const byHand = gate.byHandOf[row.event as keyof typeof gate.byHandOf];
  if (row.by !== undefined) detail.push(' · ', { member: accountIdIn(row.by) });
  else if (byHand !== undefined) detail.push(` · ${byHand}`);
  else if (!isOfRule(row.detail)) detail.push(` · ${gate.byRule}`);
  if (row.detail !== '') detail.push(' · ', ...reasonSpans(row.detail, texts));
  return { title, detail };
}
