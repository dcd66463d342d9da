import type { Profile } from '#core/links/account';
import { literal } from '#core/literal';

/** Graphemes of a name. */
const NAME_MAX = 64;

const PLATFORMS = { discord: 'Discord', telegram: 'Telegram', web: 'Web' } as const;

/**
 * Where pictures of accounts come from. A Telegram bot only gets them at addresses that hold its
 * token, so its accounts have none here.
 */
export const AVATAR_ORIGINS = ['https://cdn.discordapp.com'];

/** An account with its texts made fit to be shown; empty where there is none. */
export function shownAccount({ platform, id, name = '', username = '', avatar }: Profile) {
  const isAllowed = AVATAR_ORIGINS.some((origin) => avatar?.startsWith(`${origin}/`));
  return {
    platform: PLATFORMS[platform],
    id,
    name: literal(name, NAME_MAX),
    username: literal(username, NAME_MAX),
    avatar: isAllowed ? avatar : undefined,
  };
}
