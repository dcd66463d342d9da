import { randomBytes } from 'node:crypto';
import { UserError } from '#core/errors';
import type { ApiKey } from '#core/ports';

/** What every store of API keys has in common: their rows, their ids and what it refuses. */

export function keyOf(row: Readonly<Record<string, unknown>>): ApiKey {
  return {
    id: String(row.id),
    label: String(row.label),
    owner: String(row.owner),
    createdAt: Number(row.created_at),
    revokedAt: row.revoked_at === null ? undefined : Number(row.revoked_at),
  };
}

export function newKeyId(): string {
  return randomBytes(5).toString('hex');
}

export function keyLimit(liveLimit: number): UserError {
  return new UserError(
    'key-limit',
    `You have ${liveLimit} live keys already, which is the most. Revoke one first.`,
  );
}

export function keyNotFound(id: string): UserError {
  return new UserError('key-not-found', `There is no key with the id ${id}.`);
}
