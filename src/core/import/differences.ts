import type { ActivityContent, LedgerActivity, LedgerCorrection } from '#core/ledger-activity';
import { formatTime } from '#core/time';
import { type Refusal, refusal } from './refusal.ts';

/** Characters of a text that are shown. */
const SHOWN = 60;

export function isSameContent(a: ActivityContent, b: ActivityContent): boolean {
  return (
    a.points === b.points &&
    a.timestamp === b.timestamp &&
    a.description === b.description &&
    a.badge === b.badge
  );
}

/** Refuses a line whose event is known otherwise. @param known what it is now */
export function differs(
  { id, ...given }: ActivityContent & Pick<LedgerActivity, 'id'>,
  known: ActivityContent,
): Refusal {
  const all = changesBetween(given, known).map(
    ({ field, from, to }) => `${field} is ${to} there and ${from} here`,
  );
  return refusal(
    'differs',
    `This event is known as act_${id}, but differs from what is known: ${all.join('; ')}. If this line is right, import it as a line of kind "correction".`,
  );
}

/** Refuses a line that differs from an earlier one of the same input. */
export function differsFromEarlier(id: string): Refusal {
  return refusal(
    'differs',
    `An earlier line of this input has the same event (act_${id}) with other content. Leave one of them out, or make this one a line of kind "correction".`,
  );
}

export function correctsNothing({ corrects }: LedgerCorrection): Refusal {
  return refusal(
    'unknown-activity',
    `There is no such event to correct (it would be act_${corrects}). Its address, "type" and "source" must be those it was imported with.`,
  );
}

/** What the row of a correction says. @param known what the activity was until now */
export function correctionText(correction: LedgerCorrection, known: ActivityContent): string {
  const all = changesBetween(known, correction).map(({ field, from, to }) =>
    field === 'description' ? field : `${field} ${from} → ${to}`,
  );
  const what = `Correction of act_${correction.corrects}: ${all.join(', ') || 'no change'}`;
  return correction.reason === undefined ? what : `${what}. ${correction.reason}`;
}

function changesBetween(from: ActivityContent, to: ActivityContent) {
  return FIELDS.filter((field) => from[field] !== to[field]).map((field) => ({
    field,
    from: shown(from, field),
    to: shown(to, field),
  }));
}

const FIELDS = ['points', 'timestamp', 'badge', 'description'] as const;

function shown(content: ActivityContent, field: (typeof FIELDS)[number]): string {
  if (field === 'timestamp') return formatTime(content.timestamp);
  const value = content[field];
  if (field !== 'description') return String(value ?? 'none');
  const text = [...String(value)];
  return `"${text.slice(0, SHOWN).join('')}${text.length > SHOWN ? '…' : ''}"`;
}
