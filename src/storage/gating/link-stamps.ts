import { randomBytes } from 'node:crypto';
import type { Account } from '#command';
import type { Community } from '#gating';
import { type Dialect, run, type SqlScript } from '#storage/sql/script';

/**
 * A community that announces has a stamp, and another one whenever the linked wallets of its members change: counting
 * these costs too much where members are many. Each is a part of the transaction that changes them.
 */

const newStamp = () => randomBytes(9).toString('base64url');

/** The accounts' links have changed: in all communities that know them. */
export function* stampCommunitiesOf(
  { indexedBy, isIn }: Dialect,
  platform: Account['platform'],
  accounts: readonly string[],
): SqlScript<void> {
  // Always in the same order, so that concurrent writers of the same rows don't deadlock.
  yield* run(
    `INSERT INTO gate_settings (platform, community)
     SELECT DISTINCT its.platform, its.community
     FROM gate_member AS member ${indexedBy('gate_member_account')}
     JOIN gate_settings AS its
       ON its.platform = member.platform AND its.community = member.community
     WHERE member.platform = $1 AND ${isIn('member.account', '$2')} AND member.present = 1
       AND its.announce IS NOT NULL
     ORDER BY its.community
     ON CONFLICT (platform, community) DO UPDATE SET links = $3`,
    [platform, accounts, newStamp()],
  );
}

/** These members have come, perhaps with wallets. */
export function* stampArrivals(
  { indexedBy, isIn }: Dialect,
  { platform, id }: Community,
  accounts: readonly string[],
): SqlScript<void> {
  if (accounts.length === 0) return;
  yield* run(
    `UPDATE gate_settings SET links = $3
     WHERE platform = $1 AND community = $2 AND announce IS NOT NULL AND EXISTS (
       SELECT 1 FROM link ${indexedBy('link_account')}
       WHERE link.platform = $1 AND ${isIn('link.account', '$4')})`,
    [platform, id, newStamp(), accounts],
  );
}

/** Members of another community have become this one's. */
export function* stampMerged({ platform, id }: Community): SqlScript<void> {
  yield* run(
    `UPDATE gate_settings SET links = $3
     WHERE platform = $1 AND community = $2 AND announce IS NOT NULL`,
    [platform, id, newStamp()],
  );
}
