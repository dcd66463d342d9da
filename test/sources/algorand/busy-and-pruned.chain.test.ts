import { describe, expect, it } from 'vitest';
import { openIndexer } from '../../support/sources/algorand-chain.ts';
import { inputs, rule, sourceOf } from '../../support/sources/algorand-source.ts';
import { AlgorandLedger, accountOf, assetTransfer } from '../../support/sources/algorand-world.ts';
import { FOREVER, readAll } from '../../support/sources/read-all.ts';

const ASA = 31566704;
const RECEIVED = inputs(rule(`asset: ${ASA}, transfer: received`, 'receiver'));

const SENT = assetTransfer(ASA, accountOf(0), { receiver: accountOf(1), amount: 1 });

/** A transfer in every second round. */
function busyLedger(): AlgorandLedger {
  const ledger = new AlgorandLedger();
  for (let round = 1; round <= 400; round += 2) {
    ledger.send(round, SENT);
  }
  return ledger;
}

describe('an indexer', () => {
  it.each([
    [503, 'error while searching for transaction: timeout during call'],
    [
      500,
      'error while searching for transaction: ERROR: canceling statement due to statement timeout',
    ],
    [408, 'Request Timeout'],
  ])('whose search takes too long is asked for less (%s %s)', async (status, message) => {
    const indexer = await openIndexer({ round: 400, transactions: busyLedger().transactions });
    indexer.instead = ({ url }) => {
      const { 'min-round': min, 'max-round': max } = Object.fromEntries(url.searchParams);
      const isWide = min !== undefined && Number(max) - Number(min) > 40;
      return isWide ? { status, body: { message } } : undefined;
    };
    const { events, stretches } = await readAll(sourceOf(indexer), RECEIVED);
    expect(events).toHaveLength(200);
    expect(stretches).toBeLessThan(30);
  });

  it('that cannot search a single round is named with its status', async () => {
    const indexer = await openIndexer({ round: 400, transactions: busyLedger().transactions });
    indexer.instead = ({ url }) =>
      url.pathname === '/v2/transactions'
        ? { status: 503, body: { message: 'timeout during call' } }
        : undefined;
    await expect(readAll(sourceOf(indexer), RECEIVED)).rejects.toThrow(
      'answered with 503: its search takes too long. It was only asked for one height.',
    );
  });

  it('that has deleted old transactions is unfit for their rounds', async () => {
    const { transactions } = busyLedger();
    const indexer = await openIndexer({ round: 400, transactions, keptFrom: 200 });
    const chain = sourceOf(indexer);
    await expect(readAll(chain, RECEIVED)).rejects.toMatchObject({ kind: 'unfit' });
    const from = { height: 210, hash: null, time: 1 };
    const read = await chain.read({ inputs: RECEIVED, from, upTo: 400, signal: FOREVER });
    expect(read.events).toHaveLength(95);
    // Others have them.
    const others = await Promise.all([1, 2].map(() => openIndexer({ round: 400, transactions })));
    expect((await readAll(sourceOf(indexer, ...others), RECEIVED)).events).toHaveLength(200);
  });

  it('of quiet rounds has deleted nothing', async () => {
    const ledger = new AlgorandLedger();
    ledger.send(300, SENT);
    const { transactions } = ledger;
    const indexer = await openIndexer({ round: 900, transactions });
    expect((await readAll(sourceOf(indexer), RECEIVED)).events).toHaveLength(1);
  });
});
