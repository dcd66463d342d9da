import type { Fields, Shape } from '#scoring/shape/shape';

/** Integers that are easier to read as powers. */
const LARGE = [
  ...[256n, 64n, 53n].map((bits) => ({ digits: 2n ** bits - 1n, power: `(2^${bits}-1)` })),
  { digits: 10n ** 12n, power: '10^12' },
];

/** Every field of a rules file as rows of a Markdown table, in the order of the grammar. */
export function rulesReference(file: Shape<unknown>): string {
  const rows = new Set<string>();
  addParts(file, '', rows);
  return ['| field | value | meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

function addParts({ parts = [] }: Shape<unknown>, path: string, rows: Set<string>): void {
  for (const { at, fields } of parts) addFields(fields, `${path}${at}`, rows);
}

function addFields(fields: Fields, path: string, rows: Set<string>): void {
  for (const [name, { shape, about, isOptional }] of Object.entries(fields)) {
    const field = path === '' ? name : `${path}.${name}`;
    const value = [...(isOptional ? ['optional'] : []), valueText(shape)].join(': ');
    // Kinds of rules share fields.
    rows.add(`| \`${field}\` | ${value} | ${about} |`);
    addParts(shape, field, rows);
  }
}

function valueText({ accepts, parts = [], schema }: Shape<unknown>): string {
  const isMap = schema.type === 'object' || schema.anyOf?.every(({ type }) => type === 'object');
  if (isMap) return 'a map';
  if (schema.type === 'array' && parts.length > 0) return 'a list of maps';
  const named = LARGE.reduce(
    (text, { digits, power }) =>
      text
        .replaceAll(`-${digits}`, `-${power}`)
        .replaceAll(String(digits), power.replace(/^\((.*)\)$/, '$1')),
    accepts,
  );
  return named.replace(/^a list of /, 'a list; each entry is ');
}
