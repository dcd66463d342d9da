import { Fault } from './faults.js';
import { byId } from './steps.js';

/** The most characters of a signature that the service accepts. */
const MOST = 17_000;
/**
 * The text of a field. A seed phrase or private key is cleared and sent nowhere.
 * @throws {Fault} as a rejection
 */
export async function typedIn(id) {
  const field = byId(id);
  const text = field.value.trim();
  const { looksSecret, mayBeHash, hasKeyPair } = await detectors();
  if (looksSecret(text) || (await hasKeyPair(text))) {
    field.value = '';
    throw new Fault(mayBeHash(text) ? 'signature-is-hash' : 'signature-is-secret');
  }
  if (text === '' || text.length > MOST) throw new Fault('signature-malformed');
  return text;
}

/** Loaded when something is typed, as most people choose a wallet. Without them, nothing is sent. */
async function detectors() {
  const loading = Promise.all([import('./secrets.js'), import('./key-pairs.js')]);
  const loaded = await loading.catch(() => undefined);
  if (loaded === undefined) throw new Fault('unreachable');
  return Object.assign({}, ...loaded);
}
