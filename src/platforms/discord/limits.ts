/** Discord's limits. Lengths are in UTF-16 units, never fewer than Discord counts. */

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
export const EMBED = {
  title: 256,
  description: 4096,
  fields: 25,
  fieldName: 256,
  fieldValue: 1024,
  footer: 2048,
  /** Total text of all embeds of a message. */
  total: 6000,
} as const;

/** https://discord.com/developers/docs/components/reference */
export const COMPONENTS = {
  rows: 5,
  buttonsARow: 5,
  buttonLabel: 80,
  url: 512,
  customId: 100,
  menuChoices: 25,
  menuLabel: 100,
  menuDetail: 100,
  menuPlaceholder: 150,
  menuValue: 100,
} as const;

/** https://discord.com/developers/docs/components/reference#component-object */
export const LAYOUT = {
  /** Components of a message, nested ones included. */
  components: 40,
  /** Total text of a message. */
  text: 4000,
  mediaDescription: 1024,
  mediaUrl: 2048,
} as const;

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-modal */
export const FORM = {
  title: 45,
  label: 45,
  about: 100,
  /** https://discord.com/developers/docs/components/reference#text-input */
  text: 4000,
} as const;

/** https://discord.com/developers/docs/reference#uploading-files */
export const FILE = {
  name: 100,
} as const;

/** https://discord.com/developers/docs/interactions/application-commands#application-command-object */
export const COMMANDS = {
  /** In a menu: what's typed is shorter, and a word. */
  name: 32,
  about: 100,
  options: 25,
  choices: 25,
  choiceName: 100,
  choiceValue: 100,
} as const;

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-callback */
export const INTERACTION = {
  /** Milliseconds to acknowledge an interaction. */
  acknowledge: 3_000,
  /** Milliseconds its token is valid. */
  token: 15 * 60_000,
} as const;

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
