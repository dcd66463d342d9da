import { describe, expect, it } from 'vitest';
import { messageOf } from '#base/errors';
import { checkServices } from '#linking/proofs/index';
import { openAlgorandIndexer } from '../../support/algorand-indexer.ts';
import { openEthereumNode } from '../../support/ethereum-node.ts';

/** Valid responses are waited for, however busy the machine is. */
const TIMEOUT_MS = 60_000;

async function openBoth() {
  const node = await openEthereumNode();
  const indexer = await openAlgorandIndexer();
  const check = () =>
    checkServices({
      ethereumRpcUrl: node.url,
      algorandIndexerUrl: indexer.url,
      timeoutMs: TIMEOUT_MS,
    });
  return { node, indexer, check };
}

describe('the services that proofs use', () => {
  it('are fine if they are on mainnet and up to date', async () => {
    const { check } = await openBoth();
    expect(await check()).toEqual([
      { name: 'ethereum node', error: undefined },
      { name: 'algorand indexer', error: undefined },
    ]);
  });

  it('are checked only if configured', async () => {
    expect(await checkServices({})).toEqual([]);
  });

  it('are reported separately if one is behind and the other on another network', async () => {
    const { node, indexer, check } = await openBoth();
    node.blockAge = 3_600;
    indexer.network = 'testnet-v1.0';
    expect((await check()).map(({ error }) => messageOf(error))).toEqual([
      'The Ethereum node is far behind the chain. Try again later.',
      "The Algorand indexer isn't on mainnet (testnet-v1.0), so Algorand accounts can't be checked.",
    ]);
  });

  it('may be down or misconfigured', async () => {
    const { node } = await openBoth();
    node.chainId = '0x89';
    const checks = await checkServices({
      ethereumRpcUrl: node.url,
      algorandIndexerUrl: 'nonsense',
      timeoutMs: TIMEOUT_MS,
    });
    expect(messageOf(checks[0]?.error)).toContain('chain ID 137');
    expect(messageOf(checks[1]?.error)).toContain("isn't an http(s) URL");
  });
});
