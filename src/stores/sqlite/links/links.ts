import type { DatabaseSync } from 'node:sqlite';
import type { Account } from '#core/links/account';
import type { Claim, Hold, Link, LinkEvent } from '#core/links/records';
import type { Changes, Situation } from '#core/links/rules';
import type { LinkStore } from '#core/links/store';
import type { Wallet } from '#core/wallet';
import { chainNumber, claimOf, holdOf, linkOf, proofText } from '#stores/links/rows';
import { transaction } from '#stores/sqlite/database';
import { explained } from '#stores/sqlite/errors';

/** Who has which wallet, who waits for it, and for whom it is held. */
export function createLinkTables(
  db: DatabaseSync,
  file: string,
): Pick<
  LinkStore,
  'change' | 'linksOf' | 'claimsAgainst' | 'claimsBy' | 'dueClaims' | 'linksToCheck' | 'noteCheck'
> {
  const wallet = 'platform = ? AND address = ?';
  const sql = {
    link: db.prepare(`SELECT * FROM link WHERE ${wallet}`),
    claim: db.prepare(`SELECT * FROM link_claim WHERE ${wallet}`),
    hold: db.prepare(`SELECT * FROM link_hold WHERE ${wallet}`),
    count: db.prepare(
      'SELECT count(*) AS n FROM link INDEXED BY link_account WHERE platform = ? AND account = ?',
    ),
    waiting: db.prepare(
      `SELECT count(*) AS n FROM link_claim INDEXED BY link_claim_account
       WHERE platform = ? AND account = ? AND address <> ?`,
    ),
    dropLink: db.prepare(`DELETE FROM link WHERE ${wallet}`),
    dropClaim: db.prepare(`DELETE FROM link_claim WHERE ${wallet}`),
    dropHold: db.prepare(`DELETE FROM link_hold WHERE ${wallet}`),
    putLink: db.prepare('INSERT OR REPLACE INTO link VALUES (?, ?, ?, ?, ?, ?, ?, ?)'),
    putClaim: db.prepare('INSERT OR REPLACE INTO link_claim VALUES (?, ?, ?, ?, ?, ?, ?)'),
    putHold: db.prepare('INSERT OR REPLACE INTO link_hold VALUES (?, ?, ?, ?, ?)'),
    putEvent: db.prepare(
      'INSERT INTO link_event (at, platform, account, event, chain, address) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    linksOf: db.prepare(
      // Without statistics SQLite would go through the whole platform by the primary key.
      `SELECT * FROM link INDEXED BY link_account
       WHERE platform = ? AND account = ? ORDER BY linked_at, address`,
    ),
    against: db.prepare(
      `SELECT link_claim.* FROM link INDEXED BY link_account
       JOIN link_claim USING (platform, address)
       WHERE link.platform = ? AND link.account = ? ORDER BY due_at, address`,
    ),
    claimsBy: db.prepare(
      `SELECT * FROM link_claim INDEXED BY link_claim_account
       WHERE platform = ? AND account = ? ORDER BY due_at, address`,
    ),
    due: db.prepare('SELECT * FROM link_claim WHERE due_at <= ? ORDER BY due_at, address LIMIT ?'),
    toCheck: db.prepare(
      `SELECT * FROM link WHERE checked_at < ? OR checked_at > ?
       ORDER BY checked_at, platform, address LIMIT ?`,
    ),
    noteCheck: db.prepare(
      `UPDATE link SET checked_at = ?, strikes = ? WHERE ${wallet} AND account = ? AND proof = ?`,
    ),
  };

  const all = (statement: typeof sql.linksOf, account: Account) =>
    explained(file, () => statement.all(account.platform, account.id));

  function situationOf({ address }: Wallet, { platform, id }: Account): Situation {
    const link = sql.link.get(platform, address);
    const claim = sql.claim.get(platform, address);
    const hold = sql.hold.get(platform, address);
    return {
      link: link && linkOf(link),
      claim: claim && claimOf(claim),
      hold: hold && holdOf(hold),
      linked: Number(sql.count.get(platform, id)?.n),
      waiting: Number(sql.waiting.get(platform, id, address)?.n),
    };
  }

  function apply(platform: string, { address }: Wallet, changes: Changes): void {
    if (changes.link === null) sql.dropLink.run(platform, address);
    else if (changes.link !== undefined) putLink(changes.link);
    if (changes.claim === null) sql.dropClaim.run(platform, address);
    else if (changes.claim !== undefined) putClaim(changes.claim);
    if (changes.hold === null) sql.dropHold.run(platform, address);
    else if (changes.hold !== undefined) putHold(platform, changes.hold);
    for (const event of changes.events) putEvent(event);
  }

  function putLink({ account, wallet: of, proof, linkedAt, checkedAt, strikes }: Link): void {
    const { platform, id } = account;
    const chain = chainNumber(of);
    sql.putLink.run(
      platform,
      of.address,
      chain,
      id,
      linkedAt,
      checkedAt,
      strikes,
      proofText(proof),
    );
  }

  function putClaim({ account, wallet: of, proof, claimedAt, dueAt }: Claim): void {
    const { platform, id } = account;
    sql.putClaim.run(platform, of.address, chainNumber(of), id, claimedAt, dueAt, proofText(proof));
  }

  function putHold(platform: string, { wallet: of, keeper, until }: Hold): void {
    sql.putHold.run(platform, of.address, chainNumber(of), keeper?.id ?? null, until);
  }

  function putEvent({ at, account, event, wallet: of }: LinkEvent): void {
    const { platform, id } = account;
    const chain = of === undefined ? null : chainNumber(of);
    sql.putEvent.run(at, platform, id, event, chain, of?.address ?? null);
  }

  return {
    change(of, account, decide) {
      explained(file, () =>
        transaction(db, () => apply(account.platform, of, decide(situationOf(of, account)))),
      );
    },
    linksOf: (account) => all(sql.linksOf, account).map(linkOf),
    claimsAgainst: (account) => all(sql.against, account).map(claimOf),
    claimsBy: (account) => all(sql.claimsBy, account).map(claimOf),
    dueClaims: (now, limit) => explained(file, () => sql.due.all(now, limit)).map(claimOf),
    linksToCheck: (before, latest, limit) =>
      explained(file, () => sql.toCheck.all(before, latest, limit)).map(linkOf),
    noteCheck({ account, wallet: of, proof }, checkedAt, strikes) {
      const { platform, id } = account;
      explained(file, () =>
        sql.noteCheck.run(checkedAt, strikes, platform, of.address, id, proofText(proof)),
      );
    },
  };
}
