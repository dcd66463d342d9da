/** An id of Discord's: what may stand in an address, or in a mention. */
const SNOWFLAKE = /^[1-9]\d{16,19}$/;

/** The first second of 2015, from which ids count. */
const DISCORD_EPOCH = 1_420_070_400_000;

/** https://discord.com/developers/docs/reference#snowflakes */
export function isSnowflake(text: string): boolean {
  return SNOWFLAKE.test(text);
}

/** When Discord made the thing that has this id, in milliseconds since 1970. */
export function createdAt(snowflake: string): number {
  return Number(BigInt(snowflake) >> 22n) + DISCORD_EPOCH;
}
