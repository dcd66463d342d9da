import { Fault } from './faults.js';
import { byId } from './steps.js';

/** Characters of a signature; the service takes no more. */
const MOST = 17_000;
/** Numbers of words of BIP-39 phrases, and of Algorand's; their words have 3 to 8 letters. */
const PHRASES = [12, 15, 18, 21, 24, 25];

/**
 * What was typed into a field. A seed phrase or a private key is taken out of it and sent nowhere.
 * @throws {Fault}
 */
export function typedIn(id) {
  const field = byId(id);
  const text = field.value.trim();
  const words = text.split(/[\s\d.,;:)-]+/u).filter((each) => each !== '');
  const isPhrase =
    PHRASES.includes(words.length) && words.every((each) => /^\p{L}{3,8}$/u.test(each));
  if (isPhrase || /^(?:0x)?[0-9a-f]{64}$/i.test(text)) {
    field.value = '';
    throw new Fault('signature-is-secret');
  }
  if (text === '' || text.length > MOST) throw new Fault('signature-malformed');
  return text;
}
