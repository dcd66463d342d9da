import type { LedgerActivity } from '#reputation';

/** SHA-256 of the text's UTF-8 bytes, as 64 lower-case hex digits. */
export type Sha256Hex = (text: string) => string;

/** Input of an id: the event, and its name at its origin. */
export type ActivityEvent = Omit<LedgerActivity, 'id'> & {
  /** The event's name at its origin, such as `ethereum:0x…:3`. */
  readonly source: string | undefined;
};

/**
 * The id of an activity: 16 characters of 0-9 and a-v (base32hex, which sorts like the values), the
 * first 80 bits of a SHA-256. The same event gets the same id on every import. With a `source`, the
 * event is identified by chain, address, type and source; without, by all fields, so two identical
 * events are one.
 *
 * The tags version the encoding: another encoding under an old tag would import every event again.
 */
export function activityId(event: ActivityEvent, sha256Hex: Sha256Hex): string {
  const { wallet, type, source } = event;
  const encoded =
    source === undefined
      ? JSON.stringify([
          'activity-by-fields/1',
          wallet.chain,
          wallet.address,
          type,
          event.description,
          event.points,
          event.timestamp,
          event.badge ?? null,
        ])
      : // Same output as JSON.stringify; only the source can need escaping.
        `["activity-by-source/1","${wallet.chain}","${wallet.address}","${type}",${JSON.stringify(source)}]`;
  return idOf(encoded, sha256Hex);
}

/** Input of a correction's id. */
export interface CorrectionEvent extends Omit<ActivityEvent, 'source'> {
  /** Id of the corrected activity. */
  readonly source: string;
  readonly reason: string | undefined;
}

/**
 * The id of a correction, in the same format, from all its fields. So the same line is the same
 * correction, and `reason` distinguishes corrections with the same content.
 */
export function correctionId(event: CorrectionEvent, sha256Hex: Sha256Hex): string {
  const { wallet, type, source, description, points, timestamp, badge, reason } = event;
  const fields = [type, source, description, points, timestamp, badge ?? null, reason ?? null];
  return idOf(JSON.stringify(['correction/1', wallet.chain, wallet.address, ...fields]), sha256Hex);
}

/** The id of imported evidence, in the same format. */
export function eventId(
  { wallet, event, source }: { wallet: LedgerActivity['wallet']; event: string; source: string },
  sha256Hex: Sha256Hex,
): string {
  return idOf(JSON.stringify(['event/1', wallet.chain, wallet.address, event, source]), sha256Hex);
}

function idOf(encoded: string, sha256Hex: Sha256Hex): string {
  const hex = sha256Hex(encoded);
  return base32hexOf(hex, 0) + base32hexOf(hex, 5) + base32hexOf(hex, 10) + base32hexOf(hex, 15);
}

/** Pairs of base32hex characters by value. */
const PAIRS = Array.from({ length: 1024 }, (_, value) => value.toString(32).padStart(2, '0'));

/**
 * Five hex digits are 20 bits, four characters of base32hex. A table, because `Number.toString(32)`
 * is slower than the hash.
 */
function base32hexOf(hex: string, start: number): string {
  let value = 0;
  for (let i = start; i < start + 5; i++) value = (value << 4) | hexDigit(hex.charCodeAt(i));
  return `${PAIRS[value >> 10]}${PAIRS[value & 1023]}`;
}

/** The value of `0`–`9` or `a`–`f` by its code: the letters' codes lie at 64 and above, and end in 1 to 6. */
function hexDigit(code: number): number {
  return (code & 15) + (code >> 6) * 9;
}
