import { count, counted } from '#cli/count';
import { formatTable } from '#cli/table';
import {
  FIT_SHARES,
  fitThresholds,
  type ScoreCounts,
  TIERS,
  type TierThresholds,
  thresholdsText,
  tierOf,
  walletsIn,
} from '#reputation';

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
    return `${now}\nThresholds by share can't be offered: four tiers above Shrimp need four different scores above 0, and there ${different === 1 ? 'is' : 'are'} ${different}.\n`;
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

/** A row a tier, with a bar. */
function tierTable(counts: ScoreCounts, thresholds: TierThresholds): string {
  const all = walletsIn(counts);
  const byTier = new Map(TIERS.map((tier) => [tier, 0]));
  for (const [score, wallets] of counts) {
    const tier = tierOf(score, thresholds);
    byTier.set(tier, (byTier.get(tier) ?? 0) + wallets);
  }
  const most = Math.max(...byTier.values());
  const { titan, whale, shark, dolphin } = thresholds;
  const from = [titan, whale, shark, dolphin, 0];
  const rows = TIERS.map((tier, place) => {
    const wallets = byTier.get(tier) ?? 0;
    return [
      tier,
      count(from[place] as number),
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
