import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import type { LogFields } from '#core/logger';

/**
 * What the log may know of a thrown value. Errors of Discord's REST carry the request's address, in
 * which the interaction's token stands, and its body: neither goes into a log.
 */
export function describe(error: unknown): LogFields {
  if (error instanceof DiscordAPIError) {
    const { status, code, method, message } = error;
    return { status, code, method, reason: message };
  }
  if (error instanceof HTTPError) return { status: error.status, reason: error.message };
  if (error instanceof RateLimitError) {
    return { route: error.route, reason: `no slot for ${Math.round(error.retryAfter / 1000)} s` };
  }
  return { err: error };
}
