import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { UserError } from '#core/errors';

/** `untimely`: signed by Discord, but not now. */
export type SignatureVerdict = 'good' | 'wrong' | 'untimely';

/**
 * Seconds that a signature is good for, in either direction. Discord names no number. It gives an
 * interaction up after three seconds; the rest is for clocks that are off. What is sent again within
 * them is known by its id, which is remembered for an hour.
 */
const GOOD_FOR = 120;

const SIGNATURE = /^[0-9a-f]{128}$/i;
/** Seconds since 1970. */
const TIMESTAMP = /^\d{1,12}$/;
/** What stands before the 32 bytes of an Ed25519 key in DER. https://datatracker.ietf.org/doc/html/rfc8410#section-10 */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Checks that a request is Discord's and of now.
 * https://discord.com/developers/docs/interactions/overview#setting-up-an-endpoint-validating-security-request-headers
 */
export class Signatures {
  readonly #key: KeyObject;
  readonly #clock: () => number;

  /**
   * @param publicKey the application's, 64 hex digits
   * @param clock milliseconds since 1970
   * @throws UserError `wrong-configuration`
   */
  constructor(publicKey: string, clock: () => number) {
    const raw = Buffer.from(publicKey, 'hex');
    if (raw.length !== 32 || publicKey.length !== 64) {
      throw new UserError(
        'wrong-configuration',
        'DISCORD_PUBLIC_KEY: give the 64 hex digits that Discord shows as Public Key',
      );
    }
    const key = Buffer.concat([DER_PREFIX, raw]);
    this.#key = createPublicKey({ key, format: 'der', type: 'spki' });
    this.#clock = clock;
  }

  /**
   * @param body as it came, byte for byte
   * @param signature header `X-Signature-Ed25519`
   * @param timestamp header `X-Signature-Timestamp`
   */
  check(
    body: Buffer,
    signature: string | undefined,
    timestamp: string | undefined,
  ): SignatureVerdict {
    if (signature === undefined || !SIGNATURE.test(signature)) return 'wrong';
    if (timestamp === undefined || !TIMESTAMP.test(timestamp)) return 'wrong';
    const signed = Buffer.concat([Buffer.from(timestamp), body]);
    if (!verify(null, signed, this.#key, Buffer.from(signature, 'hex'))) return 'wrong';
    const off = this.#clock() / 1000 - Number(timestamp);
    return Math.abs(off) <= GOOD_FOR ? 'good' : 'untimely';
  }
}
