import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { RetryableError } from '#core/errors';

/** Discord understood, and says no. What stands before it (a proxy, a wall) has no codes like these. */
export function isRefusal(error: unknown): error is DiscordAPIError & { readonly code: number } {
  return (
    error instanceof DiscordAPIError &&
    typeof error.code === 'number' &&
    error.code > 0 &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== 401 &&
    error.status !== 429
  );
}

/** Trying again can't help. */
export function isBug(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError;
}

/** A fault of Discord's or of the network, not of what we sent. */
export function mayPass(error: unknown): boolean {
  if (error instanceof HTTPError) return error.status >= 500;
  return !(error instanceof DiscordAPIError) && !(error instanceof RateLimitError) && !isBug(error);
}

export function retryable(message: string, milliseconds: number): RetryableError {
  return new RetryableError(message, { retryAfter: Math.max(1, Math.ceil(milliseconds / 1000)) });
}
