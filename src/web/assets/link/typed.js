import { Fault } from './faults.js';
import { looksSecret } from './secrets.js';
import { byId } from './steps.js';

/** Characters of a signature; the service takes no more. */
const MOST = 17_000;
/**
 * What was typed into a field. A seed phrase or a private key is taken out of it and sent nowhere.
 * @throws {Fault}
 */
export function typedIn(id) {
  const field = byId(id);
  const text = field.value.trim();
  if (looksSecret(text)) {
    field.value = '';
    throw new Fault('signature-is-secret');
  }
  if (text === '' || text.length > MOST) throw new Fault('signature-malformed');
  return text;
}
