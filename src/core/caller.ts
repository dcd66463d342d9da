import type { Profile } from '#core/links/account';

/** The caller. */
export interface Caller extends Profile {
  /** Id of the guild or group; undefined in a private chat. */
  readonly community?: string | undefined;
}
