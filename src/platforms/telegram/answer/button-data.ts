import { hash } from 'node:crypto';
import { BoundedMap } from '#base';
import { CALL_CODE_MAX, type Call, type Card } from '#command';
import type { Command, CommandRequest } from '#commands/answering';

/*
 * We answer moderators' commands in their private chat, where nothing says which group the card is
 * about. So its buttons carry the group's id before the call: `@-1001234567890`. This survives
 * restarts but proves nothing: clients can send any data and moderators change, so we check the
 * user's rights on every press.
 */
const CARRIED = /^@(-[1-9]\d{0,15})(.+)$/s;

/**
 * Whether a command's buttons may carry a group. To all others the group is where the caller is: with one of their
 * choice, they'd see what its members show there alone.
 */
export function carriesCommunity({ forModerators, isOfCommunity }: Command): boolean {
  return forModerators === true || isOfCommunity === true;
}

/** Prefixes a call's code with its group; undefined if the result is too long. */
export function encodeButtonData(code: string, community: string): string | undefined {
  const data = `@${community}${code}`;
  // All ASCII, so characters are bytes.
  return data.length <= CALL_CODE_MAX ? data : undefined;
}

/** Splits button data into the call's code and its group. */
export function decodeButtonData(data: string): {
  readonly code: string;
  readonly community: string | undefined;
} {
  const [, community, code] = CARRIED.exec(data) ?? [];
  return code === undefined ? { code: data, community: undefined } : { code, community };
}

/** Begins the data of a button that asks who an anonymous administrator is; no call's code starts like this. */
const ASKS = '~';

/** @returns undefined if it doesn't fit into a button */
export function encodeQuestion(code: string): string | undefined {
  return ASKS.length + code.length > CALL_CODE_MAX ? undefined : ASKS + code;
}

/** The code in the data of such a button; undefined for other buttons. */
export function decodeQuestion(data: string): string | undefined {
  // One whose call was kept before a restart says nothing of it.
  if (data.startsWith(PREFIX) || !data.startsWith(ASKS)) return undefined;
  return data.slice(ASKS.length);
}

const KEPT = 500;
/** No call's code starts like this. */
const PREFIX = '~anonymous~';

/** A call, or what was typed of it where that can't be read as one: the answer says why. */
export interface KeptCall extends Call {
  readonly read?: (by: Omit<CommandRequest, 'call'>) => Promise<Card>;
}

/** Calls of anonymous administrators that don't fit into a button; lost on restart. */
export class AnonymousCalls {
  readonly #calls = new BoundedMap<string, KeptCall>(KEPT);

  keep(call: KeptCall, chat: number, message: number): string {
    // Nobody else can choose it: it's made of what only this message has.
    const id = hash('sha256', `${chat} ${message} ${JSON.stringify(call)}`).slice(0, 24);
    this.#calls.set(id, call);
    return PREFIX + id;
  }

  callOf(code: string): KeptCall | undefined {
    return code.startsWith(PREFIX) ? this.#calls.get(code.slice(PREFIX.length)) : undefined;
  }
}
