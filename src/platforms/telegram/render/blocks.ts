import { isolateRightToLeft, safeWebUrl, sanitizeText } from '#base';
import {
  type Block,
  type CardEntry,
  type Fact,
  renderBars,
  renderTable,
  type Span,
  steps,
} from '#command';
import { textsFor } from '#command/texts';
import { standInFor } from '#platforms/telegram/gating/members';
import { between, defuseLinks, isExact, RichText, type Style } from './rich-text.ts';

export interface Reader {
  /** BCP 47 tag of the language that the card is in. */
  readonly language: string;
  /** Seconds since 1970. */
  readonly now: number;
  /** Display names by id, where members may be named. */
  readonly names?: ReadonlyMap<string, string>;
  /** Whether they're named without mentioning them, as that would notify them. */
  readonly isQuiet?: boolean;
  /** Whose names look like another one's. */
  readonly alike?: ReadonlySet<string>;
}

type Entries = Extract<Block, { readonly kind: 'entries' }>;

/** Such as a medal or a badge's tier, which marks an entry as well as a bullet does. */
const EMOJI_FIRST = /^\p{Extended_Pictographic}/u;
/** Longer ones, such as addresses, fill a line of their own, so that a bullet would be left on the one before. */
const CODE_BESIDE_BULLET = 24;
const PROGRESS_STEPS = 12;
/** Graphemes per span; the whole message is bounded as well. */
const SPAN_MAX = 1_500;
/** Graphemes of a label, or a member's name. */
export const LABEL_MAX = 60;

/** Renders one block, without leading or trailing line breaks. */
export function renderBlock(block: Block, reader: Reader): RichText {
  switch (block.kind) {
    case 'text':
      return renderSpans(block.spans, reader);
    case 'heading':
      return renderSpans([{ bold: block.text }], reader);
    case 'facts':
      return joined(block.facts.map((fact) => renderFact(fact, reader)));
    case 'progress': {
      const bar = new RichText().add(steps(block.fraction, PROGRESS_STEPS));
      return joined([bar, renderSpans(block.spans, reader)]);
    }
    case 'bars':
      return preformatted(renderBars(block.bars));
    case 'entries':
      return quoted(block, reader);
    case 'preformatted':
      return new RichText().add(isExact(block.text) ? block.text : '', { type: 'pre' });
    case 'table':
      return preformatted(renderTable(block.columns, block.rows));
  }
}

/** Renders a line. Links are defused in everything that isn't monospaced. */
export function renderSpans(spans: readonly Span[], reader: Reader): RichText {
  const line = new RichText();
  for (const span of spans) {
    const piece = renderSpan(span, reader);
    line.add(between(line.text, piece.text)).append(piece);
  }
  return line;
}

function renderSpan(span: Span, reader: Reader): RichText {
  const piece = new RichText();
  if (typeof span === 'string') return piece.add(defuseLinks(shown(span)));
  if ('bold' in span) return piece.add(defuseLinks(shown(span.bold)), { type: 'bold' });
  if ('italic' in span) return piece.add(defuseLinks(shown(span.italic)), { type: 'italic' });
  if ('code' in span) return piece.add(sanitizeText(span.code, SPAN_MAX), { type: 'code' });
  if ('link' in span) return renderLink(span.link, span.url);
  if ('member' in span) return renderMember(span.member, reader);
  if ('channel' in span) return piece.add(sanitizeText(span.channel, SPAN_MAX), { type: 'code' });
  const { text, style } = formatTime(span, reader.language, reader.now);
  return piece.add(text, style);
}

function renderLink(text: string, address: string): RichText {
  const piece = new RichText();
  const url = safeWebUrl(address);
  return piece.add(
    defuseLinks(shown(text)),
    url === undefined ? undefined : { type: 'text_link', url },
  );
}

/**
 * A mention followed by the id: anyone can choose any name, and Telegram only resolves mentions of
 * users who have interacted with the bot
 * (https://core.telegram.org/bots/api#formatting-options). Quietly, the id only follows names that look alike.
 */
function renderMember(id: string, { names, isQuiet, alike, language }: Reader): RichText {
  const piece = new RichText();
  const standIn = standInFor(id);
  if (standIn !== undefined) return piece.add(textsFor(language).chat.standIns[standIn]);
  const name = names?.get(id) ?? '';
  const shownName = defuseLinks(sanitizeText(name, LABEL_MAX));
  const code = sanitizeText(id, SPAN_MAX);
  if (shownName === '') return piece.add(code, { type: 'code' });
  const user = { id: Number(id), is_bot: false, first_name: name };
  piece.add(shownName, isQuiet === true ? { type: 'bold' } : { type: 'text_mention', user });
  if (isQuiet === true && alike?.has(id) !== true) return piece;
  return piece.add(' (').add(code, { type: 'code' }).add(')');
}

/** Joins the parts that aren't empty. */
export function joined(parts: readonly RichText[], between = '\n'): RichText {
  const whole = new RichText();
  for (const part of parts) {
    if (part.text.trim() === '') continue;
    if (whole.text !== '') whole.add(between);
    whole.append(part);
  }
  return whole;
}

/** Sanitized, but keeps a space at either end, as it separates spans. */
function shown(text: string): string {
  const clean = sanitizeText(text, SPAN_MAX);
  if (clean === '') return /\s/.test(text) ? ' ' : '';
  return `${/^\s/.test(text) ? ' ' : ''}${clean}${/\s$/.test(text) ? ' ' : ''}`;
}

/** Background is folded to a few lines, which a tap opens. */
function quoted({ entries, folded }: Entries, reader: Reader): RichText {
  // A list has bullets before all of its entries, or before none.
  const bullet = entries.some(isMarked) ? '' : '• ';
  const lines = joined(entries.map((entry) => renderEntry(entry, bullet, reader)));
  if (folded !== true) return lines;
  return new RichText().appendQuoted(lines);
}

function renderFact(fact: Fact, reader: Reader): RichText {
  return new RichText()
    .add(defuseLinks(sanitizeText(fact.label, LABEL_MAX)))
    .add(': ')
    .append(renderSpans(fact.value, reader));
}

function isMarked({ title: [first] }: CardEntry): boolean {
  if (typeof first === 'string') return EMOJI_FIRST.test(first);
  return first !== undefined && 'code' in first && first.code.length > CODE_BESIDE_BULLET;
}

function renderEntry(entry: CardEntry, bullet: string, reader: Reader): RichText {
  const title = new RichText().add(bullet).append(renderSpans(entry.title, reader));
  const detail = renderSpans(entry.detail, reader);
  return detail.text.trim() === '' ? title : title.add('\n   ').append(detail);
}

function preformatted(lines: readonly string[]): RichText {
  return new RichText().add(lines.map(isolateRightToLeft).join('\n'), { type: 'pre' });
}

type Time = Extract<Span, { readonly time: number }>;

/** Clients that support the entity show the time in the user's own language and time zone. */
interface When {
  readonly text: string;
  readonly style: Style;
}

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** Telegram's `date_time_format`s (https://core.telegram.org/bots/api#date-time-entity-formatting). */
const FORMATS = { relative: 'r', date: 'd', clock: 'Dt' } as const;

/** Formatters are expensive to create. */
const formatters = new Map<string, Formatters>();
const LANGUAGES_KEPT = 100;

interface Formatters {
  readonly relative: Intl.RelativeTimeFormat;
  readonly date: Intl.DateTimeFormat;
  readonly clock: Intl.DateTimeFormat;
}

/**
 * Formats a time for clients without the entity: relative, or in UTC (labelled as such), as bots don't
 * learn a user's time zone.
 * @param now seconds since 1970
 */
function formatTime(time: Time, locale: string | undefined, now: number): When {
  const { relative, date, clock } = formattersFor(locale);
  const style: Style = {
    type: 'date_time',
    unix_time: time.time,
    date_time_format: FORMATS[time.style],
  };
  if (time.style === 'relative') {
    const seconds = time.time - now;
    const [unit, length] = UNITS.find((each) => Math.abs(seconds) >= each[1]) ?? ['second', 1];
    return { text: relative.format(Math.trunc(seconds / length), unit), style };
  }
  const moment = new Date(time.time * 1000);
  const text = time.style === 'date' ? date.format(moment) : `${clock.format(moment)} UTC`;
  return { text, style };
}

function formattersFor(locale: string | undefined): Formatters {
  const language = supported(locale) ?? 'en';
  let found = formatters.get(language);
  if (found === undefined) {
    if (formatters.size >= LANGUAGES_KEPT) formatters.clear();
    found = {
      relative: new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
      date: new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }),
      clock: new Intl.DateTimeFormat(language, {
        dateStyle: 'medium',
        timeStyle: 'short',
        timeZone: 'UTC',
      }),
    };
    formatters.set(language, found);
  }
  return found;
}

/** Clients can send any string as their language. */
function supported(locale: string | undefined): string | undefined {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale ?? 'en')[0];
  } catch {
    return undefined;
  }
}
