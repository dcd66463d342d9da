import { randomBytes } from 'node:crypto';
import type { Account } from '#command';
import type { AnnounceSettings, Community, GateStore, PanelPost, PanelSettings } from '#gating';
import {
  type Dialect,
  firstRow,
  OF_ACCOUNT,
  OF_COMMUNITY,
  replacing,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
} from '#storage/sql/script';
import { TABLES } from '#storage/tables/all';
import { columnsOf, keyColumns } from '#storage/tables/table';

/** What belongs to a community now, and not to its past. */
const MOVING = TABLES.filter((table) => keyColumns(table).includes('community'));

const SETTINGS = 'gate_settings';

/**
 * A Telegram group gets a new id when it becomes a supergroup. Audit entries stay unchanged, and are found
 * by what it was called before.
 */
export function createMoves(sql: SqlRunner): Pick<GateStore, 'moveCommunity'> {
  const statements = MOVING.map((table) => {
    const [key, columns] = [keyColumns(table), Object.keys(columnsOf(table))];
    const moved = columns.map((name) => (name === 'community' ? 'CAST($3 AS text)' : name));
    const insert = (end: string) =>
      `INSERT INTO ${table.name} (${columns.join(', ')})
       SELECT ${moved.join(', ')} FROM ${table.name} WHERE ${OF_COMMUNITY}
       ORDER BY ${key.join(', ')} ${sql.dialect.forUpdate}
       ${end}`;
    const isSettings = table.name === SETTINGS;
    return {
      // Rows that exist under the new id, which may appear at any moment, are replaced.
      first: insert(isSettings ? filling(key, columns) : replacing(key, columns)),
      // What began before the move may have written one setting under the former id since.
      again: insert(isSettings ? 'ON CONFLICT DO NOTHING' : replacing(key, columns)),
      remove: `DELETE FROM ${table.name} WHERE ${OF_COMMUNITY} AND community <> $3`,
    };
  });

  return {
    moveCommunity: (from, to) =>
      sql.transact(function* (): SqlScript<void> {
        const { platform } = from;
        const wasMoved = yield* firstRow(
          `SELECT 1 AS moved FROM gate_former WHERE ${OF_COMMUNITY} AND former = $3`,
          [platform, to.id, from.id],
        );
        for (const { first, again, remove } of statements) {
          yield* run(wasMoved === undefined ? first : again, [platform, from.id, to.id]);
          yield* run(remove, [platform, from.id, to.id]);
        }
        yield* run(
          `INSERT INTO gate_former (platform, community, former) VALUES ($1, $2, $3)
           ON CONFLICT DO NOTHING`,
          [platform, to.id, from.id],
        );
        yield* run(
          `UPDATE gate_run SET status = 'finished', finished_at = started_at
           WHERE ${OF_COMMUNITY} AND status IN ('running', 'held')`,
          [platform, from.id],
        );
        yield* movePlaces(from, to);
        yield* stampMerged(to);
        yield* moveChoices(from, to);
      }),
  };
}

/** The end of an INSERT that keeps settings which the new row lacks. */
function filling(key: readonly string[], columns: readonly string[]): string {
  const others = columns.filter((name) => !key.includes(name));
  const set = others.map((name) => `${name} = coalesce(excluded.${name}, ${SETTINGS}.${name})`);
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${set.join(', ')}`;
}

/**
 * Where the community itself is the place of posts, it's so by its new id. Its messages are left behind, and
 * their ids may be those of others there: the panel is posted again, unless somebody had deleted it.
 */
function* movePlaces({ platform, id: former }: Community, { id }: Community): SqlScript<void> {
  const row = yield* firstRow(
    `SELECT announce, panel, panel_post FROM ${SETTINGS} WHERE ${OF_COMMUNITY}`,
    [platform, id],
  );
  if (row === undefined) return;
  const parsed = <T>(text: unknown): T | undefined =>
    typeof text === 'string' ? (JSON.parse(text) as T) : undefined;
  const announce = parsed<AnnounceSettings>(row.announce);
  const panel = parsed<PanelSettings>(row.panel);
  const post = parsed<PanelPost>(row.panel_post);
  const put = (column: 'announce' | 'panel' | 'panel_post', value: object | undefined) =>
    run(`UPDATE ${SETTINGS} SET ${column} = $3 WHERE ${OF_COMMUNITY}`, [
      ...[platform, id],
      value && JSON.stringify(value),
    ]);
  if (announce?.channel === former) yield* put('announce', { ...announce, channel: id });
  if (panel?.channel === former) yield* put('panel', { ...panel, channel: id });
  if (post?.channel !== former) return;
  const { ended } = post;
  yield* put('panel_post', ended && { id: post.id, channel: id, ended });
}

/** Members who show themselves in that community alone still do. */
function* moveChoices({ platform, id: former }: Community, { id }: Community): SqlScript<void> {
  const choices = yield* rows(
    `SELECT account, communities FROM link_choice
     WHERE platform = $1 AND communities LIKE $2 ORDER BY account`,
    [platform, `%${JSON.stringify(former)}%`],
  );
  for (const { account, communities } of choices) {
    const before = JSON.parse(String(communities)) as string[];
    const after = [...new Set(before.map((each) => (each === former ? id : each)))];
    yield* run(`UPDATE link_choice SET communities = $3 WHERE ${OF_ACCOUNT}`, [
      ...[platform, String(account)],
      JSON.stringify(after),
    ]);
  }
}

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
     WHERE ${OF_COMMUNITY} AND announce IS NOT NULL AND EXISTS (
       SELECT 1 FROM link ${indexedBy('link_account')}
       WHERE link.platform = $1 AND ${isIn('link.account', '$4')})`,
    [platform, id, newStamp(), accounts],
  );
}

/** Members of another community have become this one's. */
function* stampMerged({ platform, id }: Community): SqlScript<void> {
  yield* run(
    `UPDATE gate_settings SET links = $3
     WHERE ${OF_COMMUNITY} AND announce IS NOT NULL`,
    [platform, id, newStamp()],
  );
}
