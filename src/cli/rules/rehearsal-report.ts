import { sanitizeText } from '#base';
import { count, counted, formatTable } from '#cli/format';
import type { RehearsedRules, RoleMoves } from '#gating/rehearsal';
import type { Move } from '#scoring';

/** The results of a rehearsal, for a terminal. */
export function rehearsalReport(result: RehearsedRules): string {
  const { wallets, changed, tiers, badges, roles, distribution, rises, falls } = result;
  const parts = [
    `${count(changed)} of ${counted(wallets, 'wallet', 'wallets')} would change.\n`,
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
  if (roles.length > 0) {
    const rows = roles.map((each) => [
      roleName(each),
      ...[each.before, each.after, each.gained, each.lost].map(count),
    ]);
    parts.push(formatTable([['role', 'before', 'after', 'gain it', 'lose it'], ...rows], 'lrrrr'));
  }
  parts.push(
    formatTable(
      [
        ['score', 'before', 'after'],
        ...distribution.map(({ from, to, before, after }) => [
          rangeName(from, to),
          count(before),
          count(after),
        ]),
      ],
      'lrr',
    ),
  );
  if (rises.length > 0) parts.push(movesTable('largest rises', rises));
  if (falls.length > 0) parts.push(movesTable('largest falls', falls));
  return parts.join('\n');
}

function rangeName(from: number, to: number): string {
  return from === to ? count(from) : `${count(from)} to ${count(to)}`;
}

/** A role as people know it. Communities only have ids here, as their names aren't stored. */
export function roleName({ community, grantName }: RoleMoves): string {
  return `${sanitizeText(grantName)} (${community.platform} ${community.id})`;
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

/** A line of the spreadsheet. Nothing in it needs quotes or starts a formula. */
export function csvLine(move: Move): string {
  const { wallet, before, after, tierBefore = '', tierAfter = '', gained, lost, reason } = move;
  const badges = [...gained.map((id) => `gains ${id}`), ...lost.map((id) => `loses ${id}`)];
  const cells = [wallet.address, wallet.chain, before, after, tierBefore, tierAfter];
  return `${[...cells, badges.join(' '), reason].join(',')}\n`;
}
