import { GrammyError, HttpError } from 'grammy';
import { type LogFields, type Logger, PlatformFault } from '#base';
import { type UnknownRefusal, unknownCodeIn, unknownRefusal } from '#gating';
import { describeCall } from '#platforms/telegram/connection/faults';

/** Why Telegram refuses a call for good. */
export type Refusal =
  /** The group is gone, or the bot was removed from it. */
  | 'gone'
  /** The bot isn't an administrator, or lacks the permission. */
  | 'no-right'
  /** They aren't there, or their account is gone. */
  | 'nobody'
  /** The bot doesn't know the account, which says nothing about whether they're there. */
  | 'stranger'
  /** The user is an administrator or the owner. */
  | 'administrator'
  /** Their join request was withdrawn, or answered by someone else. */
  | 'no-request'
  /** They're already in the group. */
  | 'member'
  /** They're in as many groups and channels as allowed. */
  | 'too-many'
  /** The group is full. */
  | 'full'
  /** An ordinary group has no bans, only removals. */
  | 'no-bans'
  /** The invite link was revoked or deleted, or is another group's. */
  | 'no-link';

/**
 * Told apart by their descriptions, as the Bot API has no other codes: its server's
 * (https://github.com/tdlib/telegram-bot-api) are in lower case, Telegram's own in capitals.
 */
const WORDS: readonly (readonly [Refusal, RegExp])[] = [
  ['no-request', /HIDE_REQUESTER_MISSING/],
  ['member', /USER_ALREADY_PARTICIPANT/],
  ['too-many', /CHANNELS_TOO_MUCH/],
  ['full', /USERS_TOO_MUCH/],
  ['administrator', /user is an administrator|remove chat owner|USER_ADMIN_INVALID/i],
  ['no-link', /INVITE_(?:HASH_(?:EXPIRED|INVALID|EMPTY)|REVOKED_MISSING)|invite link not found/i],
  ['no-bans', /available for supergroup/i],
  ['no-right', /not enough rights|need administrator rights|CHAT_ADMIN_(?:INVITE_)?REQUIRED/i],
  [
    'no-right',
    /have no rights to send|CHAT_(?:RESTRICTED|(?:\w+_)?(?:WRITE|SEND|SEND_\w+)_FORBIDDEN)/i,
  ],
  ['nobody', /(?:member|participant) not found|user is deactivated/i],
  ['nobody', /USER_(?:NOT_PARTICIPANT|KICKED)|INPUT_USER_DEACTIVATED/],
  ['stranger', /user not found|invalid user_id|(?:USER|PARTICIPANT)_ID_INVALID/i],
  ['gone', /chat not found|bot (?:was kicked|is not a member)|chat was deleted|not in the chat/i],
  ['gone', /chat is deactivated|CHANNEL_(?:PRIVATE|INVALID)|CHAT_(?:ID_INVALID|FORBIDDEN)/i],
  // It's about the group: an account that Telegram doesn't accept is USER_ID_INVALID or PARTICIPANT_ID_INVALID.
  ['gone', /PEER_ID_INVALID/],
];

/** A refusal established by more than one call. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusal: Refusal;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(`Telegram rejected it: ${refusal}`, options);
    this.refusal = refusal;
  }
}

/** @returns undefined for a fault that may pass, and for unknown descriptions */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refused) return error.refusal;
  if (!(error instanceof GrammyError) || !isRefused(error)) return undefined;
  return WORDS.find(([, words]) => words.test(error.description))?.[0];
}

/**
 * What becomes of a change that Telegram refuses for a reason that we don't know; undefined for a fault that
 * may pass. Its code is the number and, where Telegram's own server has one, the word in capitals.
 */
export function unknownRefusalIn(error: unknown): UnknownRefusal | undefined {
  if (!(error instanceof GrammyError) || newIdIn(error) !== undefined) return undefined;
  const { error_code: code } = error;
  if ((code !== 400 && code !== 403) || refusalOf(error) !== undefined) return undefined;
  const word = wordIn(error);
  return unknownRefusal(word === undefined ? code : `${code}:${word}`);
}

/** Telegram's own word for a refusal, such as `CHANNELS_TOO_MUCH`. */
function wordIn({ description }: GrammyError): string | undefined {
  return /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/.exec(description)?.[0];
}

/** For the log, which shows each code once an outage: what fails for one member fails for all. */
export function refusalFields(error: GrammyError): LogFields {
  const code = wordIn(error) ?? error.description;
  return { code, reason: describeCall(error) };
}

/** Called with a group whose id has changed. */
export type OnMoved = (from: string, to: string) => void;

/** The new id of a group that became a supergroup, if a call failed for that reason. */
export function newIdIn(error: unknown): string | undefined {
  const id = error instanceof GrammyError ? error.parameters.migrate_to_chat_id : undefined;
  return id === undefined ? undefined : String(id);
}

/**
 * Whether a failed call certainly changed nothing: it's neither Telegram's fault nor the network's.
 */
export function isRefused(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code >= 400 && error.error_code < 500;
}

/**
 * The error to throw for a failed call: a RetryableError without anything secret in it. Any other
 * error stays as it is.
 */
export function retryable(error: unknown, log: Logger): Error {
  if (!isOfCall(error)) return error instanceof Error ? error : new Error(String(error));
  const reason = describeCall(error);
  const unknown = unknownRefusalIn(error);
  if (error instanceof GrammyError && unknown !== undefined) {
    log.warn(refusalFields(error), 'Telegram: rejected a gating call for an unknown reason');
  }
  const asked = error instanceof GrammyError ? error.parameters.retry_after : undefined;
  return new PlatformFault(`Telegram: ${reason}`, {
    ...(asked !== undefined && { retryAfter: Math.ceil(asked) }),
    ...(unknown !== undefined && { code: unknownCodeIn(unknown) }),
  });
}

function isOfCall(error: unknown): boolean {
  if (error instanceof GrammyError || error instanceof HttpError) return true;
  // A wait for flood limits was aborted.
  return (
    error instanceof Refused || (error instanceof Error && /^Request aborted/.test(error.message))
  );
}
