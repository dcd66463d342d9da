import { UserError } from '#base';
import type { Action, Block, Card, Span } from '#command';
import { optionName, type Texts } from '#command/texts';
import type { CommandContext } from '#commands/answering/command';
import { dueOf, type Finding, type Moderation, verdictText } from '#gating';

/** Rows of a list in a card; the rest is in the file that comes with it. */
const SHOWN = 10;

export function gateButton(label: string, args: Readonly<Record<string, string>>): Action {
  return { label, call: { command: 'gate', args } };
}

/** The buttons below most answers. */
export function commonButtons({ gate }: Texts): Action[] {
  return [
    gateButton(gate.listButton, { action: 'list' }),
    gateButton(gate.previewButton, { action: 'preview' }),
    gateButton(gate.runButton, { action: 'run' }),
    gateButton(gate.logButton, { action: 'log' }),
  ];
}

export function gateCard(title: string, blocks: readonly Block[], more: Partial<Card> = {}): Card {
  return {
    tone: 'plain',
    title,
    blocks,
    actions: [],
    menu: undefined,
    footer: [],
    private: true,
    ...more,
  };
}

export function textBlock(...spans: readonly Span[]): Block {
  return { kind: 'text', spans };
}

/** @throws UserError `invalid-parameter` when it was not given */
export function requireOption<T>(
  value: T | undefined,
  name: string,
  { texts, grants }: CommandContext,
): T {
  if (value !== undefined) return value;
  const { errors } = texts;
  const called = optionName(texts, name);
  // Where members are chosen in a field, there's nothing to say of replies.
  const isTyped = name === 'member' && grants !== 'role';
  const message = isTyped ? errors.missingMember(called) : errors.missing(called, 'gate');
  throw new UserError('invalid-parameter', message);
}

/** The run that waits for an answer, with how many would lose something, and the button that answers it. */
export async function openQuestion(
  gating: Moderation['gating'],
  community: Moderation['community'],
  texts: Texts,
) {
  const [held] = await gating.heldRuns(community);
  const losing = held === undefined ? 0 : await gating.countHeld(held);
  // Nothing is left to answer for rules that were paused or removed since.
  if (held === undefined || losing === 0) return undefined;
  const { gate, number } = texts;
  const confirm = gateButton(gate.confirmButton, { action: 'confirm', rule: held.id });
  return { held, block: textBlock(`⚠ ${gate.heldNow(number(losing))}`), actions: [confirm] };
}

/**
 * Members with what a run does to them, a few in the card.
 * @param of how many findings there are, and how many members they are about
 */
export function findingBlocks(
  title: string,
  findings: readonly Finding[],
  of: { readonly count: number; readonly members: number },
  { texts }: CommandContext,
): Block[] {
  if (findings.length === 0) return [];
  const entries = findings.slice(0, SHOWN).map(({ account, rule, verdict, grant }) => {
    const time = dueOf(grant);
    const due =
      time === undefined ? [] : [` · ${texts.gate.due} `, { time, style: 'relative' as const }];
    return {
      title: [{ member: account }, ` · ${rule.grantName}`],
      detail: [verdictText(verdict, texts), ...due],
    };
  });
  const more = of.count - entries.length;
  return [
    { kind: 'heading', text: `${title}: ${texts.number(of.members)}` },
    {
      kind: 'entries',
      entries:
        more > 0
          ? [...entries, { title: [texts.rep.more(texts.number(more))], detail: [] }]
          : entries,
    },
  ];
}
