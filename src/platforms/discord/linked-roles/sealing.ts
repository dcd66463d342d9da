import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** Format version, should it ever change. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Key purposes: data sealed for one can't be opened for another. */
export type Purpose = 'tokens' | 'ticket';

/** Encrypts and authenticates bytes. A seal is version, nonce, tag and ciphertext. */
export class Sealer {
  readonly #key: Uint8Array;
  readonly #purpose: Purpose;

  /** @param secret with at least 128 bits of entropy, as Discord's client secrets have */
  constructor(secret: string, purpose: Purpose) {
    const info = `fathom linked roles ${purpose}`;
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', info, 32));
    this.#purpose = purpose;
  }

  /** @param context who it belongs to; must be the same to open it */
  seal(text: string, context: string): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(this.#dataFor(context));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Uint8Array.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
  }

  /** @returns undefined if it wasn't sealed with this secret, purpose and context */
  open(seal: Uint8Array, context: string): string | undefined {
    const begin = 1 + NONCE_BYTES + TAG_BYTES;
    if (seal[0] !== VERSION || seal.length < begin) return undefined;
    const nonce = seal.subarray(1, 1 + NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(this.#dataFor(context));
    decipher.setAuthTag(seal.subarray(1 + NONCE_BYTES, begin));
    try {
      const text = Buffer.concat([decipher.update(seal.subarray(begin)), decipher.final()]);
      return text.toString('utf8');
    } catch {
      return undefined;
    }
  }

  #dataFor(context: string): Uint8Array {
    return Buffer.from(`${VERSION} ${this.#purpose} ${context}`);
  }
}
