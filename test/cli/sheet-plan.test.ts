import { expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { planSheet } from '#cli/import/sheet/make-plan';
import { readSheetOptions } from '#cli/import/sheet/options';
import { ETH_A } from '../support/ledger.ts';

/** How a sheet of these bytes would be imported. */
async function planOf(parts: readonly Uint8Array[]) {
  return await planSheet({
    input: {
      name: 'guests.csv',
      async *open() {
        yield* parts;
      },
      onRows: () => undefined,
      onRead: () => undefined,
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
  });
}

it.each([
  [
    'PK\x03\x04....',
    'this looks like an Excel or LibreOffice workbook. Save the sheet as CSV (UTF-8)',
  ],
  ['', 'this is empty: nothing was read'],
  [`Name,Wallet\n"Ann,${ETH_A.address}\n`, 'a quote in row 2 is never closed'],
  [`Name,Wallet\n"${'x'.repeat(100_000)}",1\n`, 'row 2 has more than 65536 characters'],
  ['\x1f\x8b\x08broken', 'the gzip file is damaged'],
])('%j is refused in a sentence that names the file', async (text, words) => {
  const planned = planOf([Buffer.from(text, 'latin1')]);
  await expect(planned).rejects.toThrow(UserError);
  await expect(planned).rejects.toThrow(`guests.csv: ${words}`);
});

it("A row that can't be read ends the progress bar before the fault is shown", async () => {
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
