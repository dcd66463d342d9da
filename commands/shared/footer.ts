import type { Span } from '#core/card';
import type { CommandContext } from '#core/command';
import { parseTime } from '#core/time';
import type { Page } from './pages.ts';

/**
 * Small print: the page, if there is more than one, and the time of the data. To be made after the
 * answers are there, for they decide how old the data is.
 * @param changedAt when the shown record changed, for a source that doesn't know the time of its data
 */
export function footerOf(
  { source, texts, now }: CommandContext,
  page?: Page,
  changedAt?: string,
): Span[] {
  const spans: Span[] = [];
  if (page !== undefined && page.pages > 1) {
    spans.push(texts.page(texts.number(page.page), texts.number(page.pages)));
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

/** A time of a record, for people; as it is if it can't be read. */
export function timeSpan(text: string, style: 'relative' | 'date'): Span {
  const time = parseTime(text);
  return time === undefined ? text : { time, style };
}
