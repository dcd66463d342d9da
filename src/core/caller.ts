import type { Profile } from '#core/links/account';

/** Who asks. */
export interface Caller extends Profile {
  /** Id of the guild or group in which they ask; undefined in a private chat. */
  readonly community?: string | undefined;
}
