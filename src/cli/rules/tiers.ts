import { RetryableError, UserError } from '#base';
import type { CliContext } from '#cli/command';
import { writeSetting } from '#cli/env-setting';
import { count, counted, formatTable } from '#cli/format';
import { type RehearsedRules, rehearse } from '#gating/rehearsal';
import {
  FIT_SHARES,
  fitThresholds,
  lowestScoreOf,
  type ScoreCounts,
  TIERS,
  type TierThresholds,
  thresholdsText,
  tierOf,
  walletsIn,
} from '#reputation';
import { readCandidate } from '#scoring/rules-file';
import { idleWords, misreadWords } from './idle-rules.ts';
import { withRules } from './session.ts';

/** Characters of the longest bar. */
const BAR = 30;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
/** With fewer wallets, the shares of tiers can't be near the ones that are aimed at. */
const FEW = 100;

/**
 * How scores are spread over tiers, and thresholds that would fit them better, for a terminal.
 * @param thresholds those in use
 */
export function tierReport(counts: ScoreCounts, thresholds: TierThresholds): string {
  const all = walletsIn(counts);
  if (all === 0) return 'No wallet has a score yet.\n';
  const now = `${counted(all, 'wallet', 'wallets')} by tier:\n${tierTable(counts, thresholds)}`;
  const fit = fitThresholds(counts);
  if (fit === undefined) {
    const different = [...counts.keys()].filter((score) => score > 0).length;
    return `${now}\nThresholds by share can't be offered: four tiers above Shrimp need four different scores above 0, and there ${different === 1 ? 'is' : 'are'} ${different}. Until there are more, set TIERS yourself; the highest score is ${count(Math.max(...counts.keys()))}.\n`;
  }
  if (thresholdsText(fit) === thresholdsText(thresholds)) return now;
  const shares = Object.values(FIT_SHARES).map((share) => `${share}%`);
  const few =
    all < FEW
      ? ' With so few wallets, these are far from exact: look again when there are more.'
      : '';
  return `${now}
Thresholds by share (${shares.join(', ')} and the rest; wallets with equal scores stay together):
${tierTable(counts, fit)}
TIERS=${thresholdsText(fit)}
That line is for your settings; --write-tiers puts it into .env.${few}
`;
}

/** Says which sources the scores of a rehearsal lack, which rules give nothing, and which values they can't take. */
export function noteLacks(
  { unread, misread, ...rest }: Pick<RehearsedRules, 'unread' | 'idle' | 'misread' | 'imported'>,
  { stderr }: Pick<CliContext, 'stderr'>,
): void {
  for (const words of [...idleWords(rest), ...misread.map(misreadWords)])
    stderr.write(`Note: ${words}\n`);
  if (unread.length === 0) return;
  stderr.write(
    `Note: these scores lack what isn't read yet (${unread.join('; ')}). Start Fathom with RULES set, and look again once "fathom sources" says that it's done.\n`,
  );
}

/** A row a tier, with a bar. */
function tierTable(counts: ScoreCounts, thresholds: TierThresholds): string {
  const all = walletsIn(counts);
  const byTier = new Map(TIERS.map((tier) => [tier, 0]));
  for (const [score, wallets] of counts) {
    const tier = tierOf(score, thresholds);
    byTier.set(tier, (byTier.get(tier) ?? 0) + wallets);
  }
  const most = Math.max(...byTier.values());
  const rows = TIERS.map((tier) => {
    const wallets = byTier.get(tier) ?? 0;
    return [
      tier,
      count(lowestScoreOf(tier, thresholds)),
      count(wallets),
      shareText(wallets, all),
      bar(wallets, most),
    ];
  });
  return formatTable([['tier', 'from', 'wallets', 'share', ''], ...rows], 'lrrrl');
}

/** `12.5%`; a share that isn't nothing never looks like it. */
function shareText(wallets: number, all: number): string {
  const share = (wallets / all) * 100;
  if (wallets > 0 && share < 0.1) return '<0.1%';
  return `${share.toFixed(1)}%`;
}

function bar(wallets: number, most: number): string {
  if (wallets === 0) return '';
  const eighths = Math.max(1, Math.round((wallets / most) * BAR * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] as string);
}

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
      const result = await rehearse(readCandidate(path, wallets), {
        ...{ ...session, thresholds, onProgress },
      });
      noteLacks(result, context);
      context.stdout.write(`\n${tierReport(result.scores, thresholds)}`);
      if (mayWrite) writeTiers(result.scores, context);
      return 0;
    });
  } catch (error) {
    const isExpected = error instanceof UserError || error instanceof RetryableError;
    if (mayWrite || !isExpected) throw error;
    context.stderr.write(`Note: tiers aren't shown. ${error.message}\n`);
    return 0;
  }
}

/**
 * Puts thresholds that fit into the file that settings are read from.
 * @throws UserError `wrong-usage` if there's no such file, if it wouldn't count, or if nothing can be offered
 */
export function writeTiers(counts: ScoreCounts, context: CliContext): void {
  const fit = fitThresholds(counts);
  if (fit === undefined) {
    throw new UserError('wrong-usage', 'There are no thresholds to write; the reason is above.');
  }
  const path = writeSetting('TIERS', thresholdsText(fit), context);
  context.stderr.write(`${path} has the thresholds now. Restart Fathom to use them.\n`);
}
