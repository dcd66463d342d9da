import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { UserError } from '#base';

/** `untimely`: signed by Discord, but too long ago or in the future. */
export type SignatureVerdict = 'good' | 'wrong' | 'untimely';

/**
 * Seconds a signature is valid, in either direction. Discord specifies no number. It gives up on an
 * interaction after three seconds; the rest allows for clock skew. Replays within that time are
 * detected by their id, which is remembered for an hour.
 */
const GOOD_FOR = 120;

const SIGNATURE = /^[0-9a-f]{128}$/i;
/** Seconds since 1970. */
const TIMESTAMP = /^\d{1,12}$/;
/**
 * The DER prefix of a 32-byte Ed25519 key. https://datatracker.ietf.org/doc/html/rfc8410#section-10
 */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Checks that a request is from Discord and recent.
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
        'DISCORD_PUBLIC_KEY: must be the 64 hex digits that Discord shows as Public Key',
      );
    }
    const key = Buffer.concat([DER_PREFIX, raw]);
    this.#key = createPublicKey({ key, format: 'der', type: 'spki' });
    this.#clock = clock;
  }

  /**
   * @param body raw bytes
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
