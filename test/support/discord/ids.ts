/** 1 January 2026 in Discord's own count of milliseconds, so that ids have the length of today's. */
const BASE = BigInt(Date.UTC(2026, 0, 1) - 1_420_070_400_000) << 22n;
let last = 0n;

/** A new id in Discord's form, higher than all before. */
export function snowflake(): string {
  last += 1n;
  return String(BASE + last);
}
