import { nearest, sanitizeText, UserError } from '#base';
import { type CliArguments, textOption } from '#cli/command';
import { type DateOrder, parseCellTime, type SourcePart, timeZone } from '#import/sheet';

/** The options of an import that say how a spreadsheet is to be read; undefined for what isn't said. */
export interface SheetOptions {
  readonly preset: Preset | undefined;
  readonly event: string | undefined;
  /** Columns by the field of an event, or by the name of an argument. */
  readonly map: ReadonlyMap<string, string>;
  /** The time of all rows, as written. */
  readonly at: string | undefined;
  readonly source: string | undefined;
  readonly zone: string | undefined;
  readonly order: DateOrder | undefined;
  readonly from1904: boolean;
  readonly twice: 'earlier' | 'later' | undefined;
  readonly namesFile: string | undefined;
  readonly isSure: boolean;
}

/** For the table of options of the command. */
export const SHEET_OPTIONS = {
  event: { type: 'string' },
  preset: { type: 'string' },
  map: { type: 'string' },
  at: { type: 'string' },
  source: { type: 'string' },
  'time-zone': { type: 'string' },
  'date-order': { type: 'string' },
  'excel-1904': { type: 'boolean' },
  twice: { type: 'string' },
  names: { type: 'string' },
  yes: { type: 'boolean' },
} as const;

const wrong = (message: string) => new UserError('wrong-usage', message);
/** Columns' names are from a file that anybody may have written. */
const quoted = (text: string) => `"${sanitizeText(text, 40)}"`;

const EVENT = /^[a-z][a-z0-9_]{0,63}$/;

/** @throws UserError `wrong-usage` */
export function readSheetOptions({ values }: CliArguments): SheetOptions {
  const text = (name: keyof typeof SHEET_OPTIONS) => textOption(values[name], name);
  const event = text('event');
  if (event !== undefined && !isEventName(event)) throw wrong(EVENT_ADVICE);
  const zone = text('time-zone');
  if (zone !== undefined) requireZone(zone);
  const at = text('at');
  if (at !== undefined && parseCellTime(at) === undefined) {
    throw wrong('--at takes a date or a time, such as --at 2026-03-04 or --at "2026-03-04 18:00".');
  }
  return {
    preset: presetOf(text('preset')),
    event,
    map: mapOf(text('map')),
    at,
    source: text('source'),
    zone,
    order: oneOf('date-order', text('date-order'), ['dmy', 'mdy']),
    from1904: values['excel-1904'] === true,
    twice: oneOf('twice', text('twice'), ['earlier', 'later']),
    namesFile: text('names'),
    isSure: values.yes === true,
  };
}

/** Whether any of them was given, apart from `--yes`. */
export function hasSheetOptions({ values }: CliArguments): boolean {
  return Object.keys(SHEET_OPTIONS).some((name) => name !== 'yes' && values[name] !== undefined);
}

/** Whether a text can be the name of an event. */
export function isEventName(text: string): boolean {
  return EVENT.test(text);
}

export const EVENT_ADVICE =
  '--event takes the name that rules refer to, such as workshop_attended: letters a-z, digits and underscores, starting with a letter.';

/** @throws UserError `wrong-usage` if there's no such time zone */
export function requireZone(name: string): void {
  if (timeZone(name) !== undefined) return;
  throw wrong(
    `There is no time zone ${JSON.stringify(name)}. Use a name such as Europe/Berlin or America/Bogota, or UTC.`,
  );
}

function presetOf(name: string | undefined): Preset | undefined {
  if (name === undefined) return undefined;
  const found = PRESETS.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw wrong(`--preset takes ${PRESETS.map((each) => each.name).join(' or ')}.`);
}

function oneOf<T extends string>(
  name: string,
  given: string | undefined,
  known: readonly T[],
): T | undefined {
  const found = known.find((each) => each === given);
  if (given === undefined || found !== undefined) return found;
  throw wrong(`--${name} takes ${known.join(' or ')}.`);
}

const PAIR = /\s*([^=,]+?)\s*=\s*(?:"([^"]*)"|([^,]*?))\s*(?:,|$)/y;

/** `address=Wallet,timestamp="Checked in"` */
function mapOf(text: string | undefined): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  PAIR.lastIndex = 0;
  for (let at = 0; text !== undefined && at < text.length; at = PAIR.lastIndex) {
    const [, field, quoted, plain] = PAIR.exec(text) ?? [];
    const column = quoted ?? plain;
    if (field === undefined || column === undefined || column === '' || map.has(field)) {
      throw wrong(
        '--map takes fields with their columns, each once, such as --map \'address=Wallet,timestamp="Checked in"\'.',
      );
    }
    map.set(field, column);
  }
  return map;
}

const PLACEHOLDER = /\{([^{}]*)\}/g;

/**
 * `workshop-12:{row}` as parts.
 * @throws UserError `wrong-usage` if a placeholder is none
 */
export function sourceParts(text: string, columns: readonly string[]): SourcePart[] {
  const parts: SourcePart[] = [];
  let from = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > from) parts.push({ kind: 'text', text: text.slice(from, match.index) });
    parts.push(partOf(match[1] ?? '', columns));
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) });
  return parts;
}

function partOf(name: string, columns: readonly string[]): SourcePart {
  if (name === 'row' || name === 'address' || name === 'timestamp') return { kind: name };
  return { kind: 'column', column: columnOf(name, columns) };
}

/** A column by its name, or its number from 1. @throws UserError `wrong-usage` */
export function columnOf(name: string, columns: readonly string[]): number {
  const same = (one: string, other: string) =>
    one.trim().toLowerCase() === other.trim().toLowerCase();
  const found = columns.flatMap((each, column) => (same(each, name) ? [column] : []));
  const [only, second] = found;
  if (only !== undefined && second === undefined) return only;
  if (second !== undefined) {
    const numbers = found.map((column) => column + 1).join(' and ');
    throw wrong(`Columns ${numbers} are both ${quoted(name)}. Use a number instead of the name.`);
  }
  const number = /^\d{1,4}$/.test(name) ? Number(name) : 0;
  if (number >= 1 && number <= columns.length) return number - 1;
  const meant = nearest(name, columns);
  const hint = meant === undefined ? '' : ` Did you mean ${quoted(meant)}?`;
  throw wrong(
    `There is no column ${quoted(name)}.${hint} There are ${columns.slice(0, 30).map(quoted).join(', ')}.`,
  );
}

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
const PRESETS: readonly Preset[] = [
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
