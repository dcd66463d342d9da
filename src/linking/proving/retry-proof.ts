import { type LinkErrorCode, RetryableError, UserError } from '#base';
import type { Account } from '#command';
import type { Challenger, CheckedProof } from '#linking/challenge/challenger';
import type { LinkRequest, RequestWay } from '#linking/challenge/requests';
import type { LinkStore } from '#linking/store';

/** Seconds to keep an outcome for its account. */
export const HEARD_SECONDS = 600;

/** An account's request, by way of linking. */
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
 * Retries a signature that couldn't be checked. A rejection is stored in the request, for its
 * account.
 * @param keep what to do with a valid proof
 * @returns seconds until the next retry; undefined if it's settled, or there is none
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

/** Why a retried signature was rejected. */
export function settledRefusal({ settled }: LinkRequest): UserError | undefined {
  if (settled === undefined || 'outcome' in settled) return undefined;
  const { code, message, values } = settled;
  return new UserError(code, message, [], { values });
}
