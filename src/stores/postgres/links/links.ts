import { accountKey } from '#core/links/account';
import type { Claim, Hold, Link, LinkEvent } from '#core/links/records';
import type { Changes, Situation } from '#core/links/rules';
import type { LinkStore } from '#core/links/store';
import { chainNumber, claimOf, holdOf, linkOf, proofText } from '#stores/links/rows';
import { retried } from '#stores/postgres/conflicts';
import type { Database, Queries, Row } from '#stores/postgres/database';
import { columnsOf } from '#stores/postgres/lists';
import { lockAccount, lockWallets } from '#stores/postgres/locks';

const WALLET = 'platform = $1 AND address = $2';
const ACCOUNT = 'platform = $1 AND account = $2';

/** Who has which wallet, who waits for it, and for whom it is held. */
export function createLinkTables(
  db: Database,
): Pick<
  LinkStore,
  'change' | 'linksOf' | 'claimsAgainst' | 'claimsBy' | 'dueClaims' | 'linksToCheck' | 'noteCheck'
> {
  return {
    change: (wallet, account, decide) =>
      retried(() =>
        db.transaction(async (queries) => {
          // The account's, for two wallets must not become the last that it may have.
          await lockAccount(queries, accountKey(account));
          await lockWallets(queries, account.platform, [wallet.address]);
          const key = [account.platform, wallet.address];
          const situation = await situationOf(queries, key, account.id);
          await apply(queries, key, decide(situation));
        }),
      ),
    async linksOf({ platform, id }) {
      const sql = `SELECT * FROM link WHERE ${ACCOUNT} ORDER BY linked_at, address`;
      return (await db.rows(sql, [platform, id])).map(linkOf);
    },
    async claimsAgainst({ platform, id }) {
      const rows = await db.rows(
        `SELECT link_claim.* FROM link JOIN link_claim USING (platform, address)
         WHERE link.platform = $1 AND link.account = $2 ORDER BY due_at, address`,
        [platform, id],
      );
      return rows.map(claimOf);
    },
    async claimsBy({ platform, id }) {
      const sql = `SELECT * FROM link_claim WHERE ${ACCOUNT} ORDER BY due_at, address`;
      return (await db.rows(sql, [platform, id])).map(claimOf);
    },
    async dueClaims(now, limit) {
      const sql = 'SELECT * FROM link_claim WHERE due_at <= $1 ORDER BY due_at, address LIMIT $2';
      return (await db.rows(sql, [now, limit])).map(claimOf);
    },
    async linksToCheck(before, latest, limit) {
      const rows = await db.rows(
        `SELECT * FROM link WHERE checked_at < $1 OR checked_at > $2
         ORDER BY checked_at, platform, address LIMIT $3`,
        [before, latest, limit],
      );
      return rows.map(linkOf);
    },
    async noteCheck({ account, wallet, proof }, checkedAt, strikes) {
      await db.run(
        `UPDATE link SET checked_at = $3, strikes = $4
         WHERE ${WALLET} AND account = $5 AND proof = $6`,
        [account.platform, wallet.address, checkedAt, strikes, account.id, proofText(proof)],
      );
    },
  };
}

/** Platform and address: what a link, a claim and a hold are found by. */
type Key = readonly string[];

async function situationOf(db: Queries, key: Key, account: string): Promise<Situation> {
  const one = async (table: string): Promise<Row | undefined> =>
    (await db.rows(`SELECT * FROM ${table} WHERE ${WALLET}`, key))[0];
  const link = await one('link');
  const claim = await one('link_claim');
  const hold = await one('link_hold');
  const [counts] = await db.rows(
    `SELECT (SELECT count(*) FROM link WHERE ${ACCOUNT}) AS linked,
       (SELECT count(*) FROM link_claim WHERE ${ACCOUNT} AND address <> $3) AS waiting`,
    [key[0], account, key[1]],
  );
  return {
    link: link && linkOf(link),
    claim: claim && claimOf(claim),
    hold: hold && holdOf(hold),
    linked: Number(counts?.linked),
    waiting: Number(counts?.waiting),
  };
}

async function apply(db: Queries, key: Key, { link, claim, hold, events }: Changes): Promise<void> {
  const drop = (table: string) => db.run(`DELETE FROM ${table} WHERE ${WALLET}`, key);
  if (link === null) await drop('link');
  else if (link !== undefined) await putLink(db, link);
  if (claim === null) await drop('link_claim');
  else if (claim !== undefined) await putClaim(db, claim);
  if (hold === null) await drop('link_hold');
  else if (hold !== undefined) await putHold(db, key, hold);
  if (events.length > 0) await putEvents(db, events);
}

async function putLink(db: Queries, link: Link): Promise<void> {
  const { account, wallet, proof, linkedAt, checkedAt, strikes } = link;
  await db.run(
    `INSERT INTO link (platform, address, chain, account, linked_at, checked_at, strikes, proof)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (platform, address) DO UPDATE SET
       chain = excluded.chain, account = excluded.account, linked_at = excluded.linked_at,
       checked_at = excluded.checked_at, strikes = excluded.strikes, proof = excluded.proof`,
    [
      account.platform,
      wallet.address,
      chainNumber(wallet),
      account.id,
      linkedAt,
      checkedAt,
      strikes,
      proofText(proof),
    ],
  );
}

async function putClaim(db: Queries, claim: Claim): Promise<void> {
  const { account, wallet, proof, claimedAt, dueAt } = claim;
  const { platform, id } = account;
  await db.run(
    `INSERT INTO link_claim (platform, address, chain, account, claimed_at, due_at, proof)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (platform, address) DO UPDATE SET
       chain = excluded.chain, account = excluded.account, claimed_at = excluded.claimed_at,
       due_at = excluded.due_at, proof = excluded.proof`,
    [platform, wallet.address, chainNumber(wallet), id, claimedAt, dueAt, proofText(proof)],
  );
}

async function putHold(db: Queries, key: Key, { wallet, keeper, until }: Hold): Promise<void> {
  await db.run(
    `INSERT INTO link_hold (platform, address, chain, keeper, until) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (platform, address) DO UPDATE SET
       chain = excluded.chain, keeper = excluded.keeper, until = excluded.until`,
    [...key, chainNumber(wallet), keeper?.id, until],
  );
}

async function putEvents(db: Queries, events: readonly LinkEvent[]): Promise<void> {
  await db.run(
    `INSERT INTO link_event (at, platform, account, event, chain, address)
     SELECT at, platform, account, event, chain, address FROM unnest(
       $1::bigint[], $2::text[], $3::text[], $4::text[], $5::smallint[], $6::text[]
     ) WITH ORDINALITY AS event (at, platform, account, event, chain, address, place)
     ORDER BY place`,
    columnsOf(
      events,
      ({ at }) => at,
      ({ account }) => account.platform,
      ({ account }) => account.id,
      ({ event }) => event,
      ({ wallet }) => (wallet === undefined ? undefined : chainNumber(wallet)),
      ({ wallet }) => wallet?.address,
    ),
  );
}
