import { DiscordAPIError, GatewayCloseCodes, HTTPError, RateLimitError } from 'discord.js';

export type FaultKind =
  | 'token'
  | 'intents'
  | 'refused'
  | 'sign-ins'
  | 'sharding'
  | 'limited'
  | 'trouble'
  | 'network'
  | 'bug';

/** Why there is no connection, in words for whoever runs the service. */
export interface Fault {
  readonly kind: FaultKind;
  /** What is wrong and what to do. */
  readonly detail: string;
  /** Milliseconds before which another try is pointless or does harm. */
  readonly wait: number;
  /** What was thrown, for the log. */
  readonly cause?: unknown;
}

const FINAL_CLOSES: ReadonlySet<number> = new Set([
  GatewayCloseCodes.AuthenticationFailed,
  GatewayCloseCodes.InvalidShard,
  GatewayCloseCodes.ShardingRequired,
  GatewayCloseCodes.InvalidAPIVersion,
  GatewayCloseCodes.InvalidIntents,
  GatewayCloseCodes.DisallowedIntents,
]);

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const TOKEN: Fault = {
  kind: 'token',
  detail:
    'Discord refuses the token. Make a new one in the Developer Portal (Bot, Reset Token) and set DISCORD_TOKEN to it.',
  // Discord resets tokens that fail too often, and bans addresses after 10,000 refusals in 10 minutes.
  wait: 5 * MINUTE,
};

const INTENTS: Fault = {
  kind: 'intents',
  detail:
    'Discord refuses the intents. Only Guilds is asked for, which every bot may have: look at the Bot page of the Developer Portal whether the application is disabled.',
  wait: 5 * MINUTE,
};

const MEMBERS_INTENT: Fault = {
  kind: 'intents',
  detail:
    'Discord refuses the intents. In the Developer Portal, switch on the Server Members Intent under Bot, or unset DISCORD_MEMBERS_INTENT.',
  wait: MINUTE,
};

/** Whether a shard stays away after the gateway closed with this code, instead of reconnecting. */
export function isFinalClose(code: number): boolean {
  return FINAL_CLOSES.has(code);
}

/** A code with which the gateway closed for good. https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway */
export function faultOfClose(code: number, membersIntent: boolean): Fault {
  switch (code) {
    case GatewayCloseCodes.AuthenticationFailed:
      return TOKEN;
    case GatewayCloseCodes.InvalidIntents:
    case GatewayCloseCodes.DisallowedIntents:
      return membersIntent ? MEMBERS_INTENT : INTENTS;
    case GatewayCloseCodes.ShardingRequired:
    case GatewayCloseCodes.InvalidShard:
      return {
        kind: 'sharding',
        detail: `Discord wants the servers split up differently (code ${code}); how is asked again.`,
        wait: MINUTE,
      };
    default:
      return {
        kind: 'refused',
        detail: `Discord closed the gateway for good (code ${code}). A newer version of Fathom may be needed.`,
        wait: 5 * MINUTE,
      };
  }
}

/** Found before anybody has signed in, so that nothing need be waited for. */
export const OTHER_PLAN: Fault = {
  kind: 'sharding',
  detail: 'Discord wants the servers split up differently than a moment ago; how is asked again.',
  wait: 0,
};

/** What stopped the signing in or a request with the token. */
export function faultOf(error: unknown): Fault {
  if (error instanceof DiscordAPIError) return faultOfStatus(error.status, error);
  if (error instanceof HTTPError) return faultOfStatus(error.status, error);
  if (error instanceof RateLimitError)
    return limited(Math.max(error.timeToReset, error.retryAfter), error);
  if (error instanceof TypeError || error instanceof RangeError) {
    return { kind: 'bug', detail: 'A bug of ours; it was logged.', wait: MINUTE, cause: error };
  }
  return unreachable(error);
}

export function unreachable(cause?: unknown): Fault {
  return {
    kind: 'network',
    detail:
      'Discord cannot be reached. Check the network and, if it is set, DISCORD_API_URL; it is tried again by itself.',
    wait: 0,
    cause,
  };
}

/** @param wait milliseconds, as Discord counts them */
export function tooManySignIns(wait: number): Fault {
  return {
    kind: 'sign-ins',
    detail:
      'Signing in to Discord is put off, for it allows a bot only 1,000 sign-ins a day. See whether the same token is in use elsewhere.',
    wait: Math.min(Math.max(0, wait), DAY),
  };
}

function limited(wait: number, cause: unknown): Fault {
  return {
    kind: 'limited',
    detail: 'Discord limits our requests; it is tried again when it allows.',
    wait,
    cause,
  };
}

function faultOfStatus(status: number, cause: unknown): Fault {
  if (status === 401) return TOKEN;
  if (status === 429) return limited(MINUTE, cause);
  if (status >= 500) {
    return {
      kind: 'trouble',
      detail: `Discord has trouble of its own (HTTP ${status}); see discordstatus.com. It is tried again by itself.`,
      wait: 0,
      cause,
    };
  }
  return {
    kind: 'refused',
    detail: `Discord refuses us (HTTP ${status}). See whether the application still exists and, if it is set, whether DISCORD_API_URL is right.`,
    wait: 5 * MINUTE,
    cause,
  };
}
