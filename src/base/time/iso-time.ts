import { parseTime } from './time.ts';

const FORM =
  /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d)(?::(\d\d)(?:[.,]\d{1,18})?)?(?:[Zz]|([+-]\d\d)(?::?(\d\d))?)$/;
const DAY = 86_400;

/**
 * Parses a time that others wrote: the extended form of ISO 8601 with a zone, which includes RFC 3339. Seconds and
 * the zone's minutes may be missing, and so may the zone's colon; a fraction of a minute is refused. A leap second
 * counts as the second before it, as Unix time has none.
 * @returns seconds since 1970, or undefined if there is no such time
 */
export function parseIsoTime(text: string): number | undefined {
  const time = parseTime(text);
  if (time !== undefined) return time;
  const [, date = '', minute = '', second = '00', zoneHours, zoneMinutes = '00'] =
    FORM.exec(text) ?? [];
  const isLeap = second === '60';
  const zone = zoneHours === undefined ? 'Z' : `${zoneHours}:${zoneMinutes}`;
  const seconds = parseTime(`${date}T${minute}:${isLeap ? '59' : second}${zone}`);
  return seconds !== undefined && isLeap && !endsHalfYear(seconds) ? undefined : seconds;
}

/** Leap seconds are only ever added at the end of June or December, UTC. */
function endsHalfYear(seconds: number): boolean {
  const next = new Date((seconds + 1) * 1000);
  return (seconds + 1) % DAY === 0 && next.getUTCDate() === 1 && next.getUTCMonth() % 6 === 0;
}
