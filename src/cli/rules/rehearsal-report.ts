import { count } from '#cli/import/progress';
import { formatTable } from '#cli/table';
import type { Move, RehearsalResult } from '#core/scoring/rehearsal/rehearsal';

/** What a rehearsal found, for a terminal. */
export function rehearsalReport(result: RehearsalResult): string {
  const { wallets, changed, tiers, badges, distribution, rises, falls } = result;
  const parts = [
    `${count(changed)} of ${count(wallets)} wallets change.\n`,
    formatTable(
      [
        ['tier', 'before', 'after', 'rise from it', 'fall from it'],
        ...tiers.map(({ tier, before, after, rose, fell }) => [
          tier,
          ...[before, after, rose, fell].map(count),
        ]),
      ],
      'lrrrr',
    ),
  ];
  if (badges.length > 0) {
    const rows = badges.map(({ id, gained, lost }) => [id, count(gained), count(lost)]);
    parts.push(formatTable([['badge', 'gain it', 'lose it'], ...rows], 'lrr'));
  }
  const rows = scoreRanges(distribution);
  parts.push(
    formatTable(
      [
        ['score', 'before', 'after'],
        ...rows.map((row) => [row.range, count(row.before), count(row.after)]),
      ],
      'lrr',
    ),
  );
  if (rises.length > 0) parts.push(movesTable('largest rises', rises));
  if (falls.length > 0) parts.push(movesTable('largest falls', falls));
  return parts.join('\n');
}

/** Counts by the number of digits of the score. */
function scoreRanges({ before, after }: RehearsalResult['distribution']) {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, digits) => ({
    range: digits === 0 ? '0' : `${count(10 ** (digits - 1))} to ${count(10 ** digits - 1)}`,
    before: before[digits] ?? 0,
    after: after[digits] ?? 0,
  }));
}

function movesTable(title: string, moves: readonly Move[]): string {
  const rows = moves.map(({ wallet, before, after, reason }) => [
    wallet.address,
    count(before),
    count(after),
    reason,
  ]);
  return formatTable([[title, 'before', 'after', 'by'], ...rows], 'lrrl');
}

export const CSV_HEAD = 'address,chain,before,after,tierBefore,tierAfter,badges,reason\n';

/** A line of the spreadsheet. Nothing in it needs quotes, and nothing begins a formula. */
export function csvLine(move: Move): string {
  const { wallet, before, after, tierBefore = '', tierAfter = '', gained, lost, reason } = move;
  const badges = [...gained.map((id) => `gains ${id}`), ...lost.map((id) => `loses ${id}`)];
  const cells = [wallet.address, wallet.chain, before, after, tierBefore, tierAfter];
  return `${[...cells, badges.join(' '), reason].join(',')}\n`;
}
