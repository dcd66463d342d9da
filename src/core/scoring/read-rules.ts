import { type BuildOptions, buildRuleSet } from './build/index.ts';
import { canonicalRules } from './canonical.ts';
import { Faults, FileFaults, type RulesFault } from './faults.ts';
import { rulesFile } from './grammar/file.ts';
import type { RuleSet } from './model.ts';
import type { RulesNode } from './tree.ts';

export interface ReadOptions extends BuildOptions {
  /** SHA-256 of the text's UTF-8 bytes, as 64 lower-case hex digits. */
  readonly sha256Hex: (text: string) => string;
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
    }
  | { readonly isValid: false; readonly faults: readonly RulesFault[] };

/** Validates a rules file completely. Never throws for its contents. */
export function readRules(root: RulesNode, options: ReadOptions): RulesReading {
  const faults = new Faults();
  const text = rulesFile.read(root, [], faults);
  if (text === undefined || !faults.isEmpty) return { isValid: false, faults: faults.list() };
  const rules = buildRuleSet(text, new FileFaults(root, faults), options);
  if (!faults.isEmpty) return { isValid: false, faults: faults.list() };
  const canonical = canonicalRules(text, rules, options.sha256Hex);
  return { isValid: true, rules, canonical, hash: options.sha256Hex(canonical) };
}
