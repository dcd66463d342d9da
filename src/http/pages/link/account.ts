import { sanitizeText } from '#base';
import { type Profile, WEB } from '#command';

/** Graphemes of a name to show. */
const NAME_MAX = 64;

export interface AccountPlatform {
  readonly id: string;
  readonly label: string;
  /** The origin of its accounts' pictures; undefined if they have none. */
  readonly avatarOrigin: string | undefined;
}

/** For the page's Content-Security-Policy. */
export function avatarOrigins(platforms: readonly AccountPlatform[]): string[] {
  return platforms.flatMap(({ avatarOrigin }) => avatarOrigin ?? []);
}

/** An account with its texts sanitized; empty if there is none. */
export function shownAccount(
  { platform, id, name = '', username = '', avatar }: Profile,
  platforms: readonly AccountPlatform[],
) {
  const isAllowed = avatarOrigins(platforms).some((origin) => avatar?.startsWith(`${origin}/`));
  return {
    platform:
      platform === WEB ? 'Web' : (platforms.find((each) => each.id === platform)?.label ?? ''),
    id,
    name: sanitizeText(name, NAME_MAX),
    username: sanitizeText(username, NAME_MAX),
    avatar: isAllowed ? avatar : undefined,
  };
}
