import { expect, it } from 'vitest';
import { csvRecordSteps } from '#scoring/rules-file/read-file';
import spectrum from './vectors/csv-spectrum.json' with { type: 'json' };

/* CSV as several programs write it, with what it means. */

it.each(Object.entries(spectrum.cases))('%s is read as the suite says', (_, { csv, records }) => {
  const rows: (readonly string[])[] = [];
  for (const step of csvRecordSteps(csv, ({ cells }) => rows.push(cells) > 0)) {
    expect(step).toBeUndefined();
  }
  const [header, ...others] = rows;
  const read = others.map((cells) =>
    Object.fromEntries(cells.map((cell, place) => [header?.[place], cell])),
  );
  expect(read).toEqual(records);
});
