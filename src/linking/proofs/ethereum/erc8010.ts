/** The suffix that ERC-8010 adds to the signature of an account that isn't delegated yet (EIP-7702). */
const WRAPPER_END = Buffer.from('8010'.repeat(16), 'hex');
const WORD = 32;

/**
 * What stands in an ERC-8010 wrapper: the signature that the account's future code is to accept, in front of
 * the authorization for that code, its length and the suffix.
 * https://eips.ethereum.org/EIPS/eip-8010
 * @returns undefined unless it is such a wrapper
 */
export function signatureIn8010(signature: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(signature);
  const lengthAt = bytes.length - 2 * WORD;
  if (lengthAt < 0 || !bytes.subarray(-WORD).equals(WRAPPER_END)) return undefined;
  const length = BigInt(`0x${bytes.toString('hex', lengthAt, lengthAt + WORD)}`);
  return length <= BigInt(lengthAt) ? bytes.subarray(0, lengthAt - Number(length)) : undefined;
}
