const QUARTER = 900;
const DAY = 86_400;
/** Moments whose offset is remembered: the days of half a century, with the quarters of hours of their changes. */
const REMEMBERED = 20_000;

/** What a clock on a wall showed, as moments. In seconds since 1970. */
type WallTime =
  | { readonly kind: 'once'; readonly seconds: number }
  /** Clocks were put forward past it, so none showed it. */
  | { readonly kind: 'never' }
  /** Clocks were put back, and showed it twice. */
  | { readonly kind: 'twice'; readonly earlier: number; readonly later: number };

/** A time zone with its changes of clocks. */
export interface TimeZone {
  readonly name: string;
  /** @param wall what clocks showed, in seconds since 1970 as if it were UTC */
  at(wall: number): WallTime;
}

/** @returns undefined if there's no such time zone */
export function timeZone(name: string): TimeZone | undefined {
  if (/^(?:utc|gmt|z)$/i.test(name)) {
    return { name: 'UTC', at: (seconds) => ({ kind: 'once', seconds }) };
  }
  // Offsets alone, which newer engines take, would have no summer time.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  } catch {
    return undefined;
  }
  const offsets = new Map<number, number>();

  function remembered(moment: number): number {
    let offset = offsets.get(moment);
    if (offset === undefined) {
      offset = offsetOf(format, moment);
      if (offsets.size >= REMEMBERED) offsets.clear();
      offsets.set(moment, offset);
    }
    return offset;
  }

  function offsetAt(seconds: number): number {
    const day = Math.floor(seconds / DAY) * DAY;
    const offset = remembered(day);
    // No clock is put forward and back within a day, so in most of them nothing has to be asked.
    if (offset === remembered(day + DAY)) return offset;
    return remembered(Math.floor(seconds / QUARTER) * QUARTER);
  }

  return {
    name: format.resolvedOptions().timeZone,
    at(wall) {
      const offsetsAround = new Set([offsetAt(wall - DAY), offsetAt(wall + DAY)]);
      const moments = [...offsetsAround]
        .map((offset) => wall - offset)
        .filter((moment) => moment + offsetAt(moment) === wall)
        .toSorted((a, b) => a - b);
      const [earlier, later] = moments;
      if (earlier === undefined) return { kind: 'never' };
      if (later === undefined) return { kind: 'once', seconds: earlier };
      return { kind: 'twice', earlier, later };
    },
  };
}

/** Seconds that clocks there are ahead of UTC. */
function offsetOf(format: Intl.DateTimeFormat, seconds: number): number {
  const parts = new Map(
    format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return shown / 1000 - seconds;
}
