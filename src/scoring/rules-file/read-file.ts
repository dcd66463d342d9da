import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '#base';
import { canonicalRules } from '#scoring/canonical';
import { type BuildOptions, buildRuleSet } from '#scoring/compile/index';
import { FORMER_NOBODY, nobodyOf } from '#scoring/compile/nobody';
import type { AddressList } from '#scoring/compile/sources';
import { Faults, FileFaults, type RulesFault } from '#scoring/faults';
import { rulesFile } from '#scoring/grammar/file';
import type { RuleSet } from '#scoring/model';
import type { ReadRules } from '#scoring/score-versions/store';
import type { RulesNode } from '#scoring/tree';
import type { WalletParser } from '#wallet';
import { addressListSteps } from './address-list.ts';
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

/** @throws UserError `wrong-usage` */
function readText(path: string, max: number): string {
  let file: number;
  try {
    // A named pipe would block, waiting for a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
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
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
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
