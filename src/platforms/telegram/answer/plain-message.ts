import { isForLink } from '#linking';
import { firstAddress } from './addresses.ts';
import type { TypedText } from './pending-input.ts';

/** The command that accepts a code from the link page, or a signature. */
export const LINK = 'link';
/**
 * Interprets a private message without a command. Telegram has no forms, so users send a code or a
 * signature on its own, in any way that `/link` takes, or an address. Anything else gets help.
 * @param isKnown whether a command of that name exists
 */
export function readPlainMessage(text: string, isKnown: (name: string) => boolean): TypedText {
  const said = text.trim();
  if (isKnown(LINK) && isForLink(said)) {
    return { name: LINK, rest: said, addressed: true };
  }
  const address = firstAddress(said);
  if (address === undefined) return { name: 'help', rest: '', addressed: true };
  return { name: 'rep', rest: address, addressed: true };
}
