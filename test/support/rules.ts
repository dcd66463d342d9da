import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { UserError } from '#base/errors';
import { faultLine } from '#scoring/faults';
import { parseYaml } from '#scoring/rules-file/parse-yaml';
import { addressListSteps, type RulesReading, readRules } from '#scoring/rules-file/read-file';
import { runSteps } from '#scoring/rules-file/steps';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';

/** The example in the documentation: a rule of each kind. */
export const REEF = readFileSync(new URL('../scoring/reef.yaml', import.meta.url), 'utf8');

/** The content of the lists next to the rules file in tests. */
export const SYBILS = 'address\n0x0000d211abbb7f8d9e126ed7deca862dae8784a6\n';

/** Reads a rules file from text, with lists by name. */
function readText(
  text: string,
  lists: Readonly<Record<string, string>> = { './sybils.csv': SYBILS },
  isKept = false,
): RulesReading {
  const tree = parseYaml(text);
  if (!('kind' in tree)) return { isValid: false, faults: tree };
  return readRules(tree, {
    isKept,
    wallets: createWalletParser(chains),
    readList(path) {
      const list = lists[path];
      if (list === undefined) throw new UserError('wrong-usage', `Can't read ${path}.`);
      return runSteps(addressListSteps(list, createWalletParser(chains)));
    },
    sha256Hex: (each) => hash('sha256', each, 'hex'),
  });
}

/** The faults of a text, one per line; empty if it's valid. */
export function faultsOf(text: string, lists?: Readonly<Record<string, string>>): string[] {
  const reading = readText(text, lists);
  return reading.isValid ? [] : reading.faults.map(faultLine);
}

/**
 * @param isKept read as from a store, which may hold rules from before some limits
 * @throws if the text isn't valid
 */
export function validRules(text: string, lists?: Readonly<Record<string, string>>, isKept = false) {
  const reading = readText(text, lists, isKept);
  if (!reading.isValid) throw new Error(reading.faults.map(faultLine).join('\n'));
  return reading;
}

/** A file with only these rules, each a line of flow YAML. */
export function fileOf(...rules: readonly string[]): string {
  return `fathom: 1
name: test
version: 1
sources:
  eth:  {chain: "eip155:1", rpc: [ETH_URL]}
  sol:  {chain: solana, rpc: [SOL_URL]}
  algo: {chain: algorand, indexer: [ALGO_URL]}
  snap: {chain: snapshot, hub: [SNAP_URL]}
rules:
${rules.map((rule) => `  - ${rule}\n`).join('') || '  []\n'}`;
}
