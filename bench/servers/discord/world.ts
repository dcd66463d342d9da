import { snowflake } from './ids.ts';
import { layoutResponse } from './layout-response.ts';
import { LAYOUT_FLAG } from './layout-rules.ts';
import type { Attached } from './uploads.ts';

/** The stand-in's users and places, in Discord's format. */

export const APPLICATION = snowflake();
export const BOT = user('fathom', { bot: true });
export const GUILD = snowflake();
const CHANNEL = snowflake();
/**
 * Where users bring the bot that they've installed for themselves. It's a millisecond and a half
 * younger than the server: of two shards, it's on the other one, and no new id gets that far within
 * a millisecond.
 */
/** Another server that has invited it. */
export const SECOND_GUILD = snowflake();
const ELSEWHERE = String(BigInt(GUILD) + (3n << 21n));
/** @everyone's permissions: nothing that affects others. */
export const EVERYBODY_MAY = 2248473465835073n;

export type User = ReturnType<typeof user>;

/** A new account. */
export function user(
  name: string,
  more: { bot?: boolean; global_name?: string; avatar?: string } = {},
) {
  return {
    id: snowflake(),
    username: name,
    global_name: null as string | null,
    avatar: null as string | null,
    discriminator: '0',
    public_flags: 0,
    flags: 0,
    primary_guild: null,
    ...more,
  };
}

/** When everybody joined who hasn't left since. */
export const JOINED = '2026-01-01T00:00:00.000000+00:00';

/** As a guest, who may only be in the voice channel that they were invited to. */
const GUEST = 16;

/** Whether somebody hasn't passed the membership screening yet, or is a guest. */
export type Pending = boolean | 'guest';

/** A member in the REST API. */
export function memberOf(
  person: User,
  roles: readonly string[],
  pending: Pending = false,
  joined = JOINED,
) {
  return {
    user: person,
    nick: null as string | null,
    avatar: null,
    banner: null,
    communication_disabled_until: null,
    roles,
    joined_at: joined,
    premium_since: null,
    pending: pending === true,
    deaf: false,
    mute: false,
    flags: pending === 'guest' ? GUEST : 0,
  };
}

/** The channel where it happens. */
export const channel = {
  id: CHANNEL,
  type: 0,
  guild_id: GUILD,
  name: 'general',
  position: 0,
  permission_overwrites: [],
  nsfw: false,
  topic: null,
  parent_id: null,
  last_message_id: null,
  rate_limit_per_user: 0,
  flags: 0,
};

/** A public thread in that channel, as interactions tell of it: https://discord.com/developers/docs/topics/threads */
export function threadOf(id: string) {
  const thread_metadata = {
    archived: false,
    archive_timestamp: '2026-11-20T12:00:00.000000+00:00',
    auto_archive_duration: 4320,
    locked: false,
    create_timestamp: '2026-11-20T12:00:00.000000+00:00',
  };
  return {
    channel_id: id,
    channel: {
      id,
      type: 11,
      guild_id: GUILD,
      name: 'welcome',
      parent_id: CHANNEL,
      owner_id: snowflake(),
      last_message_id: null,
      rate_limit_per_user: 0,
      message_count: 1,
      member_count: 2,
      total_message_sent: 1,
      thread_metadata,
      flags: 0,
    },
  };
}

/** Where it happens: in the server, in another one, or in a direct message to the bot. */
export type Place = 'server' | 'second' | 'elsewhere' | 'dm';

/**
 * The fields of an interaction that say who and where. @param may their permissions in that channel
 */
export function whoAndWhere(
  person: User,
  place: Place,
  roles: readonly string[] = [],
  may: bigint = EVERYBODY_MAY,
  pending: Pending = false,
  joined = JOINED,
) {
  const common = { channel_id: CHANNEL, app_permissions: String(EVERYBODY_MAY) };
  if (place !== 'dm') {
    const id = { server: GUILD, second: SECOND_GUILD, elsewhere: ELSEWHERE }[place];
    return {
      ...common,
      channel: { ...channel, guild_id: id },
      guild_id: id,
      guild: { id, locale: 'en-US', features: [] },
      guild_locale: 'en-US',
      member: { ...memberOf(person, roles, pending, joined), permissions: String(may) },
      context: 0,
      authorizing_integration_owners: place === 'elsewhere' ? { 1: person.id } : { 0: id },
    };
  }
  const dm = snowflake();
  return {
    ...common,
    channel_id: dm,
    channel: { id: dm, type: 1, last_message_id: null, flags: 0, recipients: [person] },
    user: person,
    context: 1,
    authorizing_integration_owners: { 0: '0' },
  };
}

type Loose = Readonly<Record<string, unknown>>;

/** One of the bot's messages, as Discord returns it. */
export function messageOf({
  id,
  body,
  hidden,
  files,
  channel = CHANNEL,
}: {
  readonly id: string;
  readonly body: Loose;
  readonly hidden: boolean;
  readonly files: readonly Attached[];
  readonly channel?: string;
}) {
  const flags = Number(body.flags ?? 0) & LAYOUT_FLAG;
  let next = 1;
  const numbered = (part: Loose): Loose => {
    const own: Record<string, unknown> = { ...layoutResponse(part), id: next++ };
    if (Array.isArray(part.components)) own.components = part.components.map(numbered);
    if (part.accessory !== undefined) own.accessory = numbered(part.accessory as Loose);
    if (part.type === 3) Object.assign(own, { min_values: 1, max_values: 1 });
    return own;
  };
  return {
    id,
    type: 20,
    channel_id: channel,
    content: body.content ?? '',
    embeds: ((body.embeds ?? []) as Loose[]).map((embed) => ({
      type: 'rich',
      ...embed,
      ...(Array.isArray(embed.fields) && {
        fields: embed.fields.map((field: Loose) => ({ inline: false, ...field })),
      }),
    })),
    components: ((body.components ?? []) as Loose[]).map(numbered),
    mentions: [],
    mention_roles: [],
    mention_everyone: false,
    attachments: files.map((file) => ({
      id: file.id,
      filename: file.name,
      size: file.bytes,
      url: `https://cdn.invalid/${file.id}/${file.name}`,
      proxy_url: `https://media.invalid/${file.id}/${file.name}`,
    })),
    author: BOT,
    timestamp: '2026-11-20T12:00:00.000000+00:00',
    edited_timestamp: null,
    flags: hidden ? flags | 64 : flags,
    pinned: false,
    tts: false,
    application_id: APPLICATION,
    webhook_id: APPLICATION,
  };
}
