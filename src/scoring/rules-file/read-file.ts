import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as csvParse from 'csv-parse/sync';
import { UserError } from '#base';
import { statIfThere, systemCodeOf } from '#base/process';
import { beat } from '#cluster';
import { canonicalRules } from '#scoring/canonical';
import { type BuildOptions, buildRuleSet } from '#scoring/compile/index';
import { FORMER_NOBODY, nobodyOf } from '#scoring/compile/nobody';
import type { AddressList } from '#scoring/compile/sources';
import { Faults, FileFaults, type RulesFault } from '#scoring/faults';
import { rulesFile } from '#scoring/grammar/file';
import type { RuleSet } from '#scoring/model';
import type { ReadRules } from '#scoring/score-versions/store';
import type { RulesNode } from '#scoring/tree';
import type { Wallet, WalletParser } from '#wallet';
import { parseYaml } from './parse-yaml.ts';
import { runSteps, type Steps } from './steps.ts';

const MIB = 1024 * 1024;
const FILE_MAX = MIB;
/** A list of a million addresses. */
const LIST_MAX = 64 * MIB;
const NO_LIST: AddressList = { wallets: [], faults: [] };

/** A rules file's contents, stored so that it can be read again without the file. */
export interface RulesFile {
  readonly reading: RulesReading;
  readonly text: string;
  /** Texts of the lists it names, by path as written there. */
  readonly lists: Readonly<Record<string, string>>;
}

/**
 * Reads and validates a rules file, and the lists it names.
 * @throws UserError `wrong-usage` if the file can't be read at all
 */
export function readRulesFile(path: string, wallets: WalletParser): RulesFile {
  return runSteps(rulesFileSteps(path, wallets));
}

/**
 * The same in small steps, as long lists take seconds.
 * @param beforeRead called with each file's path before it's read, whether or not it exists
 */
export function* rulesFileSteps(
  path: string,
  wallets: WalletParser,
  beforeRead: (path: string) => void = () => undefined,
): Steps<RulesFile> {
  const read = (file: string, max: number) => {
    beforeRead(file);
    return readText(file, max);
  };
  const text = read(path, FILE_MAX);
  const lists: Record<string, string> = {};
  const textOf = (list: string) => {
    lists[list] ??= read(join(dirname(path), list), LIST_MAX);
    return lists[list];
  };
  return { reading: yield* rulesTextSteps(text, wallets, textOf), text, lists };
}

/** Validates the text of a rules file that is to be written at a path, and the lists that it names. */
export function readRulesText(text: string, path: string, wallets: WalletParser): RulesReading {
  const textOf = (list: string) => readText(join(dirname(path), list), LIST_MAX);
  return runSteps(rulesTextSteps(text, wallets, textOf));
}

/** Reads a stored rules file. */
export function* keptRulesSteps(
  { text, lists, hash: kept }: Pick<RulesFile, 'text' | 'lists'> & { readonly hash?: string },
  wallets: WalletParser,
): Steps<RulesReading> {
  return yield* rulesTextSteps(text, wallets, (path) => lists[path] ?? '', {
    isKept: true,
    keptHash: kept,
  });
}

/** Reads stored rules, for their titles. Lists are left out: requests wait, and a million addresses take seconds. */
export function rulesReader(wallets: WalletParser): ReadRules {
  return (text) => {
    const reading = runSteps(keptRulesSteps({ text, lists: {} }, wallets));
    return reading.isValid ? reading.rules : undefined;
  };
}

/** @param textOf reads a list @throws what `textOf` throws, except a UserError, which is a fault of the file */
function* rulesTextSteps(
  text: string,
  wallets: WalletParser,
  textOf: (path: string) => string,
  kept: Pick<ReadOptions, 'isKept' | 'keptHash'> = {},
): Steps<RulesReading> {
  const tree = parseYaml(text);
  if (!('kind' in tree)) return { isValid: false, faults: tree };
  const sha256Hex = (each: string) => hash('sha256', each, 'hex');
  const named = new Set<string>();
  const withoutLists = readRules(tree, {
    ...{ ...kept, wallets, sha256Hex },
    readList(path) {
      named.add(path);
      return NO_LIST;
    },
  });
  if (named.size === 0) return withoutLists;
  const lists = new Map<string, AddressList | UserError>();
  for (const path of named) lists.set(path, yield* listSteps(() => textOf(path), wallets));
  const readList = (path: string) => {
    const list = lists.get(path) ?? NO_LIST;
    if (list instanceof UserError) throw list;
    return list;
  };
  return readRules(tree, { ...kept, wallets, sha256Hex, readList });
}

function* listSteps(read: () => string, wallets: WalletParser): Steps<AddressList | UserError> {
  let text: string;
  try {
    text = read();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  return yield* addressListSteps(text, wallets);
}

/** @throws UserError `wrong-usage`, or `wrong-configuration` of a folder that this user may not enter */
function readText(path: string, max: number): string {
  let file: number;
  try {
    // A named pipe would block, waiting for a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    // It names the folder that is closed, if that's why.
    if (systemCodeOf(error) === 'EACCES') statIfThere(path);
    throw unreadable(path, error);
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new UserError('wrong-usage', `${path} isn't a regular file.`);
    if (stat.size > max) {
      throw new UserError('wrong-usage', `${path} is larger than ${max / MIB} MiB.`);
    }
    const bytes = readFileSync(file);
    if (!isUtf8(bytes)) {
      throw new UserError('wrong-usage', `${path} isn't UTF-8 text. Save it as UTF-8.`);
    }
    return bytes.toString('utf8');
  } catch (error) {
    throw error instanceof UserError ? error : unreadable(path, error);
  } finally {
    closeSync(file);
  }
}

function unreadable(path: string, error: unknown): UserError {
  const code = String(systemCodeOf(error) ?? 'unknown');
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: "the file doesn't exist",
    EACCES: "this user can't read it",
    EISDIR: 'it is a folder',
    ELOOP: 'its symbolic links lead in a circle',
  };
  return new UserError('wrong-usage', `Can't read ${path}: ${reasons[code] ?? code}.`, [], {
    cause: error,
  });
}

interface ReadOptions extends BuildOptions {
  /** SHA-256 of the text's UTF-8 bytes, as 64 lower-case hex digits. */
  readonly sha256Hex: (text: string) => string;
  /** The hash that rules accepted earlier have: what they mean goes by it. */
  readonly keptHash?: string | undefined;
}

/** A valid file, or all its faults in file order. */
export type RulesReading =
  | {
      readonly isValid: true;
      readonly rules: RuleSet;
      /** The text shared by files that mean the same. */
      readonly canonical: string;
      /** Its SHA-256, 64 lower-case hex digits. */
      readonly hash: string;
      /** The hashes that the same file had with earlier versions, which counted more of whom nobody can sign for. */
      readonly formerHashes: readonly string[];
    }
  | { readonly isValid: false; readonly faults: readonly RulesFault[] };

/** Validates a rules file completely. Never throws for its contents. */
export function readRules(root: RulesNode, options: ReadOptions): RulesReading {
  const faults = new Faults();
  const text = rulesFile.read(root, [], faults);
  if (text === undefined || !faults.isEmpty) return { isValid: false, faults: faults.list() };
  const rules = buildRuleSet(text, new FileFaults(root, faults), options);
  if (!faults.isEmpty) return { isValid: false, faults: faults.list() };
  const textWithout = canonicalRules(text, rules, options.sha256Hex);
  const meaningOf = (nobody: readonly string[]) => {
    const canonical = textWithout(nobody);
    return { rules: { ...rules, nobody }, canonical, hash: options.sha256Hex(canonical) };
  };
  const former = FORMER_NOBODY.map((list) => meaningOf(nobodyOf(rules, rules.sources, list)));
  const kept = former.find(({ hash }) => hash === options.keptHash);
  const formerHashes = former.map(({ hash }) => hash);
  return { isValid: true, ...(kept ?? meaningOf(rules.nobody)), formerHashes };
}

/** Bytes parsed in a step: some milliseconds. */
const STEP_BYTES = 16 * 1024;

/** A row of a table, which may go over several lines where a cell in quotes does. */
interface CsvRecord {
  readonly cells: readonly string[];
  /** Its last line, from 1. */
  readonly line: number;
}

/** A cell whose quote is never closed, so that all after it would be part of it. */
interface UnclosedQuote {
  readonly unclosedFrom: number;
}

/**
 * Reads CSV as RFC 4180 and spreadsheets have it: separated by commas, semicolons or tabs, cells in quotes with
 * line breaks in them, any line endings, a byte order mark. Blank lines are left out.
 *
 * It's read in windows. The last record of a window may go on, so the next one begins with it.
 * @param take called with each record, in order; false ends the reading
 */
export function* csvRecordSteps(
  text: string,
  take: (record: CsvRecord) => boolean,
): Steps<UnclosedQuote | undefined> {
  const bytes = Buffer.from(text);
  let [from, line, size] = [0, 0, STEP_BYTES];
  while (from < bytes.length) {
    const isLast = from + size >= bytes.length;
    const { found, isUnclosed } = readWindow(bytes.subarray(from, from + size));
    if (!isLast) found.pop();
    const start = from;
    for (const { cells, end } of found) {
      line += lineEnds(bytes, from, start + end);
      from = start + end;
      const isEnded = END.has(bytes[from - 1] ?? 0);
      if (!take({ cells, line: isEnded ? line : line + 1 })) return undefined;
    }
    if (isLast) return isUnclosed ? { unclosedFrom: line + 1 } : undefined;
    size = found.length === 0 ? size * 2 : STEP_BYTES;
    yield;
  }
  return undefined;
}

const [CR, LF] = [0x0d, 0x0a];
const END = new Set([CR, LF]);

/** The parser counts a line break of two characters twice where it's in quotes. */
function lineEnds(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) count++;
  }
  return count;
}

interface WindowRecord extends Pick<CsvRecord, 'cells'> {
  /** Bytes up to its end, its line ending included. */
  readonly end: number;
}

// Loaded when there's a list: most rules have none.
const load = createRequire(import.meta.url);

function readWindow(bytes: Buffer): { found: WindowRecord[]; isUnclosed: boolean } {
  const { CsvError, parse }: typeof csvParse = load('csv-parse/sync');
  const found: WindowRecord[] = [];
  try {
    parse(bytes, {
      bom: true,
      delimiter: [',', ';', '\t'],
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      // A quote within a cell is text, as in `12" pipe`, and so is what follows one, as in `"Bob" the builder`: with
      // spaces trimmed there, the parser would give up.
      relax_quotes: true,
      skip_empty_lines: true,
      ltrim: true,
      on_record(cells: string[], { bytes: end }) {
        beat();
        found.push({ cells, end });
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error;
    return { found, isUnclosed: true };
  }
  return { found, isUnclosed: false };
}

const FAULTS_MOST = 5;

/**
 * Reads a CSV file with addresses in its first column; the first record may be `address`. In small steps, between
 * which others can have their turn: a million addresses take seconds, and a process that sends no heartbeats
 * meanwhile loses its claims.
 */
export function* addressListSteps(text: string, wallets: WalletParser): Steps<AddressList> {
  const found = new Map<string, Wallet>();
  const faults: { line: number; message: string }[] = [];
  let isFirst = true;
  const unclosed = yield* csvRecordSteps(text, ({ cells: [first = '', ...others], line }) => {
    // Behind a closing quote, a space makes both quotes a part of the cell.
    const cell = first.trim().replace(/^"(.*)"$/s, '$1');
    // By which Excel is told the separator.
    if (isFirst && cell.toLowerCase() === 'sep=') return true;
    const isHeader = isFirst && cell.toLowerCase() === 'address';
    isFirst = false;
    // Spreadsheets write empty rows as separators alone.
    if (isHeader || (cell === '' && others.every((each) => each.trim() === ''))) return true;
    if (cell === '') {
      faults.push({ line, message: 'The first column, where the address belongs, is empty here.' });
      return faults.length < FAULTS_MOST;
    }
    try {
      const wallet = wallets.parse(cell);
      found.set(`${wallet.chain}:${wallet.address}`, wallet);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      faults.push({ line, message: error.message });
    }
    return faults.length < FAULTS_MOST;
  });
  if (unclosed !== undefined) {
    const message = 'A quotation mark is opened here and never closed.';
    faults.push({ line: unclosed.unclosedFrom, message });
  }
  return { wallets: [...found.values()], faults };
}
