import { parseTime } from '#base';
import type { Span } from '#command';
import type { CommandContext } from '#commands/answering/command';
import type { Page } from '#reputation';

/**
 * The footer: the page, if there are several, and the time of the data. Create it after fetching
 * the data, which determines its age.
 * @param changedAt when the shown record changed, for sources that don't know the time of their
 *   data
 */
export function footerOf(
  { source, texts, now }: CommandContext,
  page?: Page,
  changedAt?: string,
): Span[] {
  const spans: Span[] = [];
  if (source.isPartial === true) spans.push(`⚠ ${texts.partial}`);
  if (page !== undefined && page.pages > 1) {
    const shown = texts.page(texts.number(page.page), texts.number(page.pages));
    spans.push(spans.length > 0 ? ` · ${shown}` : shown);
  }
  if (source.isStale) {
    const confirmed = { time: now - source.ageSeconds, style: 'clock' } as const;
    spans.push(`${spans.length > 0 ? ' · ' : ''}⚠ ${texts.staleAsOf} `, confirmed);
    spans.push(`, ${texts.staleWhy}`);
    return spans;
  }
  const time = source.asOf ?? (changedAt === undefined ? undefined : parseTime(changedAt));
  if (time !== undefined) {
    spans.push(`${spans.length > 0 ? ' · ' : ''}${texts.dataAsOf} `, { time, style: 'clock' });
  }
  return spans;
}

/** Formats a record's time; returns it unchanged if it isn't a valid time. */
export function timeSpan(text: string, style: 'relative' | 'date'): Span {
  const time = parseTime(text);
  return time === undefined ? text : { time, style };
}
