/** Discord's epoch in milliseconds: ids contain their time of creation. */
const EPOCH = 1_420_070_400_000;
let last = 0n;

/** A new id in Discord's format, higher than all before. */
export function snowflake(): string {
  const now = BigInt(Date.now() - EPOCH) << 22n;
  last = last < now ? now : last + 1n;
  return String(last);
}

/** What happens from now on is a second later, as dates in seconds tell. */
export function passSecond(): void {
  last += 1000n << 22n;
}
