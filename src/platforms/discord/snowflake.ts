/** An id of Discord's: what may stand in an address, or in a mention. */
const SNOWFLAKE = /^[1-9]\d{16,19}$/;

/** https://discord.com/developers/docs/reference#snowflakes */
export function isSnowflake(text: string): boolean {
  return SNOWFLAKE.test(text);
}
