import { snowflake } from './ids.ts';

/** The people and places of the stand-in, in the form that Discord tells of them. */

export const APPLICATION = snowflake();
export const BOT = user('fathom', { bot: true });
export const GUILD = snowflake();
const CHANNEL = snowflake();
const EVERYBODY = GUILD;

export type User = ReturnType<typeof user>;

/** A new account. */
export function user(name: string, more: { bot?: boolean } = {}) {
  return {
    id: snowflake(),
    username: name,
    global_name: null,
    avatar: null,
    discriminator: '0',
    public_flags: 0,
    flags: 0,
    primary_guild: null,
    ...more,
  };
}

function member(person: User) {
  return {
    user: person,
    nick: null,
    avatar: null,
    roles: [],
    joined_at: '2026-01-01T00:00:00.000000+00:00',
    premium_since: null,
    permissions: '2248473465835073',
    pending: false,
    deaf: false,
    mute: false,
    flags: 0,
  };
}

const channel = {
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

export const guildCreate = {
  id: GUILD,
  name: 'A server',
  icon: null,
  splash: null,
  owner_id: BOT.id,
  unavailable: false,
  large: false,
  member_count: 2,
  joined_at: '2026-01-01T00:00:00.000000+00:00',
  preferred_locale: 'en-US',
  features: [],
  roles: [
    {
      id: EVERYBODY,
      name: '@everyone',
      color: 0,
      colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
      permissions: '2248473465835073',
      position: 0,
      hoist: false,
      managed: false,
      mentionable: false,
      flags: 0,
    },
  ],
  channels: [channel],
  members: [member(BOT)],
  threads: [],
  emojis: [],
  stickers: [],
  presences: [],
  voice_states: [],
  stage_instances: [],
  guild_scheduled_events: [],
  soundboard_sounds: [],
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  mfa_level: 0,
  nsfw_level: 0,
  nsfw: false,
  premium_tier: 0,
  premium_progress_bar_enabled: false,
  system_channel_flags: 0,
  system_channel_id: null,
  rules_channel_id: null,
  public_updates_channel_id: null,
  afk_channel_id: null,
  afk_timeout: 300,
  application_id: null,
  banner: null,
  description: null,
  discovery_splash: null,
  vanity_url_code: null,
};

/** Where something is done: in the server, or in a direct message to the bot. */
export type Place = 'server' | 'dm';

/** What an interaction says of who did it and where. */
export function whoAndWhere(person: User, place: Place) {
  const common = { channel_id: CHANNEL, app_permissions: '2248473465835073' };
  if (place === 'server') {
    return {
      ...common,
      channel,
      guild_id: GUILD,
      guild: { id: GUILD, locale: 'en-US', features: [] },
      guild_locale: 'en-US',
      member: member(person),
      context: 0,
      authorizing_integration_owners: { 0: GUILD },
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

/** A message of the bot's as Discord gives it out. */
export function messageOf(id: string, body: Loose, hidden: boolean) {
  let next = 1;
  const numbered = (part: Loose): Loose => {
    const own: Record<string, unknown> = { ...part, id: next++ };
    if (Array.isArray(part.components)) own.components = part.components.map(numbered);
    if (part.type === 3) Object.assign(own, { min_values: 1, max_values: 1 });
    return own;
  };
  return {
    id,
    type: 20,
    channel_id: CHANNEL,
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
    attachments: [],
    author: BOT,
    timestamp: '2026-11-20T12:00:00.000000+00:00',
    edited_timestamp: null,
    flags: hidden ? 64 : 0,
    pinned: false,
    tts: false,
    application_id: APPLICATION,
    webhook_id: APPLICATION,
  };
}
