import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../../bench/servers/free-port.ts';
import { ServerProcess } from '../../support/server-process.ts';

const FOLDER = fileURLToPath(new URL('./', import.meta.url));
const ANVIL = `${FOLDER}packages/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil`;

/** Why tests that need anvil can't run here; undefined when they can. */
export const missingAnvil = existsSync(ANVIL)
  ? undefined
  : 'anvil is missing: npm ci --prefix test/sources/anvil/packages';

export interface Anvil {
  readonly url: string;
  remove(): Promise<void>;
}

/**
 * Starts a real Ethereum node with a chain of its own, which makes a block of each transaction.
 * @param genesis time of its first block, in seconds since 1970
 * @param chainId 1 for what must be mainnet
 */
export async function startAnvil(genesis: number, chainId = 31_337): Promise<Anvil> {
  const port = await freePort();
  const server = new ServerProcess(ANVIL, [
    ...['--port', String(port), '--timestamp', String(genesis), '--silent'],
    ...['--chain-id', String(chainId)],
    // The last block but two is final.
    ...['--slots-in-an-epoch', '1', '--threads', '1'],
  ]);
  const url = `http://127.0.0.1:${port}`;
  await server.start(async () => {
    const answer = await fetch(url).catch(() => undefined);
    return answer !== undefined;
  });
  return { url, remove: () => server.kill() };
}
