import { fieldOf } from '#base';
import type { RoleConnection, RoleConnectionStore } from '#platforms/role-connections';
import type { Tokens } from './oauth.ts';
import { Sealer } from './sealing.ts';

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
  open({ account, version, tokens }: RoleConnection): Tokens | undefined {
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
