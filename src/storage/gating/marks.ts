import type { AnnounceState, Community, Mark, MarkStore } from '#gating';
import { insertInto } from '#storage/sql/insert';
import { firstRow, type Row, rows, run, type SqlRunner, type SqlScript } from '#storage/sql/script';
import { communityOfRow } from './rows.ts';

const ITS = 'platform = $1 AND community = $2';
const COLUMNS = ['basis', 'epoch', 'tier', 'badges', 'had', 'rise', 'post'];
const INTO_MARKS = insertInto(
  'gate_mark',
  ['platform', 'community', 'account', ...COLUMNS],
  'replaces',
);

/** What was last seen of members, and which of them are being announced. */
export function createMarkTable(sql: SqlRunner): MarkStore {
  const { dialect } = sql;
  const list = (which: string, values: readonly unknown[]) =>
    sql.query(function* (): SqlScript<Mark[]> {
      const text = `SELECT * FROM gate_mark WHERE ${ITS} AND ${which} ORDER BY account`;
      return (yield* rows(text, values)).map(markOf);
    });
  return {
    announcing: () =>
      sql.query(function* (): SqlScript<Community[]> {
        const text = `SELECT platform, community FROM gate_settings
          WHERE announce IS NOT NULL ORDER BY platform, community`;
        return (yield* rows(text)).map(communityOfRow);
      }),
    marksOf: ({ platform, id }, accounts) =>
      list(dialect.isIn('account', '$3'), [platform, id, accounts]),
    putMarks: ({ platform, id }, marks) =>
      sql.transact(function* (): SqlScript<void> {
        const accounts = marks.map(({ account }) => account);
        // Who leaves or erases their data meanwhile must not come back.
        const present = yield* rows(
          `SELECT account FROM gate_member WHERE ${ITS} AND present = 1
             AND ${dialect.isIn('account', '$3')} ORDER BY account ${dialect.forKeyShare}`,
          [platform, id, accounts],
        );
        const here = new Set(present.map(({ account }) => String(account)));
        const kept = marks.filter(({ account }) => here.has(account));
        if (kept.length > 0) {
          yield* dialect.insert(
            INTO_MARKS,
            kept.map((mark) => [platform, id, ...valuesOf(mark)]),
          );
        }
      }),
    hasRises: ({ platform, id }) =>
      sql.query(function* (): SqlScript<boolean> {
        const text = `SELECT 1 AS found FROM gate_mark
          WHERE ${ITS} AND rise IS NOT NULL AND post IS NULL LIMIT 1`;
        return (yield* firstRow(text, [platform, id])) !== undefined;
      }),
    claimRises: (community, state) =>
      sql.transact(function* (): SqlScript<void> {
        const { platform, id } = community;
        yield* putState(community, state);
        yield* run(
          `UPDATE gate_mark SET post = $3 WHERE ${ITS} AND rise IS NOT NULL AND post IS NULL`,
          [platform, id, state.post.id],
        );
      }),
    marksIn: ({ platform, id }, post) =>
      list('rise IS NOT NULL AND post = $3', [platform, id, post]),
    endPost: (community, post, state) =>
      sql.transact(function* (): SqlScript<void> {
        const { platform, id } = community;
        yield* putState(community, state);
        yield* run(
          `UPDATE gate_mark SET rise = NULL, post = NULL
           WHERE ${ITS} AND rise IS NOT NULL AND post = $3`,
          [platform, id, post],
        );
      }),
    noteRefusalTold: (community, refused) =>
      sql.transact(function* (): SqlScript<void> {
        const { platform, id } = community;
        const text = `SELECT announced FROM gate_settings
          WHERE ${ITS} AND announced IS NOT NULL ${dialect.forUpdate}`;
        const row = yield* firstRow(text, [platform, id]);
        const state = row && (JSON.parse(String(row.announced)) as AnnounceState);
        if (state?.refused === refused) yield* putState(community, { ...state, isTold: true });
      }),
    noteDigest: ({ platform, id }, state) =>
      sql.transact(function* (): SqlScript<void> {
        yield* run(`UPDATE gate_settings SET digest = $3 WHERE ${ITS} AND digest IS NOT NULL`, [
          platform,
          id,
          JSON.stringify(state),
        ]);
      }),
    dropMarks: ({ platform, id }) =>
      sql.transact(function* (): SqlScript<void> {
        yield* run(`DELETE FROM gate_mark WHERE ${ITS}`, [platform, id]);
      }),
  };
}

/** Only where something is announced still: whoever turned it off has ended it. */
function* putState({ platform, id }: Community, state: AnnounceState): SqlScript<void> {
  yield* run(`UPDATE gate_settings SET announced = $3 WHERE ${ITS} AND announce IS NOT NULL`, [
    platform,
    id,
    JSON.stringify(state),
  ]);
}

function valuesOf({ account, basis, epoch, tier, badges, had, rise, post }: Mark): unknown[] {
  const [own, fallen] = [JSON.stringify(badges), JSON.stringify(had)];
  return [account, basis, epoch, tier, own, fallen, rise && JSON.stringify(rise), post];
}

export function markOf(row: Row): Mark {
  return {
    account: String(row.account),
    basis: String(row.basis),
    epoch: String(row.epoch),
    tier: row.tier === null ? undefined : (String(row.tier) as Mark['tier']),
    badges: JSON.parse(String(row.badges)) as Mark['badges'],
    had: JSON.parse(String(row.had)) as Mark['had'],
    rise: row.rise === null ? undefined : (JSON.parse(String(row.rise)) as Mark['rise']),
    post: row.post === null ? undefined : String(row.post),
  };
}
