import { firstAddress } from '#platforms/telegram/answer/addresses';
import type { TypedText } from '#platforms/telegram/answer/question';

/** What takes the code of a page, and a signature. */
export const LINK = 'link';
/** Six digits, apart in the middle where they were shown so. */
const CODE = /^\d{3}[ -]?\d{3}$/;
/** 64 bytes and more: as hex, or in base58 or base64 with more characters than any address has. */
const SIGNATURE = /^(?:0x[0-9a-fA-F]{128,}|[A-Za-z0-9+/_-]{80,}={0,2})$/;

/**
 * What is meant by a message in a private chat that is no command: there are no forms here, so a code
 * or a signature may come on its own. So may an address; anything else gets help.
 * @param isKnown whether there is a command of that name
 */
export function readBare(text: string, isKnown: (name: string) => boolean): TypedText {
  const said = text.trim();
  if (isKnown(LINK) && (CODE.test(said) || SIGNATURE.test(said))) {
    return { name: LINK, words: [said], addressed: true };
  }
  const address = firstAddress(said);
  if (address === undefined) return { name: 'help', words: [], addressed: true };
  return { name: 'rep', words: [address], addressed: true };
}
