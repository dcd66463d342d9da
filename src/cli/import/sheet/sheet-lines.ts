import type { InputLine } from '#import';
import { createRowReader, type SheetPlan, type SheetRow } from '#import/sheet';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { readRows } from './read-rows.ts';

/** A spreadsheet's rows as lines of an import, numbered as the spreadsheet shows them. */
export async function* sheetLines(
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  plan: SheetPlan,
): AsyncGenerator<readonly InputLine[]> {
  const read = createRowReader(plan, createWalletParser(chains));
  const { rows } = await readRows(chunks);
  let isFirst = plan.hasHeader;
  for await (const group of rows) {
    const lines = group
      .slice(isFirst ? 1 : 0)
      .map((row) => lineOf(file, row, read(row.cells, row.row)));
    isFirst = false;
    yield lines;
  }
}

function lineOf(
  file: string,
  { cells, row }: SheetRow,
  event: ReturnType<ReturnType<typeof createRowReader>>,
): InputLine {
  if (event.kind === 'refused') {
    return { file, number: row, text: cells.join(', ').slice(0, 1024), refusal: event };
  }
  return { file, number: row, text: JSON.stringify(event) };
}
