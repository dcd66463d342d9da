import { Fault } from './faults.js';
import { looksSecret, mayBeHash } from './secrets.js';
import { byId } from './steps.js';

/** The most characters of a signature that the service accepts. */
const MOST = 17_000;
/**
 * The text of a field. A seed phrase or private key is cleared and sent nowhere.
 * @throws {Fault}
 */
export function typedIn(id) {
  const field = byId(id);
  const text = field.value.trim();
  if (looksSecret(text)) {
    field.value = '';
    throw new Fault(mayBeHash(text) ? 'signature-is-hash' : 'signature-is-secret');
  }
  if (text === '' || text.length > MOST) throw new Fault('signature-malformed');
  return text;
}
