import type { LedgerActivity } from '#core/ports';

/** SHA-256 of the text's UTF-8 bytes, as 64 lower-case hex digits. */
export type Sha256Hex = (text: string) => string;

/** What an id is made of: the event itself, and the name it has where it comes from. */
export type ActivityEvent = Omit<LedgerActivity, 'id'> & {
  /** Names the event at its origin, e.g. `ethereum:0x…:3`. */
  readonly source: string | undefined;
};

/**
 * The id of an activity: 16 characters of 0-9 and a-v (base32hex, whose text order is the order of
 * the values), which are the first 80 bits of a SHA-256. The same event has the same id on every
 * import. With a `source`, chain, address, type and source make the event; without, all its fields
 * do, so two events alike in everything are one.
 *
 * The tags name the version of the encoding. Another encoding under an old tag would let every
 * event in again.
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
      : // As JSON.stringify would write it; but for the source nothing needs to be escaped.
        `["activity-by-source/1","${wallet.chain}","${wallet.address}","${type}",${JSON.stringify(source)}]`;
  return idOf(encoded, sha256Hex);
}

/** What the id of a correction is made of. */
export interface CorrectionEvent extends Omit<ActivityEvent, 'source'> {
  /** Of the activity that it corrects. */
  readonly source: string;
  readonly reason: string | undefined;
}

/**
 * The id of a correction, in the form of an activity's: all its fields make it. So the same line is
 * the same correction, and `reason` tells two apart that say the same at different times.
 */
export function correctionId(event: CorrectionEvent, sha256Hex: Sha256Hex): string {
  const { wallet, type, source, description, points, timestamp, badge, reason } = event;
  const fields = [type, source, description, points, timestamp, badge ?? null, reason ?? null];
  return idOf(JSON.stringify(['correction/1', wallet.chain, wallet.address, ...fields]), sha256Hex);
}

/** The id of imported evidence, in the form of an activity's. */
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

/** Every two characters of base32hex: the value is the index. */
const PAIRS = Array.from({ length: 1024 }, (_, value) => value.toString(32).padStart(2, '0'));

/**
 * Five hex digits are 20 bits, which are four characters of base32hex. By table, because
 * `Number.toString(32)` takes longer than the hash.
 */
function base32hexOf(hex: string, start: number): string {
  let value = 0;
  for (let i = start; i < start + 5; i++) value = (value << 4) | hexDigit(hex.charCodeAt(i));
  return `${PAIRS[value >> 10]}${PAIRS[value & 1023]}`;
}

/** Of the code of `0`–`9` or `a`–`f`: the letters' codes lie at 64 and above, and end in 1 to 6. */
function hexDigit(code: number): number {
  return (code & 15) + (code >> 6) * 9;
}
