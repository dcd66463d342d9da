import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dayOf } from '#base/time/time';
import { HoldingFold } from '#scoring/fold/score-wallet';
import { HELD_PLACE } from '#scoring/inputs/input';
import type { SourceEvent, SourcePosition } from '#scoring/inputs/store';
import { ETH_A, ETH_B } from '../support/ledger.ts';
import { type TokenBlock, TokenChain } from '../support/token-chain.ts';
import { evidenceOf } from '../support/token-reading.ts';

const DAY = 86_400;
const GENESIS = 19_000 * DAY + 1_000;
const WALLETS = [ETH_A, ETH_B];

function daysPaid(events: readonly SourceEvent[], min: bigint, end: SourcePosition): number[] {
  const fold = new HoldingFold(min);
  const paid: number[] = [];
  for (const { time, args } of events) {
    paid.push(...fold.advance(dayOf(time)));
    fold.change(BigInt((JSON.parse(args) as { amount: string }).amount), time);
  }
  if (events.length > 0) paid.push(...fold.advance(dayOf(end.time)));
  return paid;
}

/** The days that a wallet held enough at both ends, straight from the chain. */
function expectedDays(
  blocks: readonly TokenBlock[],
  chain: TokenChain,
  { wallet, since, min }: { wallet: number; since: number; min: number },
): number[] {
  const begin = since - 1;
  const first = blocks.findIndex(({ named }, height) => height > begin && named.includes(wallet));
  if (first < 0) return [];
  const endOf = (day: number) =>
    blocks.findLastIndex((_, height) => chain.at(height).time < (day + 1) * DAY);
  const held = (height: number) => blocks[height]?.balances[wallet] ?? 0;
  const day = dayOf(chain.at(first).time);
  const isKnownBefore = held(Math.max(begin, endOf(day - 1))) > 0;
  const balanceOn = (each: number) => {
    if (endOf(each) < Math.max(0, begin)) return 0;
    return each < day && !isKnownBefore ? 0 : held(endOf(each));
  };
  const last = dayOf(chain.at(blocks.length - 1).time);
  // It's asked for once the day has ended on which it was first named.
  if (day >= last) return [];
  const paid: number[] = [];
  for (let each = dayOf(GENESIS); each < last; each++) {
    if (balanceOn(each - 1) >= min && balanceOn(each) >= min) paid.push(each);
  }
  return paid;
}

const block = fc.record({
  after: fc.oneof(fc.integer({ min: 1, max: DAY / 2 }), fc.integer({ min: 1, max: 3 * DAY })),
  named: fc.uniqueArray(fc.nat(1), { maxLength: 1 }),
  balances: fc.tuple(fc.nat(3), fc.nat(3)),
});

it('Reading of daily balances pays days held at both ends, however it is read, and gives the same evidence', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(block, { minLength: 2, maxLength: 40 }),
      fc.record({
        since: fc.nat(5),
        widths: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        restarts: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
        faults: fc.array(fc.boolean(), { maxLength: 10 }),
      }),
      fc.integer({ min: 1, max: 3 }),
      async (blocks, drawn, min) => {
        const since = Math.min(drawn.since, blocks.length - 1);
        const chain = new TokenChain(blocks, WALLETS, GENESIS);
        const { events } = await evidenceOf(chain, { ...drawn, since });
        const plain = { since, widths: [100], restarts: [false], faults: [] };
        expect(events).toEqual((await evidenceOf(chain, plain)).events);
        const end = await chain.end();
        for (const [wallet, { address }] of WALLETS.entries()) {
          const own = events.filter((each) => each.wallet.address === address);
          const expected = expectedDays(blocks, chain, { wallet, since, min });
          expect(daysPaid(own, BigInt(min), end)).toEqual(expected);
        }
      },
    ),
    { numRuns: 300 },
  );
});

it('Reading of daily balances asks for nobody before a day has ended, and for everyone once a day', async () => {
  const blocks = Array.from({ length: 40 }, (_, height) => ({
    ...{ after: DAY / 10, named: [height % 2], balances: [5, 7] },
  }));
  const chain = new TokenChain(blocks, WALLETS, GENESIS);
  const evidence = await evidenceOf(chain, {
    ...{ since: 0, widths: [4], restarts: [false], faults: [] },
  });
  const held = evidence.events.filter(({ place }) => place === HELD_PLACE);
  expect(held.map(({ wallet, height, args }) => [wallet.address, height, args])).toEqual([
    [ETH_A.address, 8, '{"amount":"5"}'],
    [ETH_B.address, 8, '{"amount":"7"}'],
  ]);
});
