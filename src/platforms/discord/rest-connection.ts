import type { BotRest } from './bot-rest.ts';
import type { Fault } from './gateway/faults.ts';

/**
 * Work that needs a valid token, with or without a gateway: registering commands and applying
 * gating rules.
 */
export interface RestConnection {
  /** Whether the token is valid, as far as we know. */
  readonly up: boolean;
  /** Requests with the token. */
  readonly rest: BotRest;
  readonly applicationId: string;
  /** The bot's own user; old applications have a different id. */
  readonly botId: string;
  /** Reports from outside that it can't continue. */
  fail(fault: Fault): void;
}
