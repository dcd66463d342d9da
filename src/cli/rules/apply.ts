import type { CliArguments, CliContext } from '#cli/command';
import { count, counted } from '#cli/format';
import { type RehearsedRules, rehearse } from '#gating/rehearsal';
import { isLargeLoss, tooMany } from '#scoring';
import { applyRules, isSameFile, readCandidate, undoRules } from '#scoring/rules-file';
import { roleName } from './rehearsal-report.ts';
import { withRules } from './session.ts';

/** `rules apply` */
export function runApply(
  { values, operands: [path = ''] }: CliArguments,
  context: CliContext,
): Promise<number> {
  return withRules(context, async ({ store, gating, thresholds, wallets, signal, progress }) => {
    const candidate = readCandidate(path, wallets);
    const { name, version } = candidate.kept;
    const live = await store.live();
    if (live !== undefined && !isSameFile(candidate, live.hash) && values.yes !== true) {
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
    const scoreVersion = await applyRules(candidate, { store, signal, onProgress });
    context.stdout.write(
      `${name}, version ${version}, is live${scoreVersion ? '' : ' already'}.\n`,
    );
    return 0;
  });
}

/** Why rules aren't applied without `--yes`, a sentence each. */
function refusalsOf(result: RehearsedRules): string[] {
  const tiers = tooMany(result).map(
    ({ tier, fell, before }) =>
      `${count(fell)} of ${counted(before, 'wallet', 'wallets')} with tier ${tier} would fall from it.`,
  );
  const roles = result.roles
    .filter(({ lost, before }) => isLargeLoss(lost, before))
    .map(
      (each) =>
        `${count(each.lost)} of ${counted(each.before, 'member', 'members')} with ${roleName(each)} would lose it.`,
    );
  return [...tiers, ...roles];
}

/** `rules undo` */
export function runUndo(context: CliContext): Promise<number> {
  return withRules(context, async ({ store, wallets, signal, progress }) => {
    const onProgress = progress('Computing');
    const { name, version } = await undoRules({ store, signal, onProgress }, wallets);
    context.stdout.write(`${name}, version ${version}, is live again.\n`);
    return 0;
  });
}
