import { canonicalRules } from './canonical.ts';
import { type BuildOptions, buildRuleSet } from './compile/index.ts';
import { Faults, FileFaults, type RulesFault } from './faults.ts';
import { rulesFile } from './grammar/file.ts';
import type { RuleSet } from './model.ts';
import type { RulesNode } from './tree.ts';

export interface ReadOptions extends BuildOptions {
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
      /** The hash that the same file had when rules counted everybody, even who nobody can sign for. */
      readonly formerHash: string;
    }
  | { readonly isValid: false; readonly faults: readonly RulesFault[] };

/** Validates a rules file completely. Never throws for its contents. */
export function readRules(root: RulesNode, options: ReadOptions): RulesReading {
  const faults = new Faults();
  const text = rulesFile.read(root, [], faults);
  if (text === undefined || !faults.isEmpty) return { isValid: false, faults: faults.list() };
  const rules = buildRuleSet(text, new FileFaults(root, faults), options);
  if (!faults.isEmpty) return { isValid: false, faults: faults.list() };
  const { canonical, former } = canonicalRules(text, rules, options.sha256Hex);
  const formerHash = options.sha256Hex(former);
  if (options.keptHash === formerHash) {
    const asThen = { ...rules, nobody: [] };
    return { isValid: true, rules: asThen, canonical: former, hash: formerHash, formerHash };
  }
  return { isValid: true, rules, canonical, hash: options.sha256Hex(canonical), formerHash };
}
