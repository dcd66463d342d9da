import type { CliCommand } from '#cli/command';
import { count } from '#cli/import/progress';
import { tooMany } from '#core/scoring/rehearsal/rehearsal';
import { isTooMany } from '#core/scoring/rehearsal/shares';
import { applyRules, undoRules } from '#rules/apply';
import { readCandidate } from '#rules/candidate';
import { type RehearsedRules, rehearse } from '#rules/rehearse';
import { roleName } from './rehearsal-report.ts';
import { withRules } from './session.ts';

export const rulesApplyCommand: CliCommand = {
  name: 'rules apply',
  synopsis: 'FILE [--yes]',
  summary: 'make a rules file live',
  help: `Computes all scores by FILE beside those that are live, then shows them in one step. Imported
activities stay as they are. A version that was applied before keeps its meaning: give changed
rules a higher one.

Refuses where more than a tenth of a tier's holders (and more than five) would fall from it, or of
the members who have a role by the rules of their community would lose it.

  --yes  apply them all the same

Exit code: 1 when it refuses or fails; the live rules go on then.`,
  options: { yes: { type: 'boolean' } },
  operands: { min: 1, max: 1 },
  run({ values, operands: [path = ''] }, context) {
    return withRules(context, async ({ store, gating, thresholds, wallets, signal, progress }) => {
      const candidate = readCandidate(path, wallets);
      const { name, version } = candidate.kept;
      const live = await store.live();
      if (live !== undefined && live.hash !== candidate.kept.hash && values.yes !== true) {
        const onProgress = progress('Rehearsing');
        const result = await rehearse(candidate, {
          ...{ store, gating, thresholds, signal, onProgress },
        });
        const refused = refusalsOf(result);
        for (const each of refused) context.stderr.write(`${each}\n`);
        if (refused.length > 0) {
          context.stderr.write(
            `Nothing has changed. Look at it with "fathom rules rehearse ${path}", and add --yes to apply it.\n`,
          );
          return 1;
        }
      }
      const onProgress = progress('Computing');
      const edition = await applyRules(candidate, { store, signal, onProgress });
      context.stdout.write(`${name}, version ${version}, is live${edition ? '' : ' already'}.\n`);
      return 0;
    });
  },
};

/** Why rules aren't applied unasked, a sentence each. */
function refusalsOf(result: RehearsedRules): string[] {
  const tiers = tooMany(result).map(
    ({ tier, fell, before }) =>
      `${count(fell)} of ${count(before)} wallets with tier ${tier} would fall from it.`,
  );
  const roles = result.roles
    .filter(({ lost, before }) => isTooMany(lost, before))
    .map(
      (each) =>
        `${count(each.lost)} of ${count(each.before)} members with ${roleName(each)} would lose it.`,
    );
  return [...tiers, ...roles];
}

export const rulesUndoCommand: CliCommand = {
  name: 'rules undo',
  synopsis: '',
  summary: 'go back to the rules that were live before',
  help: `Computes all scores by the rules that were live before those that are, over the evidence there is
by now, then shows them in one step. Once more goes back further.`,
  options: {},
  operands: { min: 0, max: 0 },
  run(_, context) {
    return withRules(context, async ({ store, wallets, signal, progress }) => {
      const onProgress = progress('Computing');
      const { name, version } = await undoRules({ store, signal, onProgress }, wallets);
      context.stdout.write(`${name}, version ${version}, is live again.\n`);
      return 0;
    });
  },
};
