import { UNFIT } from '#base';
import type { Texts } from '#command/texts';
import { shortInteger } from '#scoring/amount';
import { RULE_POINTS_MAX } from '#scoring/grammar/give';
import type { Give } from '#scoring/model';
import { type EvidenceEvent, textOf } from './event.ts';

/** Maximum characters of a description, as for imports. */
const DESCRIPTION_MAX = 1_000;
const PLACEHOLDER = /\{([^{}]*)\}/g;
const INTEGER = /^-?\d{1,100}$/;

/**
 * An activity's description: the rule's text with the event's values, or its type. An amount that the rule says as
 * people do is said like that.
 */
export function describeEvent(give: Give, event: EvidenceEvent | undefined): string {
  const template = give.text ?? give.type.replaceAll('_', ' ');
  return template.replace(PLACEHOLDER, (_, name: string) => {
    const value = event?.args.get(name);
    if (value === undefined) return '';
    const text = textOf(value).replace(UNFIT, '');
    const amount = INTEGER.test(text) ? give.amounts?.get(name) : undefined;
    return amount?.of(BigInt(text)).text ?? text;
  });
}

/**
 * A description with the reasons why its points differ from the rule's, truncated so that the
 * reasons always fit.
 */
export function withReasons(description: string, reasons: readonly string[]): string {
  const tail = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
  const room = DESCRIPTION_MAX - [...tail].length;
  const characters = [...description];
  const head =
    characters.length > room ? `${characters.slice(0, room - 1).join('')}…` : description;
  return head + tail;
}

/** Reasons as the ledger has them: in English everywhere, so that it's the same on every machine. */
export const reasons = {
  cap: (points: number, worth: number) => `cap reached: ${points} of ${worth}`,
  limit: (points: number, worth: number) =>
    `limit of ${RULE_POINTS_MAX} points by a rule reached: ${points} of ${worth}`,
  // In brackets, so that the reasons' own parentheses end with the last one.
  retracted: (reason: string) => `retracted: ${reason.replaceAll('(', '[').replaceAll(')', ']')}`,
  discount: (id: string, factor: number) => `${id}: ${factor / 10} %`,
  halfLife: (rule: string, days: number) => `Half-life of ${days} days: ${rule}`,
  restored: (rule: string, ids: readonly string[]) =>
    `No longer held back (${ids.join(', ')}): ${rule}`,
};

const ID = '[a-z][a-z0-9-]{0,63}';
const HALF_LIFE = new RegExp(`^Half-life of (\\d+) days: (${ID})$`);
const RESTORED = new RegExp(`^No longer held back \\((${ID}(?:, ${ID})*)\\): (${ID})$`);
const CAP = /^cap reached: (\d+) of (\d+)$/;
const LIMIT = /^limit of (\d+) points by a rule reached: (-?\d+) of (-?\d+)$/;
const DISCOUNT = new RegExp(`^(${ID}): (\\d+(?:\\.\\d)?) %$`);
/** Always alone. */
const RETRACTED = /^retracted: (.+)$/;
/** What a description ends with if its points differ from the rule's. */
const TAIL = / \(([^()]+)\)$/;

/** What a member reads of an activity: its description, otherwise what kind it is. */
export function activityIn(
  { type, description }: { readonly type: string; readonly description: string },
  texts: Texts,
): string {
  const said = descriptionIn(description, texts);
  // Without a text of its own, a rule describes by the type.
  const plain = type.replaceAll('_', ' ');
  const named = said === plain || said.startsWith(`${plain} (`);
  const text = named ? `${activityTypeIn(type, texts)}${said.slice(plain.length)}` : said;
  return withShortIds(text) || activityTypeIn(type, texts);
}

/** A description with ids and amounts that nobody would read shortened. */
export function withShortIds(text: string): string {
  return text.replace(LONG, shortened);
}

/** What kind of activity it is, in the reader's language if the type is a common one. */
export function activityTypeIn(type: string, { activityTypes }: Texts): string {
  const known: Readonly<Record<string, string>> = activityTypes;
  return (Object.hasOwn(known, type) ? known[type] : undefined) ?? type.replaceAll('_', ' ');
}

/** Ids and amounts that nobody would read; addresses are shorter. */
const LONG = /\b0x[0-9a-f]{64,}\b|(?<![\w.,…])\d{19,}(?![\w.])/gi;

function shortened(text: string): string {
  return text.startsWith('0x') ? `${text.slice(0, 6)}…${text.slice(-4)}` : shortInteger(text);
}

/**
 * An activity's description with the reasons that rules gave in it, which the ledger has in English, in the
 * reader's language. Everything else stays as it is.
 */
export function descriptionIn(description: string, texts: Texts): string {
  const { number, percent: percentText, ledger } = texts;
  const figure = (digits: string | undefined) => number(Number(digits));
  const [, days, decayed = ''] = HALF_LIFE.exec(description) ?? [];
  if (days !== undefined) {
    return ledger.halfLife(texts.rules.days(figure(days), days === '1'), decayed);
  }
  const [, ids, restored = ''] = RESTORED.exec(description) ?? [];
  if (ids !== undefined) return ledger.restored(ids, restored);
  const [tail, reasons = ''] = TAIL.exec(description) ?? [];
  if (tail === undefined) return description;
  const [, retraction] = RETRACTED.exec(reasons) ?? [];
  if (retraction !== undefined) {
    return `${description.slice(0, -tail.length)} (${ledger.retracted(retraction)})`;
  }
  const said = reasons.split('; ').map((reason) => {
    const [, given, worth] = CAP.exec(reason) ?? [];
    if (given !== undefined) return ledger.cap(figure(given), figure(worth));
    const [, most, left, of] = LIMIT.exec(reason) ?? [];
    if (most !== undefined) {
      return ledger.limit(figure(most), figure(left), figure(of), most === '1');
    }
    const [, id = '', percent] = DISCOUNT.exec(reason) ?? [];
    return percent === undefined ? undefined : ledger.discount(id, percentText(Number(percent)));
  });
  if (said.includes(undefined)) return description;
  return `${description.slice(0, -tail.length)} (${said.join('; ')})`;
}
