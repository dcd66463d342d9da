import { type Card, noteCard } from '#command';
import type { Texts } from '#command/texts';
import type { Finding } from '#gating/runs/planner';

/** Tells a member what they'll lose and how to keep it. Contains no link and no button. */
export function warningCard({ rule, grant }: Finding, texts: Texts): Card {
  const { gate } = texts;
  const card = noteCard('warning', gate.warningTitle, '');
  return {
    ...card,
    blocks: [
      {
        kind: 'text',
        spans: [
          `${gate.warning(rule.grantName)} `,
          ...(grant.dueAt === undefined ? [] : [{ time: grant.dueAt, style: 'clock' as const }]),
        ],
      },
      { kind: 'text', spans: [gate.warningNext] },
    ],
  };
}
