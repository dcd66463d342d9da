import { GrammyError, HttpError } from 'grammy';
import { RetryableError } from '#core/errors';
import type { Logger } from '#core/logger';
import { describeCall } from '#platforms/telegram/connection/faults';

/** Why Telegram doesn't do what is asked, where asking again is no use. */
export type Refusal =
  /** The group is gone, or the bot was thrown out of it. */
  | 'gone'
  /** The bot is no administrator, or lacks the right. */
  | 'no-right'
  /** The person isn't known there. */
  | 'nobody'
  /** The person is an administrator or the owner. */
  | 'administrator'
  /** They don't ask to join any more: withdrawn, or answered by somebody else. */
  | 'no-request'
  /** They are in already. */
  | 'member'
  /** They are in as many groups as they may be, or as many are in this one. */
  | 'no-room'
  /** An ordinary group has no bans, only removals. */
  | 'no-bans';

/**
 * Told apart by their words, as the Bot API has no other codes: those of its server
 * (https://github.com/tdlib/telegram-bot-api) in lower case, those of Telegram itself in capitals.
 */
const WORDS: readonly (readonly [Refusal, RegExp])[] = [
  ['no-request', /HIDE_REQUESTER_MISSING/],
  ['member', /USER_ALREADY_PARTICIPANT/],
  ['no-room', /(?:CHANNELS|USERS)_TOO_MUCH/],
  ['administrator', /user is an administrator|remove chat owner|USER_ADMIN_INVALID/i],
  ['no-bans', /available for supergroup/i],
  ['no-right', /not enough rights|need administrator rights|CHAT_ADMIN_(?:INVITE_)?REQUIRED/i],
  ['nobody', /(?:user|member|participant) not found|invalid user_id|user is deactivated/i],
  ['nobody', /USER_(?:ID_INVALID|NOT_PARTICIPANT)|PARTICIPANT_ID_INVALID|INPUT_USER_DEACTIVATED/],
  ['gone', /chat not found|bot (?:was kicked|is not a member)|chat was deleted|not in the chat/i],
  ['gone', /chat is deactivated|CHANNEL_(?:PRIVATE|INVALID)|CHAT_(?:ID_INVALID|FORBIDDEN)/i],
];

/** A refusal that was found out by more than one call. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly refusal: Refusal;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(`Telegram refuses it: ${refusal}`, options);
    this.refusal = refusal;
  }
}

/** @returns undefined for a fault that may pass, and for words that nobody knows */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refused) return error.refusal;
  if (!(error instanceof GrammyError) || !isRefused(error)) return undefined;
  return WORDS.find(([, words]) => words.test(error.description))?.[0];
}

/** Told of a group that is known by another id now. */
export type OnMoved = (from: string, to: string) => void;

/** The id that a group has since it became a supergroup, when a call failed for that. */
export function newIdIn(error: unknown): string | undefined {
  const id = error instanceof GrammyError ? error.parameters.migrate_to_chat_id : undefined;
  return id === undefined ? undefined : String(id);
}

/** Whether nothing was changed by a call that failed: neither a fault of Telegram's nor of the way there. */
export function isRefused(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code >= 400 && error.error_code < 500;
}

/**
 * What to throw for an error of a call: one that says to try again, with nothing in it that is secret.
 * An error that is not of a call stays what it is.
 */
export function retryable(error: unknown, log: Logger): Error {
  if (!isOfCall(error)) return error instanceof Error ? error : new Error(String(error));
  const reason = describeCall(error);
  const isOdd = error instanceof GrammyError && /^(?:400|403)$/.test(String(error.error_code));
  if (isOdd && refusalOf(error) === undefined && newIdIn(error) === undefined) {
    log.error({ reason }, 'Telegram: a call for gating was refused with words that are not known');
  }
  const asked = error instanceof GrammyError ? error.parameters.retry_after : undefined;
  return new RetryableError(`Telegram: ${reason}`, {
    ...(asked !== undefined && { retryAfter: Math.ceil(asked) }),
  });
}

function isOfCall(error: unknown): boolean {
  if (error instanceof GrammyError || error instanceof HttpError) return true;
  // Of a wait for the flood limits that was ended.
  return (
    error instanceof Refused || (error instanceof Error && /^Request aborted/.test(error.message))
  );
}
