import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentWallets, suggestWallets } from '#commands/answering/resolve';
import { anyString } from '../../support/any-string.ts';
import { FixedSource, fixedWallets, TITAN, WHALE } from '../../support/fixed-source.ts';
import { addressOf } from '../../support/import-lines.ts';

const source = new FixedSource(fixedWallets());
const caller = { platform: 'discord', id: '1' } as const;

describe('suggestions', () => {
  it('are the leaderboard by rank if nothing was typed', async () => {
    const found = await suggestWallets(source, [], '');
    expect(found).toHaveLength(25);
    expect(found.slice(0, 2).map((each) => each.address)).toEqual([TITAN.address, WHALE.address]);
    expect(found[0]?.label).toBe('leviathan.sol · ANyAwp…f3bV');
  });

  it('start with recent wallets and their names, without duplicates', async () => {
    const found = await suggestWallets(source, [WHALE.address], '');
    expect(found[0]).toEqual({
      label: 'vera.eth · 0xfDE9…C026',
      address: WHALE.address,
      name: 'vera.eth',
    });
    expect(new Set(found.map((each) => each.address)).size).toBe(found.length);
  });

  it('contain what was typed, in a name or an address, in any case', async () => {
    expect(await suggestWallets(source, [], ' VERA ')).toHaveLength(1);
    const typed = WHALE.address.slice(5, 20).toLowerCase();
    expect((await suggestWallets(source, [], typed)).map((each) => each.address)).toEqual([
      WHALE.address,
    ]);
    expect(await suggestWallets(source, [], 'no such wallet')).toEqual([]);
  });

  it('are at most 25, whatever is typed', async () => {
    await fc.assert(
      fc.asyncProperty(anyString(), async (typed) => {
        expect((await suggestWallets(source, [], typed)).length).toBeLessThanOrEqual(25);
      }),
    );
  });
});

describe('recent wallets', () => {
  it("are a caller's last five, newest first, without duplicates", () => {
    const recent = new RecentWallets();
    for (const wallet of ['a', 'b', 'a', 'c', 'd', 'e', 'f']) recent.note(caller, wallet);
    expect(recent.of(caller)).toEqual(['f', 'e', 'd', 'c', 'a']);
    expect(recent.of({ platform: 'telegram', id: '1' })).toEqual([]);
  });

  it('are dropped for the least recent callers', () => {
    const recent = new RecentWallets();
    const address = addressOf('solana', 1);
    for (let id = 0; id <= 10_000; id += 1) recent.note({ ...caller, id: String(id) }, address);
    expect(recent.of({ ...caller, id: '0' })).toEqual([]);
    expect(recent.of({ ...caller, id: '1' })).toEqual([address]);
    expect(recent.of({ ...caller, id: '10000' })).toEqual([address]);
  });
});
