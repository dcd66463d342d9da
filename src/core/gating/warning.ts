import type { Card } from '#core/card';
import type { Finding } from '#core/gating/planner';
import { noteCard } from '#core/note-card';
import type { Texts } from '#core/texts/index';

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
