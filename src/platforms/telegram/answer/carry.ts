import { CALL_CODE_MAX } from '#core/call-code';

/*
 * What a moderator asks in a group is answered in the private chat, where nothing tells which group
 * it is about. So the buttons of such a card carry the group: `@-1001234567890` before the call. It
 * survives a restart, and gives no right: a client can send any data, and a moderator of today may be
 * none tomorrow, so that every press is looked up.
 */
const CARRIED = /^@(-[1-9]\d{0,15})(.+)$/s;

/** The data of a button that carries a group; undefined when it doesn't fit. */
export function carry(code: string, community: string): string | undefined {
  const data = `@${community}${code}`;
  // All of it is ASCII, so that its characters are its bytes.
  return data.length <= CALL_CODE_MAX ? data : undefined;
}

/** The code of the call, and the group that it was carried with. */
export function uncarry(data: string): {
  readonly code: string;
  readonly community: string | undefined;
} {
  const [, community, code] = CARRIED.exec(data) ?? [];
  return code === undefined ? { code: data, community: undefined } : { code, community };
}
