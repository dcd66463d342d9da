import type { PlatformId } from '#base';

/** The platform id for the playground at `/`. */
export const WEB = 'web';

/** An account on a chat platform. Ids are the platform's own, unique within it. */
export interface Account {
  readonly platform: PlatformId | typeof WEB;
  readonly id: string;
}

/** An account as others see it. Everything but the id can change hands or be chosen freely. */
export interface Profile extends Account {
  /** The display name: untrusted text, which may imitate anyone's. */
  readonly name?: string | undefined;
  /** Without `@`; unique on the platform at any time. Optional on Telegram. */
  readonly username?: string | undefined;
  /** https URL of the avatar on the platform's own CDN; undefined if it has none. */
  readonly avatar?: string | undefined;
}

/** `discord:1234`: an account as a single text. */
export function accountKey({ platform, id }: Account): string {
  return `${platform}:${id}`;
}

/** The account's id in what `accountKey` has made. */
export function accountIdIn(key: string): string {
  return key.slice(key.indexOf(':') + 1);
}

/** The caller. */
export interface Caller extends Profile {
  /** Id of the guild or group; undefined in a private chat. */
  readonly community?: string | undefined;
  /** When they joined it, as the platform writes it with each command; undefined if it doesn't. */
  readonly joinedAt?: string | undefined;
  /** When they asked, by the platform's clock, in seconds since 1970; undefined if it doesn't say. */
  readonly askedAt?: number | undefined;
}
