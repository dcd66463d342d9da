import { expect, it } from 'vitest';
import { AddressTable } from '#reputation/standings/lookup-tables';
import { TextArena } from '#reputation/standings/text-arena';

const addressOf = (wallet: number) =>
  `0x${'aB'.repeat(10)}${wallet.toString(16).padStart(20, '0')}`;

/** A table that counts how often it looks at wallets that it has. */
function countedTable() {
  const arena = new TextArena();
  const handles: number[] = [];
  const seen = { count: 0 };
  const table = new AddressTable(arena, {
    reserve: () => undefined,
    setAddress(wallet, handle) {
      handles[wallet] = handle;
    },
    handle(wallet) {
      seen.count += 1;
      return handles[wallet] ?? 0;
    },
  });
  return { table, seen };
}

it('The address table finds every wallet while it grows', () => {
  const { table } = countedTable();
  for (let wallet = 1; wallet <= 20_000; wallet += 1) {
    table.add(wallet, 'ethereum', addressOf(wallet));
    // The newest, and old ones all over the table.
    for (const known of [wallet, 1 + ((wallet * 7919) % wallet), 1]) {
      expect(table.find(addressOf(known))).toBe(known);
    }
    expect(table.find(addressOf(wallet + 1))).toBe(0);
  }
  const all = Array.from({ length: 20_000 }, (_, i) => i + 1);
  expect(all.every((wallet) => table.find(addressOf(wallet)) === wallet)).toBe(true);
  expect(table.recognise(addressOf(700).toUpperCase().replace('X', 'x'))).toBe(700);
});

it('The address table has no wallet wait until all others are moved to a larger table', () => {
  const { table, seen } = countedTable();
  let most = 0;
  for (let wallet = 1; wallet <= 50_000; wallet += 1) {
    const before = seen.count;
    table.add(wallet, 'ethereum', addressOf(wallet));
    most = Math.max(most, seen.count - before);
  }
  expect(most).toBeLessThan(20);
});
