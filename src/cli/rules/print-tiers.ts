import { RetryableError, UserError } from '#base';
import type { CliContext } from '#cli/command';
import { rehearse } from '#gating/rehearsal';
import { readCandidate } from '#scoring/rules-file';
import { withRules } from './session.ts';
import { tierReport } from './tier-report.ts';
import { writeTiers } from './write-tiers.ts';

/**
 * Prints how the wallets in the database would spread over tiers by a valid file; a note if that can't be known.
 * @param mayWrite whether to put thresholds that fit into the settings
 * @returns the exit code
 */
export async function printTierReport(
  path: string,
  mayWrite: boolean,
  context: CliContext,
): Promise<number> {
  try {
    return await withRules(context, async ({ thresholds, wallets, progress, ...session }) => {
      const onProgress = progress('Computing');
      const { scores } = await rehearse(readCandidate(path, wallets), {
        ...{ ...session, thresholds, onProgress },
      });
      context.stdout.write(`\n${tierReport(scores, thresholds)}`);
      if (mayWrite) writeTiers(scores, context);
      return 0;
    });
  } catch (error) {
    const isExpected = error instanceof UserError || error instanceof RetryableError;
    if (mayWrite || !isExpected) throw error;
    context.stderr.write(`Note: tiers aren't shown. ${error.message}\n`);
    return 0;
  }
}
