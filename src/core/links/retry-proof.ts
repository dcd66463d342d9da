import { type LinkErrorCode, RetryableError, UserError } from '#core/errors';
import type { Account } from '#core/links/account';
import type { Challenger, CheckedProof } from '#core/links/challenger';
import type { LinkRequest, RequestWay } from '#core/links/requests';
import type { LinkStore } from '#core/links/store';

/** Seconds for which what came of a signature is kept for its account to hear. */
export const HEARD_SECONDS = 600;

/** One account's request of one way. */
export interface RequestKey {
  readonly account: Account;
  readonly way: RequestWay;
}

export interface RetryParts {
  readonly store: LinkStore;
  readonly challenger: Challenger;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/**
 * Tries a signature again that could not be checked. A refusal is kept in the request, for its
 * account to hear.
 * @param keep what is to be done with a proof that holds
 * @returns seconds until it is to be tried once more; undefined when it is settled, or there is none
 */
export async function retryProof(
  { store, challenger, now }: RetryParts,
  key: RequestKey,
  keep: (checked: CheckedProof) => Promise<unknown>,
): Promise<number | undefined> {
  const found = await store.findRequest(key, now());
  if (found?.pending === undefined) return undefined;
  try {
    await keep(await challenger.recheck(found, now()));
    return undefined;
  } catch (error) {
    if (error instanceof RetryableError) return error.retryAfter;
    if (!(error instanceof UserError)) throw error;
    const current = await store.findRequest(key, now());
    if (current?.id !== found.id) return undefined;
    const { code, message, values } = error;
    const settled = { code: code as LinkErrorCode, message, values };
    const expiresAt = Math.max(current.expiresAt, now() + HEARD_SECONDS);
    await store.changeRequest({ ...current, pending: undefined, settled, expiresAt });
    return undefined;
  }
}

/** Why the signature of a request was refused when it was tried again. */
export function settledRefusal({ settled }: LinkRequest): UserError | undefined {
  if (settled === undefined || 'outcome' in settled) return undefined;
  const { code, message, values } = settled;
  return new UserError(code, message, [], { values });
}
