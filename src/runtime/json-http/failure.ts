import { fieldOf } from '#core/json-field';

/** Error codes of Node and undici are fixed words, so they can't hold part of a request. */
const ERROR_CODE = /^[A-Z][A-Z_]{2,39}$/;

type FailureReason =
  | 'timeout'
  | 'connection'
  | 'private-address'
  | 'too-large'
  | 'encoding'
  | 'not-json';

/**
 * Why there's no usable reply. The message continues a sentence that names the service ("Discord
 * took too long to answer") and holds nothing of the request. The cause is what the network said,
 * which may quote the URL: leave it out where that holds a secret.
 */
export class HttpFailure extends Error {
  readonly reason: FailureReason;
  /** Of the connection, such as `ECONNREFUSED`; '' where there's none. */
  readonly code: string;

  constructor(reason: FailureReason, message: string, options?: { code?: string; cause: unknown }) {
    super(message, options);
    this.reason = reason;
    this.code = options?.code ?? '';
  }
}

/** @param error whatever undici or a decoder threw */
export function failureOf(error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error;
  if (error instanceof Error && /Timeout/.test(error.name)) {
    return new HttpFailure('timeout', 'took too long to respond', { cause: error });
  }
  const code = fieldOf(error, 'code');
  if (typeof code !== 'string' || !ERROR_CODE.test(code)) {
    return new HttpFailure('connection', 'could not be reached', { cause: error });
  }
  return new HttpFailure('connection', `could not be reached (${code})`, { code, cause: error });
}
