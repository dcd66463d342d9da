import { type Account, accountKey } from '#command';
import type {
  Claim,
  Link,
  LinkChanges,
  LinkEvent,
  LinkStore,
  WalletReservation,
  WalletState,
} from '#linking';
import {
  type Dialect,
  firstRow,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
} from '#storage/sql/script';
import { chainNumber, claimOf, holdOf, linkOf, proofText } from './rows.ts';

const WALLET = 'platform = $1 AND address = $2';
const ACCOUNT = 'platform = $1 AND account = $2';

/** Who has linked which wallet, who claims it, and for whom it is held. */
export function createLinkTables(
  sql: SqlRunner,
): Pick<
  LinkStore,
  'change' | 'linksOf' | 'claimsAgainst' | 'claimsBy' | 'dueClaims' | 'linksToCheck' | 'noteCheck'
> {
  const { dialect } = sql;
  const links = `link ${dialect.indexedBy('link_account')}`;
  const claims = `link_claim ${dialect.indexedBy('link_claim_account')}`;

  const all =
    <T>(of: (row: Parameters<typeof linkOf>[0]) => T, text: string) =>
    (...values: readonly unknown[]) =>
      sql.query(function* () {
        return (yield* rows(text, values)).map(of);
      });
  const linksOf = all(
    linkOf,
    `SELECT * FROM ${links} WHERE ${ACCOUNT} ORDER BY linked_at, address`,
  );
  const claimsAgainst = all(
    claimOf,
    `SELECT link_claim.* FROM ${links} JOIN link_claim USING (platform, address)
     WHERE link.platform = $1 AND link.account = $2 ORDER BY due_at, address`,
  );
  const claimsBy = all(
    claimOf,
    `SELECT * FROM ${claims} WHERE ${ACCOUNT} ORDER BY due_at, address`,
  );

  return {
    change: (wallet, account, decide) =>
      sql.transact(function* (): SqlScript<void> {
        // Lock the account, or two concurrent links could both become its last allowed one.
        yield* dialect.lockAccount(accountKey(account));
        yield* dialect.lockWallets(account.platform, [wallet.address]);
        const key = [account.platform, wallet.address];
        const situation = yield* situationOf(dialect, key, account.id);
        yield* apply(key, decide(situation));
      }),
    linksOf: ({ platform, id }) => linksOf(platform, id),
    claimsAgainst: ({ platform, id }) => claimsAgainst(platform, id),
    claimsBy: ({ platform, id }) => claimsBy(platform, id),
    dueClaims: all(
      claimOf,
      'SELECT * FROM link_claim WHERE due_at <= $1 ORDER BY due_at, address LIMIT $2',
    ),
    linksToCheck: all(
      linkOf,
      `SELECT * FROM link WHERE checked_at < $1 OR checked_at > $2
       ORDER BY checked_at, platform, address LIMIT $3`,
    ),
    noteCheck: ({ account, wallet, proof }, checkedAt, strikes) =>
      sql.query(function* (): SqlScript<void> {
        yield* run(
          `UPDATE link SET checked_at = $3, strikes = $4
           WHERE ${WALLET} AND account = $5 AND proof = $6`,
          [account.platform, wallet.address, checkedAt, strikes, account.id, proofText(proof)],
        );
      }),
  };
}

/** Platform and address: the key of a link, a claim or a hold. */
type Key = readonly string[];

function* situationOf(dialect: Dialect, key: Key, account: Account['id']): SqlScript<WalletState> {
  const one = (table: string) => firstRow(`SELECT * FROM ${table} WHERE ${WALLET}`, key);
  const link = yield* one('link');
  const claim = yield* one('link_claim');
  const hold = yield* one('link_hold');
  const counts = yield* firstRow(
    `SELECT (SELECT count(*) FROM link ${dialect.indexedBy('link_account')} WHERE ${ACCOUNT}) AS linked,
       (SELECT count(*) FROM link_claim ${dialect.indexedBy('link_claim_account')}
        WHERE ${ACCOUNT} AND address <> $3) AS waiting`,
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

function* apply(key: Key, { link, claim, hold, events }: LinkChanges): SqlScript<void> {
  const drop = (table: string) => run(`DELETE FROM ${table} WHERE ${WALLET}`, key);
  if (link === null) yield* drop('link');
  else if (link !== undefined) yield* putLink(link);
  if (claim === null) yield* drop('link_claim');
  else if (claim !== undefined) yield* putClaim(claim);
  if (hold === null) yield* drop('link_hold');
  else if (hold !== undefined) yield* putHold(key, hold);
  for (const event of events) yield* putEvent(event);
}

function* putLink(link: Link): SqlScript<void> {
  const { account, wallet, proof, linkedAt, checkedAt, strikes } = link;
  yield* run(
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

function* putClaim({ account, wallet, proof, claimedAt, dueAt }: Claim): SqlScript<void> {
  const { platform, id } = account;
  yield* run(
    `INSERT INTO link_claim (platform, address, chain, account, claimed_at, due_at, proof)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (platform, address) DO UPDATE SET
       chain = excluded.chain, account = excluded.account, claimed_at = excluded.claimed_at,
       due_at = excluded.due_at, proof = excluded.proof`,
    [platform, wallet.address, chainNumber(wallet), id, claimedAt, dueAt, proofText(proof)],
  );
}

function* putHold(key: Key, { wallet, keeper, until }: WalletReservation): SqlScript<void> {
  yield* run(
    `INSERT INTO link_hold (platform, address, chain, keeper, until) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (platform, address) DO UPDATE SET
       chain = excluded.chain, keeper = excluded.keeper, until = excluded.until`,
    [...key, chainNumber(wallet), keeper?.id, until],
  );
}

function* putEvent({ at, account, event, wallet }: LinkEvent): SqlScript<void> {
  yield* run(
    `INSERT INTO link_event (at, platform, account, event, chain, address)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [at, account.platform, account.id, event, wallet && chainNumber(wallet), wallet?.address],
  );
}
