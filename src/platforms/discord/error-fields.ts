import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import type { LogFields } from '#base';

/**
 * What may be logged of a thrown value. Discord's REST errors carry the request's URL, which
 * contains the interaction token, and its body: neither is logged.
 */
export function errorFields(error: unknown): LogFields {
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
