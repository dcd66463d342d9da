const QUARTER = 900;
const DAY = 86_400;
/** Quarters of hours whose offset is remembered. */
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

  function offsetAt(seconds: number): number {
    const quarter = Math.floor(seconds / QUARTER);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      offset = offsetOf(format, quarter * QUARTER);
      if (offsets.size >= REMEMBERED) offsets.clear();
      offsets.set(quarter, offset);
    }
    return offset;
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
