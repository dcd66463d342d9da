import { fieldOf, type RetryableError } from '#base';
import { JsonService } from '#linking/proofs';
import { algorand } from '#wallet/chains';
import type { NameService } from './service.ts';

const TIMEOUT_MS = 5_000;
/** The most wallets per request: https://api-docs.nf.domains */
const AT_ONCE = 20;
/** `alice.algo`, and segments such as `pay.alice.algo`. */
const FORM = /^(?:[a-z0-9]{1,27}\.)?[a-z0-9]{1,27}\.algo$/;
/** A name of the service's own, which always exists. */
const KNOWN = 'nfdomains.algo';

/**
 * NFD names, looked up through its API, as the contracts behind it offer no simpler access.
 * https://api-docs.nf.domains
 */
export class Nfd implements NameService {
  readonly chain = 'algorand';
  readonly endings = ['.algo'];
  readonly takesOthers = false;
  /** A name lists several wallets of its owner, and leads to one of them. */
  readonly leadsBack = false;
  readonly batchSize = AT_ONCE;
  /** The API is free, and doesn't document its rate limit. */
  readonly pauseMs = 1_000;
  readonly #service: JsonService;

  /**
   * @param url base URL of the API
   * @param timeoutMs for a whole request
   * @throws UserError `wrong-configuration`
   */
  constructor(url: string, timeoutMs = TIMEOUT_MS) {
    this.#service = new JsonService('NFD API', url, timeoutMs);
  }

  async normalize(name: string): Promise<string | undefined> {
    const normal = name.toLowerCase();
    return await Promise.resolve(FORM.test(normal) ? normal : undefined);
  }

  async namesOf(addresses: readonly string[]): Promise<ReadonlyMap<string, string | undefined>> {
    const query = { address: addresses, view: 'tiny' };
    const { status, json } = await this.#service.ask({ path: '/nfd/lookup', query });
    if (status === 404) return new Map(addresses.map((address) => [address, undefined]));
    if (status !== 200) throw this.#service.failure(`responded with status ${status}`);
    if (typeof json !== 'object' || json === null || Array.isArray(json)) throw this.#nonsense();
    const claimed = addresses.map((address) => [address, nameIn(fieldOf(json, address), address)]);
    return new Map(claimed as [string, string | undefined][]);
  }

  async walletOf(name: string): Promise<string | undefined> {
    const query = { view: 'tiny' };
    const { status, json } = await this.#service.ask({ path: `/nfd/${name}`, query });
    if (status === 404) return undefined;
    if (status !== 200) throw this.#service.failure(`responded with status ${status}`);
    if (fieldOf(json, 'name') !== name) throw this.#nonsense();
    if (!isHeld(json)) return undefined;
    const deposit = fieldOf(json, 'depositAccount');
    if (deposit === undefined) return undefined;
    if (!isAddress(deposit)) throw this.#nonsense();
    return deposit;
  }

  async check(): Promise<void> {
    await this.walletOf(KNOWN);
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  #nonsense(): RetryableError {
    return this.#service.failure('sent an unexpected response');
  }
}

/** The name in a record, if the name lists the wallet as verified. */
function nameIn(record: unknown, address: string): string | undefined {
  const name = fieldOf(record, 'name');
  const wallets = fieldOf(record, 'caAlgo');
  const lists = Array.isArray(wallets) && wallets.includes(address);
  const isItsOwn = lists || fieldOf(record, 'depositAccount') === address;
  return typeof name === 'string' && FORM.test(name) && isItsOwn && isHeld(record)
    ? name
    : undefined;
}

/** Whether it has an owner now, that is, it isn't available, reserved or expired. */
function isHeld(record: unknown): boolean {
  const state = fieldOf(record, 'state');
  return (state === 'owned' || state === 'forSale') && fieldOf(record, 'expired') !== true;
}

function isAddress(value: unknown): value is string {
  if (typeof value !== 'string' || !algorand.looksLike(value)) return false;
  try {
    return algorand.canonical(value) === value;
  } catch {
    return false;
  }
}
