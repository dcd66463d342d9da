import type { Profile } from './account.ts';

/** The caller. */
export interface Caller extends Profile {
  /** Id of the guild or group; undefined in a private chat. */
  readonly community?: string | undefined;
}
