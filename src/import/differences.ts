import { formatTime } from '#base';
import type { ActivityContent, ImportedEvent, LedgerActivity, LedgerCorrection } from '#reputation';
import { ACTIVITIES_MAX } from './limits.ts';
import { type LineRefusal, refusal } from './refusal.ts';

/** Maximum characters of a quoted text. */
const SHOWN = 60;

export function isSameContent(a: ActivityContent, b: ActivityContent): boolean {
  return (
    a.points === b.points &&
    a.timestamp === b.timestamp &&
    a.description === b.description &&
    a.badge === b.badge
  );
}

/** Rejects a line whose event exists with other content. @param known its current content */
export function differs(
  { id, ...given }: ActivityContent & Pick<LedgerActivity, 'id'>,
  known: ActivityContent,
): LineRefusal {
  const all = changesBetween(given, known).map(
    ({ field, from, to }) => `${field} is ${to} there and ${from} here`,
  );
  return refusal(
    'differs',
    `This event exists as act_${id} but differs: ${all.join('; ')}. If this line is right, import it as a line of kind "correction".`,
  );
}

/** Rejects a line that differs from an earlier one of the input. */
export function differsFromEarlier(id: string): LineRefusal {
  return refusal(
    'differs',
    `An earlier line of this input has the same event (act_${id}) with different content. Remove one of them, or make this one a line of kind "correction".`,
  );
}

/** An imported event's content, apart from its identity. */
export type EventContent = Pick<ImportedEvent, 'timestamp' | 'args'>;

/** Rejects an event that exists with other content; undefined if it's equal. */
export function eventDiffers(given: EventContent, known: EventContent): LineRefusal | undefined {
  const all: string[] = [];
  if (given.timestamp !== known.timestamp) {
    all.push(
      `timestamp is ${formatTime(known.timestamp)} there and ${formatTime(given.timestamp)} here`,
    );
  }
  if (given.args !== known.args) {
    all.push(`args are ${shortened(known.args)} there and ${shortened(given.args)} here`);
  }
  if (all.length === 0) return undefined;
  return refusal(
    'differs',
    `An event with this address, "event" and "source" exists but differs: ${all.join('; ')}. Imported evidence can't be changed; if this is another event, give it its own "source".`,
  );
}

/** The same for an earlier line of the input. */
export function eventDiffersFromEarlier(): LineRefusal {
  return refusal(
    'differs',
    'An earlier line of this input has the same address, "event" and "source" with different content. Remove one of them, or give it its own "source".',
  );
}

export function correctsNothing({ corrects }: LedgerCorrection): LineRefusal {
  return refusal(
    'unknown-activity',
    `There is no such event to correct (it would be act_${corrects}). Its address, "type" and "source" must be those it was imported with.`,
  );
}

/** Rejects a retraction of an event that isn't there. */
export function retractsNothing(): LineRefusal {
  return refusal(
    'unknown-event',
    'There is no such event to retract. Its address, "event" and "source" must be those it was imported with.',
  );
}

export function tooManyActivities(): LineRefusal {
  return refusal(
    'too-many-activities',
    `With the new lines around this one, its wallet would have more than ${ACTIVITIES_MAX.toLocaleString('en')} activities and corrections, the most that one can have.`,
  );
}

/** The description of a correction. @param known the activity until now */
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
  return `"${shortened(String(value))}"`;
}

function shortened(text: string): string {
  const characters = [...text];
  return `${characters.slice(0, SHOWN).join('')}${characters.length > SHOWN ? '…' : ''}`;
}
