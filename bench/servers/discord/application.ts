import { APPLICATION, BOT } from './world.ts';

/** Our application as everyone sees it. */
export const APPLICATION_RESPONSE = {
  id: APPLICATION,
  name: 'Fathom',
  icon: null,
  description: '',
  type: null,
  verify_key: '0'.repeat(64),
  flags: 0,
  flags_new: '0',
};

/** Our application as the bot itself sees it. */
export const OWN_APPLICATION_RESPONSE = {
  ...APPLICATION_RESPONSE,
  redirect_uris: [] as readonly string[],
  interactions_endpoint_url: null as string | null,
  role_connections_verification_url: null as string | null,
  owner: BOT,
  approximate_guild_count: 1,
  approximate_user_install_count: 0,
  approximate_user_authorization_count: 0,
  explicit_content_filter: 0,
  team: null,
  eligible_oauth2_scopes: ['identify', 'role_connections.write'],
};
