import { RetryableError } from '#base';
import {
  type AnnouncedMembers,
  type AnnounceState,
  type Community,
  type DigestState,
  isSameMark,
  leftMark,
  type Mark,
  type MarkStore,
  withAnnouncedBadges,
} from '#gating';
import type { Tier } from '#reputation';
import {
  type Dialect,
  firstRow,
  insertInto,
  OF_COMMUNITY,
  type Row,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
} from '#storage/sql/script';
import { communityOfRow } from './rows.ts';

const COLUMNS = [
  ...['basis', 'epoch', 'tier', 'badges', 'had', 'rise', 'post'],
  ...['told_tier', 'told_at', 'told_badges', 'told_badges_at'],
];
const INTO_MARKS = insertInto(
  'gate_mark',
  ['platform', 'community', 'account', ...COLUMNS],
  'replaces',
);

/** What was last seen of members, and which of them are being announced. */
export function createMarkTable(sql: SqlRunner): MarkStore {
  return {
    ...createAnnouncing(sql),
    ...createMarks(sql),
    ...createPosts(sql),
    ...createDigests(sql),
  };
}

/** Which communities announce. */
function createAnnouncing(sql: SqlRunner): Pick<MarkStore, 'announcing' | 'turnOn' | 'turnOff'> {
  const { dialect } = sql;
  return {
    announcing: () =>
      sql.query(function* (): SqlScript<Community[]> {
        const text = `SELECT platform, community FROM gate_settings
          WHERE announce IS NOT NULL ORDER BY platform, community`;
        return (yield* rows(text)).map(communityOfRow);
      }),
    turnOn: (community, settings) =>
      sql.transact(function* (): SqlScript<void> {
        const key = [community.platform, community.id];
        yield* run(
          `INSERT INTO gate_settings (platform, community) VALUES ($1, $2)
           ON CONFLICT (platform, community) DO NOTHING`,
          key,
        );
        const before = yield* stateOf(dialect, community);
        // A look that ran as it was turned off may have written what it saw.
        if (before === undefined) {
          yield* run(`UPDATE gate_settings SET look = NULL WHERE ${OF_COMMUNITY}`, key);
          yield* forgetMarks(dialect, community);
        }
        yield* run(`UPDATE gate_settings SET announce = $3 WHERE ${OF_COMMUNITY}`, [
          ...key,
          JSON.stringify(settings),
        ]);
        // Another place may work, and moderators are told again if it doesn't.
        const { lastAt, post } = before ?? {};
        yield* putState(community, { lastAt, post });
      }),
    turnOff: (community) =>
      sql.transact(function* (): SqlScript<void> {
        const key = [community.platform, community.id];
        yield* run(
          `UPDATE gate_settings SET announce = NULL, announced = NULL, look = NULL, digest = NULL
           WHERE ${OF_COMMUNITY}`,
          key,
        );
        yield* forgetMarks(dialect, community);
      }),
  };
}

/** What was last seen of members. */
function createMarks(
  sql: SqlRunner,
): Pick<MarkStore, 'marksOf' | 'putMarks' | 'hasRises' | 'expireMarks'> {
  const { dialect } = sql;
  return {
    marksOf: ({ platform, id }, accounts) =>
      sql.query(() => marksWhere(dialect.isIn('account', '$3'), [platform, id, accounts])),
    putMarks: ({ platform, id }, marks, read) =>
      sql.transact(function* (): SqlScript<void> {
        const accounts = marks.map(({ account }) => account);
        // Who leaves or erases their data meanwhile must not come back.
        const present = yield* rows(
          `SELECT account FROM gate_member WHERE ${OF_COMMUNITY} AND present = 1
             AND ${dialect.isIn('account', '$3')} ORDER BY account ${dialect.forKeyShare}`,
          [platform, id, accounts],
        );
        const here = new Set(present.map(({ account }) => String(account)));
        const kept = marks.filter(({ account }) => here.has(account));
        const current = yield* rows(
          `SELECT * FROM gate_mark WHERE ${OF_COMMUNITY} AND ${dialect.isIn('account', '$3')}
           ORDER BY account ${dialect.forUpdate}`,
          [platform, id, kept.map(({ account }) => account)],
        );
        const before = new Map(current.map(markOf).map((each) => [each.account, each]));
        const seen = new Map(read.map((each) => [each.account, each]));
        for (const { account } of kept) {
          const [was, is] = [seen.get(account), before.get(account)];
          if (is === undefined ? was !== undefined : !isSameMark(was, is)) throw outdated();
        }
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
          WHERE ${OF_COMMUNITY} AND rise IS NOT NULL AND post IS NULL LIMIT 1`;
        return (yield* firstRow(text, [platform, id])) !== undefined;
      }),
    expireMarks: (by) =>
      sql.query(function* (): SqlScript<void> {
        yield* run(
          `DELETE FROM gate_mark WHERE basis = ''
             AND coalesce(told_at, $1) <= $1 AND coalesce(told_badges_at, $1) <= $1`,
          [by],
        );
      }),
  };
}

/** Messages that announce members, from claiming who rose until it is sent. */
function createPosts(
  sql: SqlRunner,
): Pick<MarkStore, 'claimRises' | 'marksIn' | 'beginPost' | 'endPost' | 'noteRefusalReported'> {
  const { dialect } = sql;
  return {
    claimRises: (community, state) =>
      sql.transact(function* (): SqlScript<void> {
        const { platform, id } = community;
        const current = yield* stateOf(dialect, community);
        if (current === undefined || current.post !== undefined) throw outdated();
        if (current.lastAt !== state.lastAt) throw outdated();
        yield* putState(community, state);
        yield* run(
          `UPDATE gate_mark SET post = $3 WHERE ${OF_COMMUNITY} AND rise IS NOT NULL AND post IS NULL`,
          [platform, id, state.post.id],
        );
      }),
    marksIn: ({ platform, id }, post) =>
      sql.query(() => marksWhere('rise IS NOT NULL AND post = $3', [platform, id, post])),
    beginPost: (community, post, waiting) =>
      sql.transact(function* (): SqlScript<void> {
        const { platform, id } = community;
        const current = yield* stateOf(dialect, community);
        if (current?.post?.id !== post.id) throw outdated();
        if (waiting.length > 0 && current.post.begunAt !== undefined) throw outdated();
        yield* putState(community, { ...current, post });
        yield* run(
          `UPDATE gate_mark SET post = NULL
           WHERE ${OF_COMMUNITY} AND post = $3 AND ${dialect.isIn('account', '$4')}`,
          [platform, id, post.id, waiting],
        );
      }),
    endPost: (community, post, state, told) =>
      sql.transact(function* (): SqlScript<void> {
        const { platform, id } = community;
        const current = yield* stateOf(dialect, community);
        if (current?.post?.id === post) yield* putState(community, state);
        for (const tier of new Set(told?.tiers.values())) {
          const accounts = [...(told?.tiers ?? [])].flatMap(([account, risenTo]) =>
            risenTo === tier ? account : [],
          );
          yield* run(
            `UPDATE gate_mark SET told_tier = $4, told_at = $5
             WHERE ${OF_COMMUNITY} AND post = $3 AND ${dialect.isIn('account', '$6')}`,
            [platform, id, post, tier, told?.at, accounts],
          );
        }
        if (told !== undefined) yield* noteToldBadges(dialect, community, post, told);
        yield* run(
          `UPDATE gate_mark SET rise = NULL, post = NULL
           WHERE ${OF_COMMUNITY} AND rise IS NOT NULL AND post = $3`,
          [platform, id, post],
        );
      }),
    noteRefusalReported: (community, refused) =>
      sql.transact(function* (): SqlScript<void> {
        const { platform, id } = community;
        const text = `SELECT announced FROM gate_settings
          WHERE ${OF_COMMUNITY} AND announced IS NOT NULL ${dialect.forUpdate}`;
        const row = yield* firstRow(text, [platform, id]);
        const state = row && (JSON.parse(String(row.announced)) as AnnounceState);
        if (state?.refused === refused) yield* putState(community, { ...state, isTold: true });
      }),
  };
}

/** Weekly messages that sum up what changed. */
function createDigests(sql: SqlRunner): Pick<MarkStore, 'setDigest' | 'noteDigest'> {
  const { dialect } = sql;
  return {
    setDigest: ({ platform, id }, begun) =>
      sql.query(function* (): SqlScript<boolean> {
        const condition =
          begun === undefined ? 'digest IS NOT NULL' : 'announce IS NOT NULL AND digest IS NULL';
        const text = `UPDATE gate_settings SET digest = $3 WHERE ${OF_COMMUNITY} AND ${condition}`;
        return (yield* run(text, [platform, id, begun && JSON.stringify(begun)])) > 0;
      }),
    noteDigest: (community, state, read, outcome) =>
      sql.transact(function* (): SqlScript<void> {
        const { platform, id } = community;
        const text = `SELECT digest FROM gate_settings
          WHERE ${OF_COMMUNITY} AND digest IS NOT NULL ${dialect.forUpdate}`;
        const row = yield* firstRow(text, [platform, id]);
        if (row === undefined) return;
        if (!isSameDigest(JSON.parse(String(row.digest)) as DigestState, read)) throw outdated();
        yield* run(
          `UPDATE gate_settings SET digest = $3 WHERE ${OF_COMMUNITY} AND digest IS NOT NULL`,
          [platform, id, JSON.stringify(state)],
        );
        const announced = outcome && (yield* stateOf(dialect, community));
        const refused = outcome === 'posted' ? undefined : outcome;
        if (announced !== undefined && announced.refused !== refused) {
          yield* putState(community, { ...announced, refused, isTold: false });
        }
      }),
  };
}

function* marksWhere(which: string, values: readonly unknown[]): SqlScript<Mark[]> {
  const text = `SELECT * FROM gate_mark WHERE ${OF_COMMUNITY} AND ${which} ORDER BY account`;
  return (yield* rows(text, values)).map(markOf);
}

/** Locks the state until the transaction ends. @returns undefined if the community doesn't announce */
function* stateOf(
  { forUpdate }: Dialect,
  { platform, id }: Community,
): SqlScript<AnnounceState | undefined> {
  const text = `SELECT announced FROM gate_settings
    WHERE ${OF_COMMUNITY} AND announce IS NOT NULL ${forUpdate}`;
  const row = yield* firstRow(text, [platform, id]);
  if (row === undefined) return undefined;
  return row.announced === null ? {} : (JSON.parse(String(row.announced)) as AnnounceState);
}

/** Adds badges that a message told of. Part of a transaction. */
function* noteToldBadges(
  dialect: Dialect,
  { platform, id }: Community,
  post: string,
  { at, badges }: AnnouncedMembers,
): SqlScript<void> {
  const accounts = [...badges].flatMap(([account, ids]) => (ids.length > 0 ? account : []));
  const found = yield* rows(
    `SELECT * FROM gate_mark WHERE ${OF_COMMUNITY} AND post = $3 AND ${dialect.isIn('account', '$4')}
     ORDER BY account ${dialect.forUpdate}`,
    [platform, id, post, accounts],
  );
  const marks = found.map((row): Mark => {
    const mark = markOf(row);
    const ids = badges.get(mark.account) ?? [];
    return { ...mark, toldBadges: withAnnouncedBadges(mark.toldBadges, ids, at) };
  });
  if (marks.length === 0) return;
  yield* dialect.insert(
    INTO_MARKS,
    marks.map((mark) => [platform, id, ...valuesOf(mark)]),
  );
}

/** Forgets what was seen of all members, or of one who leaves, but not what was announced. Part of a transaction. */
export function* forgetMarks(
  dialect: Dialect,
  { platform, id }: Community,
  account?: string,
): SqlScript<void> {
  const whose = account === undefined ? '' : 'AND account = $3';
  const values = [platform, id, ...(account === undefined ? [] : [account])];
  const gone = yield* rows(
    `DELETE FROM gate_mark WHERE ${OF_COMMUNITY} ${whose} RETURNING *`,
    values,
  );
  const kept = gone.flatMap((row) => leftMark(markOf(row)) ?? []);
  if (kept.length > 0) {
    yield* dialect.insert(
      INTO_MARKS,
      kept.map((mark) => [platform, id, ...valuesOf(mark)]),
    );
  }
}

/** Another replica, or a moderator, was faster: the next round goes by what is there then. */
function outdated(): RetryableError {
  return new RetryableError('Announcements have changed meanwhile.');
}

function isSameDigest(one: DigestState, other: DigestState): boolean {
  const parts = ({ done, post, told, refused }: DigestState) =>
    JSON.stringify([done, post?.id, told, refused?.at]);
  return parts(one) === parts(other);
}

/** Changes nothing once announcements were turned off: that ended them. */
function* putState({ platform, id }: Community, state: AnnounceState): SqlScript<void> {
  yield* run(
    `UPDATE gate_settings SET announced = $3 WHERE ${OF_COMMUNITY} AND announce IS NOT NULL`,
    [platform, id, JSON.stringify(state)],
  );
}

function valuesOf(mark: Mark): unknown[] {
  const { account, basis, epoch, tier, badges, had, rise, post, told, toldBadges } = mark;
  const [own, fallen] = [JSON.stringify(badges), JSON.stringify(had)];
  const risen = rise && JSON.stringify(rise);
  const ids = toldBadges && JSON.stringify(toldBadges.ids);
  return [
    ...[account, basis, epoch, tier, own, fallen, risen, post],
    ...[told?.tier, told?.at, ids, toldBadges?.at],
  ];
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
    told:
      row.told_tier === null
        ? undefined
        : { tier: String(row.told_tier) as Tier, at: Number(row.told_at) },
    toldBadges:
      row.told_badges === null
        ? undefined
        : { ids: JSON.parse(String(row.told_badges)) as string[], at: Number(row.told_badges_at) },
  };
}
