import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { fieldOf } from '#base';
import type { Parting, RoleConnection, RoleConnectionStore } from '#platforms/role-connections';
import type { Tokens } from './oauth.ts';

const CIPHER = 'aes-256-gcm';
/** Format version, should it ever change. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Key purposes: data sealed for one can't be opened for another. */
type Purpose = 'tokens' | 'ticket';

/** Encrypts and authenticates bytes. A seal is version, nonce, tag and ciphertext. */
class Sealer {
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

/** Seconds in which a member must finish authorizing. */
export const TICKET_SECONDS = 600;
const STATE_BYTES = 16;
/** As RFC 7636 recommends: 43 characters, the minimum Discord accepts. */
const VERIFIER_BYTES = 32;
/** Length limit of a whole ticket, in base64url. */
const TICKET = /^[\w-]{60,400}$/;
const STATE = /^[\w-]{22}$/;

/** What a browser must bring back from Discord. */
interface OAuthState {
  readonly state: string;
  /** PKCE verifier; undefined to do without. */
  readonly verifier: string | undefined;
}

/**
 * Binds an authorization to the browser that started it. The state is sealed and kept only by the
 * browser: a stateless server can't be filled up, and any process can continue.
 */
export class Tickets {
  readonly #sealer: Sealer;
  readonly #now: () => number;

  /** @param now seconds since 1970 */
  constructor(clientSecret: string, now: () => number) {
    this.#sealer = new Sealer(clientSecret, 'ticket');
    this.#now = now;
  }

  issue(withVerifier: boolean): OAuthState & { readonly ticket: string } {
    const state = randomBytes(STATE_BYTES).toString('base64url');
    const verifier = withVerifier ? randomBytes(VERIFIER_BYTES).toString('base64url') : undefined;
    const until = this.#now() + TICKET_SECONDS;
    const seal = this.#sealer.seal(JSON.stringify({ state, verifier, until }), '');
    return { state, verifier, ticket: Buffer.from(seal).toString('base64url') };
  }

  /** @returns undefined if the ticket has expired, isn't ours, or belongs to another state */
  redeem(ticket: string | undefined, state: string | undefined): OAuthState | undefined {
    if (ticket === undefined || state === undefined) return undefined;
    if (!TICKET.test(ticket) || !STATE.test(state)) return undefined;
    const text = this.#sealer.open(Buffer.from(ticket, 'base64url'), '');
    if (text === undefined) return undefined;
    const content: unknown = JSON.parse(text);
    const rest = Number(fieldOf(content, 'until')) - this.#now();
    const own = String(fieldOf(content, 'state'));
    const isOwn = own.length === state.length && timingSafeEqual(bytes(own), bytes(state));
    // More than the full lifetime is only left if a clock was set back.
    if (!isOwn || !(rest > 0 && rest <= TICKET_SECONDS)) return undefined;
    const verifier = fieldOf(content, 'verifier');
    return { state, verifier: typeof verifier === 'string' ? verifier : undefined };
  }
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

interface Unsaved {
  /** Id of their connection. */
  readonly version: number;
  readonly tokens: Tokens;
}

/** Stores members' tokens sealed, each bound to its account. */
export class TokenSafe {
  readonly #sealer: Sealer;
  readonly #store: RoleConnectionStore;
  /** Tokens by account that the store couldn't save; the stored ones are used up. */
  readonly #unsaved = new Map<string, Unsaved>();

  constructor(clientSecret: string, store: RoleConnectionStore) {
    this.#sealer = new Sealer(clientSecret, 'tokens');
    this.#store = store;
  }

  seal(account: string, { access, refresh, expiresAt }: Tokens): Uint8Array {
    return this.#sealer.seal(JSON.stringify({ access, refresh, expiresAt }), account);
  }

  /** @returns undefined if they were sealed with another client secret */
  open({ account, version, tokens }: Parting): Tokens | undefined {
    const unsaved = this.#unsaved.get(account);
    if (unsaved?.version === version) return unsaved.tokens;
    const text = this.#sealer.open(tokens, account);
    if (text === undefined) return undefined;
    const content: unknown = JSON.parse(text);
    return {
      access: String(fieldOf(content, 'access')),
      refresh: String(fieldOf(content, 'refresh')),
      expiresAt: Number(fieldOf(content, 'expiresAt')),
    };
  }

  /**
   * Replaces the tokens that the connection was read with.
   * @returns false if it has others by now, or is gone
   * @throws RetryableError if the store is unavailable: `save` retries
   */
  async replace({ account, version }: RoleConnection, tokens: Tokens): Promise<boolean> {
    this.#unsaved.set(account, { version, tokens });
    const isKept = await this.#store.replaceTokens(account, version, this.seal(account, tokens));
    this.#unsaved.delete(account);
    return isKept;
  }

  /**
   * Saves tokens that couldn't be saved before.
   * @returns the resulting connection; undefined if it is gone
   */
  async save(connection: RoleConnection): Promise<RoleConnection | undefined> {
    const { account } = connection;
    const unsaved = this.#unsaved.get(account);
    if (unsaved === undefined) return connection;
    if (unsaved.version === connection.version) await this.replace(connection, unsaved.tokens);
    else this.forget(account);
    return await this.#store.find(account);
  }

  forget(account: string): void {
    this.#unsaved.delete(account);
  }
}
