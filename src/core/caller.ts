import type { Account } from '#core/links/account';

/** Who asks. */
export interface Caller extends Account {
  /** As the platform shows them: a stranger's text. */
  readonly name?: string | undefined;
  /** Id of the guild or group in which they ask; undefined in a private chat. */
  readonly community?: string | undefined;
}
