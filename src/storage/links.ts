import { type Account, accountKey } from '#command';
import type {
  AccountRecord,
  Claim,
  Link,
  LinkChanges,
  LinkEvent,
  LinkStore,
  Privacy,
  PrivacyChoice,
  StoredProof,
  WalletReservation,
  WalletState,
} from '#linking';
import { CHAINS, type Chain, type Wallet } from '#wallet';
import { eraseFromGating, gateRecordOf, stampCommunitiesOf } from './gating/index.ts';
import { createRequestTable } from './link-requests.ts';
import { connectionOfAccount, eraseConnection } from './role-connections.ts';
import {
  type Dialect,
  firstRow,
  OF_ACCOUNT,
  putRow,
  type Row,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
} from './sql/script.ts';

/** Linked wallets, in their own tables. */
export function createLinkStore(sql: SqlRunner): LinkStore {
  return {
    ...createRequestTable(sql),
    ...createLinkTables(sql),
    ...createAccountTables(sql),
  };
}

/** Everything about one account: its settings, all data kept about it, and its erasure. */
function createAccountTables(
  sql: SqlRunner,
): Pick<LinkStore, 'choiceOf' | 'choicesOf' | 'setChoice' | 'recordOf' | 'erase'> {
  const { dialect } = sql;
  return {
    choiceOf: (account) => sql.query(() => readChoice(account)),
    choicesOf: (platform, accounts) =>
      sql.query(function* () {
        const found = yield* rows(
          `SELECT * FROM link_choice WHERE platform = $1 AND ${dialect.isIn('account', '$2')}`,
          [platform, accounts],
        );
        return new Map(found.map((row) => [String(row.account), choiceOf(row)]));
      }),
    setChoice: (account, { privacy, communities, isUnannounced }, now) =>
      sql.transact(function* (): SqlScript<void> {
        const { platform, id } = account;
        yield* dialect.lockAccount(accountKey(account));
        yield* run(
          `INSERT INTO link_choice (platform, account, privacy, communities, unannounced)
           VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (platform, account) DO UPDATE SET
             privacy = excluded.privacy, communities = excluded.communities,
             unannounced = excluded.unannounced`,
          [platform, id, privacy, JSON.stringify(communities), Number(isUnannounced === true)],
        );
        yield* run(
          `INSERT INTO link_event (platform, account, at, event) VALUES ($1, $2, $3, 'privacy')`,
          [platform, id, now],
        );
      }),
    recordOf: (account) => sql.snapshot(() => recordOf(dialect, account)),
    erase: (account, holdUntil) => sql.transact(() => erase(dialect, account, holdUntil)),
  };
}

/** The tables that hold an account's own rows, with the index that SQLite should use. */
function tablesOf({ indexedBy }: Dialect) {
  return {
    link: `link ${indexedBy('link_account')}`,
    claim: `link_claim ${indexedBy('link_claim_account')}`,
    hold: `link_hold ${indexedBy('link_hold_keeper')}`,
  };
}

function* readChoice({ platform, id }: Account): SqlScript<PrivacyChoice | undefined> {
  const row = yield* firstRow(`SELECT * FROM link_choice WHERE ${OF_ACCOUNT}`, [platform, id]);
  return row && choiceOf(row);
}

function* recordOf(dialect: Dialect, account: Account): SqlScript<AccountRecord> {
  const { link, claim, hold } = tablesOf(dialect);
  const values = [account.platform, account.id];
  const all = (table: string, order: string) =>
    rows(`SELECT * FROM ${table} WHERE ${OF_ACCOUNT} ORDER BY ${order}`, values);
  return {
    links: (yield* all(link, 'linked_at, address')).map(linkOf),
    claims: (yield* all(claim, 'due_at, address')).map(claimOf),
    holds: (yield* rows(
      `SELECT * FROM ${hold} WHERE platform = $1 AND keeper = $2 ORDER BY until, address`,
      values,
    )).map(holdOf),
    choice: yield* readChoice(account),
    requests: (yield* all('link_request', 'way')).map(requestNoteOf),
    events: (yield* all('link_event', 'seq')).map(eventOf),
    ...(yield* gateRecordOf(dialect, account)),
    ...(yield* connectionOfAccount(account)),
  };
}

function* erase(dialect: Dialect, account: Account, holdUntil: number): SqlScript<void> {
  const { link, claim, hold } = tablesOf(dialect);
  const values = [account.platform, account.id];
  yield* dialect.lockAccount(accountKey(account));
  // A transaction that takes over one of its wallets also notifies the account: that must not
  // happen later.
  const wallets = yield* rows(
    `SELECT address FROM ${link} WHERE ${OF_ACCOUNT} UNION SELECT address FROM ${claim} WHERE ${OF_ACCOUNT}
     UNION SELECT address FROM ${hold} WHERE platform = $1 AND keeper = $2`,
    values,
  );
  const addresses = wallets.map(({ address }) => String(address));
  yield* dialect.lockWallets(account.platform, addresses);
  const held = yield* linksOfAccount(dialect, account.platform, account.id);
  for (const { wallet, proof } of held) {
    const isDelegated = proof.by === 'delegation';
    const hold = { wallet, keeper: undefined, until: holdUntil, isDelegated };
    yield* putHold([account.platform, wallet.address], hold);
  }
  yield* run(`UPDATE ${hold} SET keeper = NULL WHERE platform = $1 AND keeper = $2`, values);
  for (const table of [link, claim, 'link_request', 'link_choice', 'link_event']) {
    yield* run(`DELETE FROM ${table} WHERE ${OF_ACCOUNT}`, values);
  }
  yield* eraseFromGating(dialect, account);
  yield* eraseConnection(account, holdUntil);
  yield* run('DELETE FROM api_key WHERE owner = $1', [accountKey(account)]);
}

const WALLET = 'platform = $1 AND address = $2';

/** Who has linked which wallet, who claims it, and for whom it is held. */
function createLinkTables(
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
  const linksOf = all(linkOf, linksOfSql(dialect.indexedBy));
  const claimsAgainst = all(
    claimOf,
    `SELECT link_claim.* FROM ${links} JOIN link_claim USING (platform, address)
     WHERE link.platform = $1 AND link.account = $2 ORDER BY due_at, address`,
  );
  const claimsBy = all(
    claimOf,
    `SELECT * FROM ${claims} WHERE ${OF_ACCOUNT} ORDER BY due_at, address`,
  );

  return {
    change: (wallet, account, decide, delegate = wallet) =>
      sql.transact(function* (): SqlScript<void> {
        // Lock the account, or two concurrent links could both become its last allowed one.
        yield* dialect.lockAccount(accountKey(account));
        yield* dialect.lockWallets(account.platform, [wallet.address, delegate.address]);
        const key = [account.platform, wallet.address];
        let situation = yield* situationOf(dialect, key, account.id);
        if (situation.vaults.length > 0) {
          // After it, and no delegated wallet has others that are delegated to it.
          yield* dialect.lockWallets(
            account.platform,
            situation.vaults.map(({ wallet: { address } }) => address),
          );
          // Until then, their owners may have signed for them.
          situation = yield* situationOf(dialect, key, account.id);
        }
        const changes = decide(situation);
        yield* apply(key, changes);
        if (changes.link === undefined && changes.ended === undefined) return;
        const holders = [situation.link, changes.link].flatMap((each) => each?.account.id ?? []);
        yield* stampCommunitiesOf(dialect, account.platform, holders);
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
  const waiting = yield* firstRow(
    `SELECT count(*) AS n FROM link_claim ${dialect.indexedBy('link_claim_account')}
     WHERE ${OF_ACCOUNT} AND address <> $3`,
    [key[0], account, key[1]],
  );
  const own = yield* linksOfAccount(dialect, key[0], account);
  const holder = link === undefined ? undefined : String(link.account);
  const beside =
    holder === undefined || holder === account
      ? own
      : yield* linksOfAccount(dialect, key[0], holder);
  const isVault = ({ proof }: Link) => proof.by === 'delegation';
  return {
    link: link && linkOf(link),
    claim: claim && claimOf(claim),
    hold: hold && holdOf(hold),
    linked: own.length,
    waiting: Number(waiting?.n),
    signed: own.filter((each) => !isVault(each)).map(({ wallet }) => wallet),
    vaults:
      holder === undefined
        ? []
        : beside.filter((each) => isVault(each) && each.proof.evidence === key[1]),
  };
}

/** SQL: an account's links, in the order in which it's told of them. */
function linksOfSql(indexedBy: Dialect['indexedBy']): string {
  return `SELECT * FROM link ${indexedBy('link_account')} WHERE ${OF_ACCOUNT} ORDER BY linked_at, address`;
}

function* linksOfAccount(
  { indexedBy }: Dialect,
  platform: string | undefined,
  account: string,
): SqlScript<readonly Link[]> {
  const found = yield* rows(linksOfSql(indexedBy), [platform, account]);
  return found.map(linkOf);
}

function* apply(key: Key, { link, claim, hold, ended, events }: LinkChanges): SqlScript<void> {
  const drop = (table: string, of = key) => run(`DELETE FROM ${table} WHERE ${WALLET}`, of);
  if (link === null) yield* drop('link');
  else if (link !== undefined) yield* putLink(link);
  if (claim === null) yield* drop('link_claim');
  else if (claim !== undefined) yield* putClaim(claim);
  if (hold === null) yield* drop('link_hold');
  else if (hold !== undefined) yield* putHold(key, hold);
  for (const each of ended ?? []) {
    const heldKey = [...key.slice(0, 1), each.wallet.address];
    yield* drop('link', heldKey);
    yield* putHold(heldKey, each);
  }
  for (const event of events) yield* putEvent(event);
}

function putLink(link: Link): SqlScript<void> {
  const { account, wallet, proof, linkedAt, checkedAt, strikes } = link;
  return putRow('link', {
    platform: account.platform,
    address: wallet.address,
    chain: chainNumber(wallet),
    account: account.id,
    linked_at: linkedAt,
    checked_at: checkedAt,
    strikes,
    proof: proofText(proof),
  });
}

function putClaim({ account, wallet, proof, claimedAt, dueAt }: Claim): SqlScript<void> {
  return putRow('link_claim', {
    platform: account.platform,
    address: wallet.address,
    chain: chainNumber(wallet),
    account: account.id,
    claimed_at: claimedAt,
    due_at: dueAt,
    proof: proofText(proof),
  });
}

function putHold(
  [platform, address]: Key,
  { wallet, keeper, until, isDelegated }: WalletReservation,
): SqlScript<void> {
  return putRow('link_hold', {
    platform,
    address,
    chain: chainNumber(wallet),
    keeper: keeper?.id,
    until,
    delegated: Number(isDelegated === true),
  });
}

function* putEvent({ at, account, event, wallet }: LinkEvent): SqlScript<void> {
  yield* run(
    `INSERT INTO link_event (at, platform, account, event, chain, address)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [at, account.platform, account.id, event, wallet && chainNumber(wallet), wallet?.address],
  );
}

/** The value of a proof's column: everything but the wallet, which has its own columns. */
function proofText({ by, network, evidence, text }: StoredProof): string {
  return JSON.stringify({ by, network, evidence, text });
}

function chainNumber({ chain }: Wallet): number {
  return CHAINS.indexOf(chain);
}

function proofOf(row: Row): StoredProof {
  const kept = JSON.parse(String(row.proof)) as Omit<StoredProof, 'wallet'>;
  return { ...kept, evidence: kept.evidence, wallet: walletOf(row) };
}

function walletOf(row: Row): Wallet {
  return { chain: CHAINS[Number(row.chain)] as Chain, address: String(row.address) };
}

function accountOf(row: Row, column = 'account'): Account {
  return { platform: String(row.platform) as Account['platform'], id: String(row[column]) };
}

function linkOf(row: Row): Link {
  return {
    account: accountOf(row),
    wallet: walletOf(row),
    proof: proofOf(row),
    linkedAt: Number(row.linked_at),
    checkedAt: Number(row.checked_at),
    strikes: Number(row.strikes),
  };
}

function claimOf(row: Row): Claim {
  return {
    account: accountOf(row),
    wallet: walletOf(row),
    proof: proofOf(row),
    claimedAt: Number(row.claimed_at),
    dueAt: Number(row.due_at),
  };
}

function holdOf(row: Row): WalletReservation {
  return {
    wallet: walletOf(row),
    keeper: row.keeper === null ? undefined : accountOf(row, 'keeper'),
    until: Number(row.until),
    isDelegated: Number(row.delegated) === 1,
  };
}

function eventOf(row: Row): LinkEvent {
  return {
    at: Number(row.at),
    account: accountOf(row),
    event: String(row.event) as LinkEvent['event'],
    wallet: row.address === null ? undefined : walletOf(row),
  };
}

function choiceOf(row: Row): PrivacyChoice {
  const communities = JSON.parse(String(row.communities)) as string[];
  const privacy = String(row.privacy) as Privacy;
  return { privacy, communities, ...(row.unannounced === 1 && { isUnannounced: true }) };
}

function requestNoteOf(row: Row): AccountRecord['requests'][number] {
  return { way: String(row.way), createdAt: Number(row.created_at) };
}
