import { UserError } from '#base';
import type { Edition, StoredRules } from '#scoring/editions/edition';
import { requireNewMeaning } from '#scoring/editions/evaluator';

/** Why rules can't be applied; undefined if they can. */
export function applyRefusal(rules: StoredRules, known: readonly Edition[]): string | undefined {
  try {
    requireNewMeaning(rules, known);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}
