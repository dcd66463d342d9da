import { fieldOf, type RetryableError, UserError, wallMs } from '#base';
import type { JsonService } from '#linking/proofs/json-service';
import { algorand } from '#wallet/chains';

/**
 * Mainnet has a block every 3 seconds; an indexer this far behind doesn't know the current state.
 */
const OLDEST_BLOCK_S = 600;
const MAINNET = 'mainnet-v1.0';
/** An account that always exists. */
const FEE_SINK = 'Y76M3MSY6DKBRHBL7C3NNDXGS5IIMQVQVUAB6MP4XEMMGVF2QWNPL226CA';
/** What the indexer's 404 says for an unused account, unlike the 404 of a wrong URL. */
const NEVER_USED = 'no accounts found';

export interface Authority {
  /** The address whose key signs for the account: another account's after rekeying. */
  readonly address: string;
  /** The round that the answer is as of, if known. */
  readonly round: number | undefined;
}

/**
 * Looks up which key signs for an account, using an indexer or an algod: both have the same paths.
 * Anything but a clear answer is a RetryableError.
 * https://developer.algorand.org/docs/rest-apis/indexer/
 */
export class AlgorandIndexer {
  readonly #service: JsonService;
  #isMainnet = false;

  constructor(service: JsonService) {
    this.#service = service;
  }

  /** @throws UserError `indexer-wrong-network`; RetryableError */
  async authorityOf(address: string): Promise<Authority> {
    const path = `/v2/accounts/${address}`;
    const { status, json } = await this.#service.ask({ path, query: { exclude: 'all' } });
    if (status === 404 && saysNeverUsed(json)) return { address, round: undefined };
    if (status !== 200) throw this.#service.failure(`responded with status ${status}`);
    // An algod has the account's fields at the top level.
    const account = fieldOf(json, 'account') ?? json;
    const told = fieldOf(account, 'auth-addr') ?? address;
    const round = fieldOf(json, 'current-round') ?? fieldOf(account, 'round');
    if (fieldOf(account, 'address') !== address || !isAddress(told) || !isCount(round)) {
      throw this.#nonsense();
    }
    // Checked until it passes once: a wrong configuration may get corrected.
    if (!this.#isMainnet) await this.#timeOf(round);
    return { address: told, round };
  }

  /**
   * @param round of an answer, undefined if it has none
   * @throws RetryableError if the answer isn't current; UserError as `authorityOf`
   */
  async requireFresh(round: number | undefined): Promise<void> {
    if (round === undefined) throw this.#nonsense();
    const age = wallMs() / 1000 - (await this.#timeOf(round));
    if (age > OLDEST_BLOCK_S) throw this.#service.failure('is far behind the chain');
  }

  /** @throws RetryableError if the service isn't up to date; UserError as `authorityOf` */
  async requireUsable(): Promise<void> {
    const { round } = await this.authorityOf(FEE_SINK);
    await this.requireFresh(round);
  }

  /** In seconds since 1970. @throws UserError `indexer-wrong-network`; RetryableError */
  async #timeOf(round: number): Promise<number> {
    const path = `/v2/blocks/${round}`;
    const { status, json } = await this.#service.ask({ path, query: { 'header-only': 'true' } });
    if (status !== 200) throw this.#service.failure(`responded with status ${status}`);
    // An algod nests the block one level deeper, with shorter field names.
    const block = fieldOf(json, 'block');
    const time = fieldOf(json, 'timestamp') ?? fieldOf(block, 'ts');
    const network = fieldOf(json, 'genesis-id') ?? fieldOf(block, 'gen');
    if (!isCount(time) || typeof network !== 'string') throw this.#nonsense();
    if (network !== MAINNET) throw otherNetwork(network);
    this.#isMainnet = true;
    return time;
  }

  #nonsense(): RetryableError {
    return this.#service.failure('sent an unexpected response');
  }
}

/** Don't repeat arbitrary text from the service: its operator chose the name. */
const NETWORK_NAME = /^[\w.-]{1,32}$/;

function otherNetwork(network: string): UserError {
  const name = NETWORK_NAME.test(network) ? network : '?';
  return new UserError(
    'indexer-wrong-network',
    `The Algorand indexer isn't on mainnet (${name}), so Algorand accounts can't be checked.`,
    [],
    { values: [name] },
  );
}

function saysNeverUsed(json: unknown): boolean {
  const message = fieldOf(json, 'message');
  return typeof message === 'string' && message.toLowerCase().includes(NEVER_USED);
}

function isAddress(value: unknown): value is string {
  if (typeof value !== 'string' || !algorand.looksLike(value)) return false;
  try {
    algorand.canonical(value);
    return true;
  } catch {
    return false;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
