import { expect, it } from 'vitest';
import { planSheet } from '#cli/import/sheet/make-plan';
import { readSheetOptions } from '#cli/import/sheet/options';
import { ETH_A } from '../support/ledger.ts';

it("a row that can't be read ends the bar before the fault is told", async () => {
  const row = `${ETH_A.address},2026-03-04 18:00\n`;
  const told: string[] = [];
  const planned = planSheet({
    input: {
      name: 'guests.csv',
      async *open() {
        yield Buffer.from(`Wallet,Time\n${row.repeat(20_000)}`);
        yield Buffer.from(`"${'x\n'.repeat(200_000)}`);
      },
      onRows: () => told.push('rows'),
      onRead: () => told.push('end'),
    },
    options: readSheetOptions({
      operands: [],
      values: { event: 'attended', 'time-zone': 'UTC', yes: true },
    }),
    ask: undefined,
    settings: {
      ethereumRpcUrl: undefined,
      solanaRpcUrl: undefined,
      nfdApiUrl: undefined,
      privateNetworks: [],
    },
    namesFile: 'guests.csv.names',
  }).catch((error: Error) => told.push(error.message));
  await planned;
  expect(told[0]).toBe('rows');
  expect(told.slice(-2)).toEqual(['end', expect.stringContaining('row 20002')]);
});
