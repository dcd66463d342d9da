import { firstAddress } from '#platforms/telegram/answer/addresses';
import type { TypedText } from '#platforms/telegram/answer/question';

/** The command that accepts a code from the link page, or a signature. */
export const LINK = 'link';
/** Six digits, optionally split in the middle as the page shows them. */
const CODE = /^\d{3}[ -]?\d{3}$/;
/** 64 bytes or more: as hex, or as base58 or base64 longer than any address. */
const SIGNATURE = /^(?:0x[0-9a-fA-F]{128,}|[A-Za-z0-9+/_-]{80,}={0,2})$/;

/**
 * Interprets a private message without a command. Telegram has no forms, so users send a code or a
 * signature on its own, or an address. Anything else gets help.
 * @param isKnown whether a command of that name exists
 */
export function readBare(text: string, isKnown: (name: string) => boolean): TypedText {
  const said = text.trim();
  if (isKnown(LINK) && (CODE.test(said) || SIGNATURE.test(said))) {
    return { name: LINK, rest: said, addressed: true };
  }
  const address = firstAddress(said);
  if (address === undefined) return { name: 'help', rest: '', addressed: true };
  return { name: 'rep', rest: address, addressed: true };
}
