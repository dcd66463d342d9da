import { encodedIn, listsIn } from '#linking/input/key-pair-forms';
import { isSecretKey } from './ed25519.ts';
import { readingsOf } from './submitted.ts';

/**
 * Whether a text has a private key as Solana's and Algorand's tools store it, which looks like a signature but for its
 * halves: the second is the public key of the first. In hex, base58, base64 or as numbers, broken into lines, whatever
 * stands around it.
 */
export function hasKeyPair(text: string): boolean {
  return (
    listsIn(text).some(isSecretKey) ||
    encodedIn(text).some((each) => readingsOf(each).some(isSecretKey))
  );
}
