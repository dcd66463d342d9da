import { expect, it } from 'vitest';
import { checkHeld } from '#cli/evidence/against-chain';
import { HELD_PLACE } from '#scoring/inputs/input';
import { SampleCheck } from '#scoring/proof/chain-sample';
import type { EventLine } from '#scoring/proof/format';
import { dayEnds } from '#sources/daily/chain-at';
import { ETH_A, ETH_B } from '../support/ledger.ts';
import { TokenChain } from '../support/token-chain.ts';
import { evidenceOf, inputSince } from '../support/token-reading.ts';

const DAY = 86_400;
const { signal } = new AbortController();

/** Four blocks a day; A is named on the first day and B on the third, and what they hold halves each day. */
async function tokenFile() {
  const blocks = Array.from({ length: 30 }, (_, height) => ({
    ...{ after: DAY / 4, named: height === 1 ? [0] : height === 9 ? [1] : [] },
    balances: [1_024 >> (height / 4), height < 9 ? 0 : 512 >> (height / 4)],
  }));
  const chain = new TokenChain(blocks, [ETH_A, ETH_B], 19_000 * DAY);
  const reading = { since: 1, widths: [3], restarts: [false], faults: [] };
  const { events } = await evidenceOf(chain, reading);
  const lines = events
    .map(({ wallet, height, place, time, args }): EventLine => {
      const base = {
        kind: 'event',
        source: 'eth',
        input: 'hold',
        address: wallet.address,
      } as const;
      return { ...base, height, place, time, args: JSON.parse(args) };
    })
    .sort((one, other) => (one.address < other.address ? -1 : one.address > other.address ? 1 : 0));
  const range = { low: chain.at(0), high: await chain.end() };
  const ends = await Array.fromAsync(dayEnds(chain, range, signal));
  const compare = async (all: readonly EventLine[]) => {
    const named = events.filter(({ place }) => place !== HELD_PLACE);
    const inputs = new Set(['hold']);
    const check = new SampleCheck([
      {
        ...{ source: 'eth', inputs, asked: new Map([['hold', 0]]), ranges: [{ from: 0, to: 29 }] },
        dayEnds: ends.map(({ height }) => height).filter((height) => height > 0),
        events: named.map((each) => ({ ...each, name: 'hold', address: each.wallet.address })),
      },
    ]);
    for (const [index, line] of all.entries()) check.take(line, index + 1);
    check.finish();
    const held = check.takeHeld();
    await checkHeld(chain, [inputSince(1)], held, signal);
    return held.length;
  };
  return {
    lines,
    ends,
    compare,
    at: lines.findIndex(({ place, height }) => place === HELD_PLACE && height > 0),
  };
}

it('The check of held balances asks the chain for everyone whom the file names, at the end of each day', async () => {
  const { lines, ends, compare } = await tokenFile();
  // B is named on the third day.
  const after = (height: number) => ends.filter((end) => end.height >= height).length;
  // A had got it before the first block.
  expect(await compare(lines)).toBe(1 + after(1) + after(9));
});

it('The check of held balances finds what was changed, left out, or put on another block', async () => {
  const { lines, compare, at } = await tokenFile();
  const line = lines[at] as EventLine;
  const differs = /held \d+ at eth \d+ by the chain, but the file says -?\d+/;
  const changed = { ...line, args: { amount: '1' } };
  await expect(compare(lines.with(at, changed))).rejects.toThrow(differs);
  await expect(compare(lines.toSpliced(at, 1))).rejects.toThrow(differs);
  const start = lines.findIndex(({ place, height }) => place === HELD_PLACE && height === 0);
  const before = { ...(lines[start] as EventLine), args: { amount: '2000' } };
  await expect(compare(lines.with(start, before))).rejects.toThrow(/held 1024 at eth 0 .* 2000/);
  const moved = { ...line, height: line.height - 1 };
  await expect(compare(lines.with(at, moved))).rejects.toThrow(/no day of eth ends at \d+/);
});
