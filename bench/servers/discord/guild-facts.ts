import { channel, GUILD } from './world.ts';

/** What Discord says about every guild. */
export const FACTS = {
  id: GUILD,
  name: 'A server',
  icon: null,
  splash: null,
  features: [],
  preferred_locale: 'en-US',
  emojis: [],
  stickers: [],
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
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

/** 1: everyone who moderates needs two-factor authentication, and so does the owner of each bot. */
export type MfaLevel = 0 | 1;

/** Only sent over the gateway. */
const STATE = {
  unavailable: false,
  large: false,
  member_count: 2,
  joined_at: '2026-01-01T00:00:00.000000+00:00',
  channels: [channel],
  threads: [],
  presences: [],
  voice_states: [],
  stage_instances: [],
  guild_scheduled_events: [],
  soundboard_sounds: [],
};

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A guild in a GUILD_CREATE. */
export function guildCreated(
  { id, name }: Named,
  owner: string,
  mfaLevel: MfaLevel,
  roles: readonly object[],
  members: readonly object[],
) {
  return { ...FACTS, ...STATE, id, name, mfa_level: mfaLevel, owner_id: owner, roles, members };
}

/** A guild in the REST API. https://discord.com/developers/docs/resources/guild#get-guild */
export function guildTold(
  { id, name }: Named,
  owner: string,
  mfaLevel: MfaLevel,
  roles: readonly object[],
) {
  return {
    ...FACTS,
    id,
    name,
    mfa_level: mfaLevel,
    owner_id: owner,
    roles,
    home_header: null,
    region: 'deprecated',
    widget_enabled: false,
    widget_channel_id: null,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    premium_subscription_count: 0,
    safety_alerts_channel_id: null,
    incidents_data: null,
  };
}
