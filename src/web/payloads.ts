/**
 * The messages of the two platforms in the shape of their APIs: only what the pages draw of them.
 * They are declared here again because a room knows no other room; the renderers' own types fit.
 */

/** https://discord.com/developers/docs/resources/message */
export interface DiscordMessage {
  readonly content?: string | undefined;
  /** 64: only the one who asked sees it. */
  readonly flags?: number | undefined;
  readonly embeds?: readonly DiscordEmbed[] | undefined;
  /** Rows (type 1) of buttons (2) and menus (3). */
  readonly components?: readonly unknown[] | undefined;
}

interface DiscordEmbed {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** 24 bits of RGB. */
  readonly color?: number | undefined;
  readonly fields?:
    | readonly {
        readonly name: string;
        readonly value: string;
        readonly inline?: boolean | undefined;
      }[]
    | undefined;
  readonly footer?: { readonly text: string } | undefined;
  readonly timestamp?: string | undefined;
}

/** https://core.telegram.org/bots/api#sendmessage */
export interface TelegramMessage {
  readonly text: string;
  /** Offsets and lengths in UTF-16 units. */
  readonly entities?:
    | readonly { readonly type: string; readonly offset: number; readonly length: number }[]
    | undefined;
  readonly reply_markup?: { readonly inline_keyboard: readonly (readonly unknown[])[] } | undefined;
}
