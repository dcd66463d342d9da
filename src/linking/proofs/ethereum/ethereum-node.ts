import { fieldOf, type RetryableError, UserError, wallMs } from '#base';
import type { JsonService } from '#linking/proofs/json-service';

const MAINNET = 1;
/** Mainnet has a block every 12 seconds; a node this far behind doesn't know the current state. */
const OLDEST_BLOCK_S = 600;
const HEX = /^0x(?:[0-9a-f]{2})*$/i;
/** Some nodes call none 0x0. */
const CODE = /^0x(?:0|(?:[0-9a-f]{2})*)$/i;
const QUANTITY = /^0x0{0,60}[0-9a-f]{1,12}$/i;

/** https://eips.ethereum.org/EIPS/eip-7702 */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i;

/**
 * The caller. Some contracts trust calls from the zero address, because only simulations come from
 * there. Nobody has this one's key: it is the end of the keccak-256 of `fathom: wallet proof`.
 */
const CALLER = '0xa7ebf19ec1f3758e65d27a133e15e7aa6cd6331a';

/** An Ethereum mainnet node. Anything but a clear answer is a RetryableError. */
export class EthereumNode {
  readonly #service: JsonService;
  #isMainnet = false;

  constructor(service: JsonService) {
    this.#service = service;
  }

  /**
   * Runs code without sending a transaction, as if it created a contract.
   * @param code in hex with `0x`
   * @returns its return data, in hex with `0x`
   * @throws UserError `contract-wrong-network`; RetryableError, also if the code fails
   */
  async run(code: string): Promise<string> {
    await this.#requireMainnet();
    return this.#askForHex('eth_call', [{ from: CALLER, data: code }, 'latest'], HEX);
  }

  /**
   * Calls a contract.
   * @returns what it returns, in hex with `0x`
   * @throws UserError `contract-wrong-network`; RetryableError, also if the call fails
   */
  async call(to: string, data: string): Promise<string> {
    await this.#requireMainnet();
    return this.#askForHex('eth_call', [{ to, data }, 'latest'], HEX);
  }

  /** @throws UserError `contract-wrong-network`; RetryableError */
  async hasCode(address: string): Promise<boolean> {
    await this.#requireMainnet();
    return (await this.#codeOf(address)) !== '0x';
  }

  /** Other than an account that delegates to one (EIP-7702). @throws as `hasCode` */
  async isContract(address: string): Promise<boolean> {
    await this.#requireMainnet();
    const code = await this.#codeOf(address);
    return code !== '0x' && !DELEGATION.test(code);
  }

  async #codeOf(address: string): Promise<string> {
    const code = await this.#askForHex('eth_getCode', [address, 'latest'], CODE);
    return code === '0x0' ? '0x' : code;
  }

  /** @throws RetryableError if its state may be old */
  async requireFresh(): Promise<void> {
    const block = await this.#service.call('eth_getBlockByNumber', ['latest', false]);
    const time = fieldOf(block, 'timestamp');
    if (typeof time !== 'string' || !QUANTITY.test(time)) throw this.nonsense();
    const age = wallMs() / 1000 - Number(time);
    if (age > OLDEST_BLOCK_S) throw this.#service.failure('is far behind the chain');
  }

  /** @throws UserError `contract-wrong-network`; RetryableError */
  async requireUsable(): Promise<void> {
    await this.#requireMainnet();
    await this.requireFresh();
  }

  nonsense(): RetryableError {
    return this.#service.nonsense();
  }

  /** Checked until it passes once: a wrong configuration may get corrected. */
  async #requireMainnet(): Promise<void> {
    if (this.#isMainnet) return;
    const chainId = Number(await this.#askForHex('eth_chainId', [], QUANTITY));
    if (chainId !== MAINNET) {
      throw new UserError(
        'contract-wrong-network',
        `This service can't check contract wallets: its Ethereum node isn't on mainnet (chain ID ${chainId}). Link another wallet, or tell the operator.`,
        [],
        { values: [String(chainId)] },
      );
    }
    this.#isMainnet = true;
  }

  async #askForHex(method: string, params: readonly unknown[], form: RegExp): Promise<string> {
    const result = await this.#service.call(method, params);
    if (typeof result !== 'string' || !form.test(result)) throw this.nonsense();
    return result;
  }
}
