/** A Discord id, safe in URLs and mentions. */
const SNOWFLAKE = /^[1-9]\d{16,19}$/;

/** Discord's epoch, the start of 2015. */
const DISCORD_EPOCH = 1_420_070_400_000;

/** https://discord.com/developers/docs/reference#snowflakes */
export function isSnowflake(text: string): boolean {
  return SNOWFLAKE.test(text);
}

/** When Discord created the object with this id, in milliseconds since 1970. */
export function createdAt(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + DISCORD_EPOCH;
}
