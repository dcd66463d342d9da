import { type Follower, type FollowOptions, follow } from '#storage/following/follow';
import { listenForCommits } from './listener.ts';
import { loadStandings } from './load.ts';
import type { Reads } from './reads.ts';
import { batchNameOf, snapshotOf } from './snapshot.ts';

/** How often to poll the primary, in case a notification was lost. */
const LOOK_MS = 500;

const LOOK_SQL = `
  SELECT newest.id, newest.uid, newest.committed_at,
         (SELECT uid FROM batch WHERE id = $1) AS known_uid
  FROM (SELECT) AS one
  LEFT JOIN (SELECT * FROM batch ORDER BY id DESC LIMIT 1) AS newest ON true`;

interface PostgresFollowOptions extends Pick<FollowOptions, 'start' | 'startedAt' | 'log'> {
  readonly url: string;
  readonly reads: Reads;
}

/** Follows the ledger of the primary. */
export function followPostgres({ url, reads, ...options }: PostgresFollowOptions): Follower {
  const listener = listenForCommits(url, () => follower.pollSoon());
  const follower = follow({
    ...options,
    pollMs: LOOK_MS,
    ledger: {
      async status(known) {
        const [row] = await listener.rows(LOOK_SQL, [known]);
        return {
          newest: batchNameOf(row ?? {}),
          committedAt: Number(row?.committed_at ?? 0),
          knownUid: row?.known_uid == null ? undefined : String(row.known_uid),
        };
      },
      inSnapshot: (since, work) =>
        reads.inSnapshot(since, (ask, head) => work(snapshotOf(ask, head))),
      load: () => loadStandings(url),
      ping: () => listener.rows('SELECT'),
      close: () => listener.close(),
    },
  });
  return follower;
}
