import { DiscordAPIError, HTTPError, RateLimitError, RESTJSONErrorCodes } from 'discord.js';
import { RetryableError } from '#base';

/** What looks like a refusal and passes: of Discord's whole service, or of its protection from floods. */
const PASSING: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.SendMessagesHasBeenTemporarilyDisabled,
  RESTJSONErrorCodes.FeatureTemporarilyDisabledServerSide,
  RESTJSONErrorCodes.CloudflareIsBlockingYourRequest,
  RESTJSONErrorCodes.APIResourceOverloaded,
]);

/** Discord refused the request itself; a proxy or firewall before it has no codes like these. */
export function isRefusal(error: unknown): error is DiscordAPIError & { readonly code: number } {
  return (
    error instanceof DiscordAPIError &&
    typeof error.code === 'number' &&
    error.code > 0 &&
    !PASSING.has(error.code) &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== 401 &&
    error.status !== 429
  );
}

/** A retry can't help. */
export function isBug(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError;
}

/** A fault of Discord or the network, not of our request. */
export function isTransient(error: unknown): boolean {
  if (error instanceof HTTPError) return error.status >= 500;
  return !(error instanceof DiscordAPIError) && !(error instanceof RateLimitError) && !isBug(error);
}

const UNREACHED: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** No connection came about, so that nothing was sent. */
export function isConnectFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && UNREACHED.has(error.code);
}

/** Discord said that it did nothing, as it asks for a pause or another token. */
export function isUnprocessed(error: unknown): boolean {
  if (error instanceof RateLimitError) return true;
  const isAnswered = error instanceof DiscordAPIError || error instanceof HTTPError;
  return isAnswered && (error.status === 401 || error.status === 429);
}

/** For a request that failed without being refused. */
export function retryableOf(error: unknown): RetryableError {
  if (error instanceof RateLimitError) {
    return retryable('Discord is rate-limiting us.', Math.max(error.timeToReset, error.retryAfter));
  }
  const isAnswered = error instanceof DiscordAPIError || error instanceof HTTPError;
  return new RetryableError(
    isAnswered
      ? `Discord answered HTTP ${error.status}${codeIn(error)}.`
      : "Discord didn't answer in time.",
  );
}

function codeIn(error: DiscordAPIError | HTTPError): string {
  return 'code' in error && PASSING.has(error.code) ? ` with code ${error.code}` : '';
}

export function retryable(message: string, milliseconds: number): RetryableError {
  return new RetryableError(message, { retryAfter: Math.max(1, Math.ceil(milliseconds / 1000)) });
}
