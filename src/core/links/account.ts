import type { PlatformId } from '#core/platform';

/** Stands for a platform where somebody tries the commands on the page at `/`. */
export const WEB = 'web';

/** A person's account on a chat platform. Ids are the platform's own and are unique within it. */
export interface Account {
  readonly platform: PlatformId | typeof WEB;
  readonly id: string;
}

/** An account as other people see it. Everything but the id can change hands or be chosen freely. */
export interface Profile extends Account {
  /** The display name: a stranger's text, which may imitate anybody's. */
  readonly name?: string | undefined;
  /** Without `@`; unique on the platform at any one time. Telegram's accounts may have none. */
  readonly username?: string | undefined;
  /** https address of the picture on the platform's own CDN; undefined where it has none. */
  readonly avatar?: string | undefined;
}

/** `discord:1234`: how an account is named wherever one text must name it. */
export function accountKey({ platform, id }: Account): string {
  return `${platform}:${id}`;
}

/** The account's id in what `accountKey` has made. */
export function accountIdIn(key: string): string {
  return key.slice(key.indexOf(':') + 1);
}
