import { DiscordAPIError, GatewayCloseCodes, HTTPError, RateLimitError } from 'discord.js';
import { failureOf, HttpFailure } from '#base/json-http';
import { nameOfProxy } from '#base/process';

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

/** Why there is no connection, for the operator. */
export interface Fault {
  readonly kind: FaultKind;
  /** What's wrong and what to do. */
  readonly detail: string;
  /** What a connection that is kept does about it; a check that ends does nothing. */
  readonly next?: string;
  /** Milliseconds to wait, as retrying sooner is pointless or harmful. */
  readonly wait: number;
  /** The cause, for the log. */
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

const RETRYING = "We'll retry.";

const TOKEN: Fault = {
  kind: 'token',
  detail:
    'Discord rejects the token. Create a new one in the Developer Portal (Bot, Reset Token) and set DISCORD_TOKEN to it.',
  // Discord resets tokens that fail too often, and bans IP addresses after 10,000 rejections in 10
  // minutes.
  wait: 5 * MINUTE,
};

const INTENTS: Fault = {
  kind: 'intents',
  detail:
    'Discord rejects the intents. We only request Guilds, which every bot may have: check on the Bot page of the Developer Portal whether the application is disabled.',
  wait: 5 * MINUTE,
};

const MEMBERS_INTENT: Fault = {
  kind: 'intents',
  detail:
    'Discord rejects the intents. In the Developer Portal, enable the Server Members Intent under Bot, or unset DISCORD_MEMBERS_INTENT.',
  wait: MINUTE,
};

/** What a connection that is kept says of a fault. */
export function describeFault({ detail, next }: Fault): string {
  return next === undefined ? detail : `${detail} ${next}`;
}

/** Whether a shard stays disconnected after this close code, rather than reconnecting. */
export function isFinalClose(code: number): boolean {
  return FINAL_CLOSES.has(code);
}

/**
 * A fatal close code. https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway
 */
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
        detail: `Discord requires resharding (code ${code}); fetching the new plan.`,
        wait: MINUTE,
      };
    default:
      return {
        kind: 'refused',
        detail: `Discord closed the gateway for good (code ${code}). You may need a newer version of Fathom.`,
        wait: 5 * MINUTE,
      };
  }
}

/** Detected before signing in, so there's nothing to wait for. */
export const OTHER_PLAN: Fault = {
  kind: 'sharding',
  detail: "Discord's sharding has just changed; fetching the new plan.",
  wait: 0,
};

/** Explains why signing in, or a request with the token, failed. */
export function faultOf(error: unknown): Fault {
  if (error instanceof DiscordAPIError) return faultOfStatus(error.status, error);
  if (error instanceof HTTPError) return faultOfStatus(error.status, error);
  if (error instanceof RateLimitError)
    return limited(Math.max(error.timeToReset, error.retryAfter), error);
  if (error instanceof TypeError || error instanceof RangeError) {
    return {
      kind: 'bug',
      detail: 'A bug in Fathom; it has been logged.',
      wait: MINUTE,
      cause: error,
    };
  }
  return unreachable(error);
}

export function unreachable(cause?: unknown): Fault {
  // What the proxy answered.
  const what = cause instanceof HttpFailure ? `Discord ${cause.message}` : "Can't reach Discord";
  return {
    kind: 'network',
    detail: `${what}. Check the network and, if they're set, HTTPS_PROXY and DISCORD_API_URL.`,
    next: RETRYING,
    wait: 0,
    cause,
  };
}

/** @param wait milliseconds, as Discord gives them */
export function tooManySignIns(wait: number): Fault {
  return {
    kind: 'sign-ins',
    detail:
      'Signing in to Discord is delayed, as it allows a bot only 1,000 sign-ins a day. Check whether the token is used elsewhere.',
    wait: Math.min(Math.max(0, wait), DAY),
  };
}

function limited(wait: number, cause: unknown): Fault {
  return {
    kind: 'limited',
    detail: 'Discord is rate-limiting us.',
    next: "We'll retry when it allows.",
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
      detail: `Discord has an internal error (HTTP ${status}); see discordstatus.com.`,
      next: RETRYING,
      wait: 0,
      cause,
    };
  }
  return {
    kind: 'refused',
    detail: `Discord rejects our requests (HTTP ${status}). Check that the application still exists and, if it's set, that DISCORD_API_URL is right.`,
    wait: 5 * MINUTE,
    cause,
  };
}

/** The proxy doesn't lead to the gateway. */
export function barred(proxy: URL, gateway: string, cause: unknown): Fault {
  const why = failureOf(cause).message;
  const detail = `Discord's gateway ${gateway} ${why}, by way of ${nameOfProxy(proxy)}. Let that pass *.discord.gg at port 443, or set DISCORD_MODE=http.`;
  return { kind: 'network', detail, next: RETRYING, wait: 0, cause };
}
