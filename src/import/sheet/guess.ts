import type { WalletParser } from '#wallet';
import { parseCellTime } from './cell-time.ts';
import { cellAddress, cellText, isName } from './cells.ts';
import type { SheetRow } from './plan.ts';

/** What the first rows of a sheet say about its columns. */
export interface SheetGuess {
  readonly hasHeader: boolean;
  /** Names of the columns: of the header, else their numbers, from 1. */
  readonly columns: readonly string[];
  /** Columns that mostly have addresses; the likeliest first. */
  readonly addresses: readonly number[];
  /** Columns that mostly have times; the likeliest first. */
  readonly times: readonly number[];
}

const ADDRESS_WORDS =
  /wallet|address|account|owner|collection|recipient|holder|participant|\bens\b|direcci[oó]n|cartera|billetera|monedero|cuenta/i;
const TIME_WORDS =
  /time|date|when|check(?:ed)?[ _-]?in|created|minted|minting|claimed|completed|joined|attended|registered|fecha|hora|cu[aá]ndo|asisti/i;
const NUMBER = /^\d+(?:[.,]\d+)?$/;
/** Of the cells that aren't empty. */
const MOSTLY = 0.6;

/** Judges columns by their content first, then by their names. @param rows the first ones */
export function guessColumns(rows: readonly SheetRow[], wallets: WalletParser): SheetGuess {
  const isAddress = (cell: string) => {
    const text = cellAddress(cell);
    return wallets.hasForm(text) || isName(text);
  };
  const first = rows[0]?.cells ?? [];
  const hasHeader = !first.some((cell) => isAddress(cell));
  const body = hasHeader ? rows.slice(1) : rows;
  const width = Math.max(first.length, ...body.map(({ cells }) => cells.length));
  const columns = Array.from({ length: width }, (_, i) => {
    const name = hasHeader ? cellText(first[i] ?? '') : '';
    return name === '' ? String(i + 1) : name;
  });

  function mostly(is: (cell: string, column: number) => boolean, words: RegExp): number[] {
    const scored = columns.map((name, column) => {
      const cells = body
        .map(({ cells }) => cellText(cells[column] ?? ''))
        .filter((cell) => cell !== '');
      const share = cells.filter((cell) => is(cell, column)).length / Math.max(1, cells.length);
      return { column, share, isNamed: hasHeader && words.test(name) };
    });
    const found = scored.filter(({ share }) => share >= MOSTLY);
    const named = found.filter(({ isNamed }) => isNamed);
    return (named.length > 0 ? named : found)
      .toSorted((a, b) => b.share - a.share || a.column - b.column)
      .map(({ column }) => column);
  }

  const addresses = mostly(isAddress, ADDRESS_WORDS);
  const times = mostly((cell, column) => {
    if (addresses.includes(column)) return false;
    // Any number could be one of Excel's dates: only a column with such a name has them.
    if (NUMBER.test(cell) && !TIME_WORDS.test(columns[column] ?? '')) return false;
    return parseCellTime(cell) !== undefined;
  }, TIME_WORDS);
  return { hasHeader, columns, addresses, times };
}
