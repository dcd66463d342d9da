/** How a service's export is to be read: columns by field. */
export interface Preset {
  readonly name: string;
  /** Undefined where only a look at the rows can tell. */
  readonly map: Readonly<Partial<Record<'address' | 'timestamp', string>>>;
  readonly source: string | undefined;
  /** Columns of its header, all of which are there. */
  readonly header: readonly string[];
}

/**
 * Exports that many communities have.
 *
 * `poap`: the list of an event's collectors at https://poap.gallery; its times have a zone.
 * `addresses`: one address a row, as lists of Galxe and others are, with a header or without; no times.
 */
export const PRESETS: readonly Preset[] = [
  {
    name: 'poap',
    map: { address: 'Collection', timestamp: 'Minting Date' },
    source: 'poap:{ID}',
    header: ['ID', 'Collection', 'ENS', 'Minting Date'],
  },
  { name: 'addresses', map: {}, source: undefined, header: [] },
];

/** The preset whose columns a sheet has. */
export function presetFor(columns: readonly string[]): Preset | undefined {
  return PRESETS.find(
    ({ header }) => header.length > 0 && header.every((each) => columns.includes(each)),
  );
}
