import { hexText, RetryableError } from '#base';
import type { Account } from '#command';
import type { Linked } from './linking.ts';
import type { LinkStore } from './store.ts';

/** Seconds for which the same, once more, gets the same answer. */
const KEPT_SECONDS = 600;
const ID_BYTES = 16;

interface JustLinkedOptions {
  readonly store: LinkStore;
  readonly random: (bytes: number) => Uint8Array;
  /** SHA-256, in hex. */
  readonly hash: (text: string) => string;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/**
 * What accounts have just handed in: a code that is sent twice, by a double tap, as its answer was late or as a
 * process was killed before it answered, isn't somebody else's. Any process knows.
 */
export class JustLinked {
  readonly #options: JustLinkedOptions;

  constructor(options: JustLinkedOptions) {
    this.#options = options;
  }

  /** It's linked, whether or not this can be kept. */
  async keep({ platform, id: account }: Account, given: string, linked: Linked): Promise<void> {
    const { store, random, hash, now } = this.#options;
    const id = hexText(random(ID_BYTES));
    try {
      await store.putRequest({
        ...{ id, version: 1, way: 'used', account: { platform, id: account } },
        ...{ createdAt: now(), expiresAt: now() + KEPT_SECONDS, challengesLeft: 0 },
        ...{ ticket: undefined, session: undefined, challenge: undefined, proved: undefined },
        used: { given: hash(id + given), linked },
      });
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
    }
  }

  /**
   * @returns undefined unless the account has handed in the very same
   * @throws RetryableError
   */
  async find({ platform, id }: Account, given: string): Promise<Linked | undefined> {
    const { store, hash, now } = this.#options;
    const found = await store.findRequest({ account: { platform, id }, way: 'used' }, now());
    return found?.used?.given === hash(`${found?.id}${given}`) ? found.used.linked : undefined;
  }
}
