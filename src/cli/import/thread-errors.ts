import { messageOf, RetryableError, UserError, type UserErrorCode } from '#base';

/** An error in a form that survives `postMessage`, which would lose its class. */
export type PackedError =
  | { readonly kind: 'user'; readonly message: string; readonly code: UserErrorCode }
  | { readonly kind: 'retryable'; readonly message: string; readonly retryAfter: number }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string | undefined };

export function packError(error: unknown): PackedError {
  const message = messageOf(error);
  if (error instanceof UserError) return { kind: 'user', message, code: error.code };
  if (error instanceof RetryableError) {
    return { kind: 'retryable', message, retryAfter: error.retryAfter };
  }
  return { kind: 'bug', message, stack: error instanceof Error ? error.stack : undefined };
}

export function unpackError(packed: PackedError): Error {
  switch (packed.kind) {
    case 'user':
      return new UserError(packed.code, packed.message);
    case 'retryable':
      return new RetryableError(packed.message, { retryAfter: packed.retryAfter });
    case 'bug': {
      const error = new Error(packed.message);
      if (packed.stack !== undefined) error.stack = packed.stack;
      return error;
    }
  }
}
