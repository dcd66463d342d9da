/** An error, with a code that has a text. */
export class Fault extends Error {
  /**
   * @param {string} [value] for the sentence's `{}`
   * @param {string} [sentence] the service's own, in the reader's language
   */
  constructor(code, value = '', sentence = undefined) {
    super(code);
    this.code = code;
    this.value = value;
    this.sentence = sentence;
  }
}

/** Untrusted text on one line, truncated, without invisible or bidirectional control characters. */
export function plain(text, most) {
  const kept = text.slice(0, most * 4).replace(/[\p{C}\p{Z}]+/gu, ' ');
  return [...kept.replace(/(\p{M}{2})\p{M}+/gu, '$1').trim()].slice(0, most).join('');
}

/**
 * What it means that a wallet threw this. The codes are those of EIP-1193 and JSON-RPC, which ARC-1 and
 * ARC-27 reuse. Not every wallet sets them, so its message counts, too; of errors in errors, that of the innermost.
 * https://eips.ethereum.org/EIPS/eip-1193#provider-errors
 */
export function faultOf(error) {
  if (error instanceof Fault) return error;
  try {
    const layers = [error];
    for (let each = error; each && layers.length < 6; layers.push(each ?? '')) {
      const { cause, originalError, error: inner, data } = each;
      each = [cause, originalError, inner, data].find((one) => one && typeof one === 'object');
    }
    const said = layers.map(({ message }) => message);
    const inmost = said.slice(1).findLast((each) => each && typeof each === 'string');
    const says = plain(String(inmost ?? said[0] ?? error), 120);
    const all = [...said, says].join(' ');
    const has = (code) => layers.some((each) => each.code === code);
    if (has(4001) || /reject|denied|declin|cancel/i.test(all)) return new Fault('rejected');
    if (has(-32002)) return new Fault('busy');
    if (has(4100) || /\b(?:un)?lock|unauthori[sz]ed/i.test(all)) return new Fault('locked');
    // It said nothing in words, or its response has an unexpected shape.
    return new Fault(
      error instanceof TypeError || /^\[o|^$/.test(says) ? 'nonsense' : 'failed',
      says,
    );
  } catch {
    return new Fault('nonsense');
  }
}
