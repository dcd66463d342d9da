import type { BotRest } from './bot-rest.ts';
import type { Fault } from './gateway/faults.ts';

/**
 * What can be done with a token that Discord has found to be good, whether there is a gateway or not:
 * the commands are registered and gating's rules are followed with it.
 */
export interface RestConnection {
  /** Whether the token is good, as far as is known. */
  readonly up: boolean;
  /** Requests with the token. */
  readonly rest: BotRest;
  readonly applicationId: string;
  /** The bot's own account, which an old application has apart from it. */
  readonly botId: string;
  /** Something outside found that it can't go on. */
  fail(fault: Fault): void;
}
