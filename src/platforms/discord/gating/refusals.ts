import { sanitizeText } from '#base';
import { type PlatformRefusal, type UnknownRefusal, unknownRefusal } from '#gating';
import { isRefusal } from '#platforms/discord/rest/errors';

/** Length of the header as sent. https://discord.com/developers/docs/resources/audit-log */
const REASON = 512;

/** A reason for the server's audit log, encoded for the header, where most characters take three. */
export function auditReason(reason: string): string {
  for (let most = REASON; most > 0; most -= 10) {
    const text = sanitizeText(reason, most);
    if (encodeURIComponent(text).length <= REASON) return text;
  }
  return '';
}

/**
 * Discord's codes for a change of a member's roles.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#json-json-error-codes
 */
const BY_CODE: Readonly<Record<number, PlatformRefusal | 'left'>> = {
  10004: 'no-community',
  10007: 'left',
  10011: 'no-role',
  10013: 'left',
  // They were banned while we asked.
  40007: 'left',
  50001: 'no-community',
  50013: 'not-allowed',
  50028: 'invalid-role',
  60003: 'needs-2fa',
};

/** @returns undefined if it isn't a refusal by Discord, or is our bug */
export function refusalIn(error: unknown): PlatformRefusal | UnknownRefusal | 'left' | undefined {
  if (!isRefusal(error)) return undefined;
  return BY_CODE[error.code] ?? unknownRefusal(error.code);
}

/** The same of a change that's about no member. */
export function roleRefusalOf(error: unknown): PlatformRefusal | UnknownRefusal | undefined {
  const refusal = refusalIn(error);
  return refusal === 'left' ? 'no-community' : refusal;
}
