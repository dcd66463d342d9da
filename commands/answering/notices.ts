import type { MaybePromise } from '#base';
import type { Block, Card } from '#command';
import { communityOf, type Gating } from '#gating';
import { lateText } from '#linking';
import type { CommandContext } from './command.ts';

/** What people are told with their next private answer, as not every platform lets us write to them first. */
export async function withNotices(
  card: Card,
  { links, caller, texts }: CommandContext,
  isModerator: () => MaybePromise<boolean>,
  gating: Pick<Gating, 'reports' | 'warningsOf'>,
): Promise<Card> {
  const { gate, wallets } = texts;
  const notices: Block[] = [];
  const warn = (text: string) => notices.push({ kind: 'text', spans: [`⚠ ${text}`] });
  const here = communityOf(caller);
  for (const each of await gating.reports.questionsFor(caller, here, isModerator)) {
    warn(each.kind === 'held' ? gate.heldNotice(each.grantName) : gate.doubtBrief);
  }
  const late = await links.lateOutcome();
  if (late !== undefined) notices.push({ kind: 'text', spans: [lateText(late, texts)] });
  if (await links.isContested()) warn(wallets.contested);
  for (const { rule, dueAt, elsewhere } of await gating.warningsOf(caller, here)) {
    const due = { time: dueAt, style: 'clock' } as const;
    const place = elsewhere && [{ bold: elsewhere.name ?? gate.elsewhere }, ': '];
    const spans = ['⚠ ', ...(place ?? []), `${gate.warning(rule.grantName)} `, due];
    notices.push({ kind: 'text', spans });
  }
  return notices.length === 0 ? card : { ...card, blocks: [...card.blocks, ...notices] };
}
