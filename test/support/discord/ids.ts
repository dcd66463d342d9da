/** The start of this process in Discord's own count of milliseconds: an id tells when it was made. */
const BASE = BigInt(Date.now() - 1_420_070_400_000) << 22n;
let last = 0n;

/** A new id in Discord's form, higher than all before. */
export function snowflake(): string {
  last += 1n;
  return String(BASE + last);
}
