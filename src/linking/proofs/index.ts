/** Checks signatures and transactions of each chain, with its nodes where it takes one. */

import type { WalletProver } from '#linking/proving/proof';
import { algorandProver } from './algorand/algorand.ts';
import { AlgorandIndexer } from './algorand/algorand-indexer.ts';
import { ethereumProver } from './ethereum/ethereum.ts';
import { EthereumNode } from './ethereum/ethereum-node.ts';
import { JsonService } from './json-service.ts';
import { solanaProver } from './solana/solana.ts';

export { verifierOf } from './ed25519.ts';
export { EthereumNode } from './ethereum/ethereum-node.ts';
export { JsonService } from './json-service.ts';

const TIMEOUT_MS = 5_000;

export interface ProverOptions {
  /**
   * JSON-RPC URL of an Ethereum mainnet node. Without it, only ordinary accounts can be linked, no
   * contracts.
   */
  readonly ethereumRpcUrl?: string | undefined;
  /**
   * Base URL of a mainnet indexer, or of an algod. Without it, rekeyed accounts can't be linked.
   */
  readonly algorandIndexerUrl?: string | undefined;
  /** For each request to one of them, from connecting to the last byte. */
  readonly timeoutMs?: number;
}

/**
 * One prover per chain.
 * @throws UserError `wrong-configuration` for an invalid URL
 */
export function createProvers(options: ProverOptions): readonly WalletProver[] {
  return [ethereumProver(nodeOf(options)), solanaProver, algorandProver(indexerOf(options))];
}

export interface ServiceCheck {
  readonly name: string;
  /** Undefined if it is usable. */
  readonly error: unknown;
}

/** Checks that the configured services are on mainnet and up to date. */
export async function checkServices(options: ProverOptions): Promise<readonly ServiceCheck[]> {
  const { ethereumRpcUrl, algorandIndexerUrl } = options;
  const checks: ServiceCheck[] = [];
  if (ethereumRpcUrl !== undefined) {
    const error = await errorOf(async () => nodeOf(options)?.requireUsable());
    checks.push({ name: 'ethereum node', error });
  }
  if (algorandIndexerUrl !== undefined) {
    const error = await errorOf(async () => indexerOf(options)?.requireUsable());
    checks.push({ name: 'algorand indexer', error });
  }
  return checks;
}

function nodeOf({ ethereumRpcUrl: url, timeoutMs }: ProverOptions): EthereumNode | undefined {
  if (url === undefined) return undefined;
  return new EthereumNode(new JsonService('Ethereum node', url, timeoutMs ?? TIMEOUT_MS));
}

function indexerOf(options: ProverOptions): AlgorandIndexer | undefined {
  const { algorandIndexerUrl: url, timeoutMs } = options;
  if (url === undefined) return undefined;
  return new AlgorandIndexer(new JsonService('Algorand indexer', url, timeoutMs ?? TIMEOUT_MS));
}

async function errorOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}
