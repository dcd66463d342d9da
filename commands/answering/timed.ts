import type { Span } from '#command';

/** A time among an error's values, to the minute. */
const MOMENT = /(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC/;

/** A refusal's sentence, with its times as the platform shows times. */
export function timed(sentence: string): readonly Span[] {
  const [before = '', day, clock, after = ''] = sentence.split(MOMENT);
  if (day === undefined || clock === undefined) return [sentence];
  return [before, { time: Date.parse(`${day}T${clock}Z`) / 1000, style: 'clock' }, after];
}
