import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import type { Account } from '#command/account';
import type { StoredProof } from '#linking/proving/proof';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openDatabase } from '#storage/sqlite/database';
import { createPageScrubber } from '#storage/sqlite/file/scrub';
import { WalCheckpoints } from '#storage/sqlite/file/wal-checkpoints';
import { openSqliteStore } from '#storage/sqlite/open';
import { ethereum } from '#wallet/chains/index';
import { linkingWith } from '../support/linking.ts';
import { silentLog } from '../support/log.ts';

const NOW = 1_800_000_000;

function tempFile(): { file: string; bytes: () => string } {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bytes = () =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('\n');
  return { file: join(folder, 'fathom.db'), bytes };
}

const open = (file: string) =>
  openSqliteStore(file, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });

/** Spread over the whole index, like real ones. */
const addressOf = (n: number) =>
  ethereum.canonical(
    `0x${((BigInt(n) * 0x9e3779b97f4a7c15n) % 2n ** 64n).toString(16).padStart(40, '7')}`,
  );

const accountOf = (n: number): Account => ({
  platform: 'discord',
  id: n % 5 === 2 ? `8035111022467${String(n).padStart(5, '0')}` : `1${n}`,
});

function linkOf(n: number) {
  const account = accountOf(n);
  const wallet = { chain: 'ethereum', address: addressOf(n) } as const;
  // Of many lengths, so that pages are split and merged in many ways.
  const text = `signed by ${account.id} ${'x'.repeat((n * 37) % 900)}`;
  const proof: StoredProof = { wallet, by: 'key', network: 'eip155:1', evidence: undefined, text };
  const link = { account, wallet, proof, linkedAt: NOW, checkedAt: NOW, strikes: 0 };
  return { link, events: [{ at: NOW, account, event: 'linked', wallet }] } as const;
}

it.each(['that serves', 'of a command'])(
  'nothing of an erased account is in the files, neither at once nor after a stop of a process %s',
  async (process) => {
    const { file, bytes } = tempFile();
    const store = open(file);
    if (process === 'that serves') store.serve();
    const { link, events } = linkOf(2);
    await store.links.change(link.wallet, link.account, () => ({ link, events }));
    await store.links.setChoice(link.account, { privacy: 'public', communities: ['7'] }, NOW);
    expect(bytes().includes(link.account.id)).toBe(true);
    await store.links.erase(link.account, NOW + 9);
    expect(bytes().includes(link.account.id)).toBe(false);
    expect(bytes().includes('signed by')).toBe(false);
    await store.close();
    expect(bytes().includes(link.account.id)).toBe(false);
    expect(bytes().includes('signed by')).toBe(false);
  },
);

it('Nothing of an erased account is left among many, whose rows have moved; the others stay as they were', async () => {
  const { file, bytes } = tempFile();
  const store = open(file);
  const db = new DatabaseSync(file);
  db.exec('PRAGMA synchronous = OFF');
  const ids = Array.from({ length: 900 }, (_, n) => n);
  for (const n of ids) {
    const { link, events } = linkOf(n);
    await store.links.change(link.wallet, link.account, () => ({ link, events }));
  }
  const dump = () =>
    ['link', 'link_event', 'link_hold'].map((table) =>
      db
        .prepare(
          `SELECT * FROM ${table} WHERE ${table === 'link_hold' ? 'keeper' : 'account'} LIKE '1%'`,
        )
        .all(),
    );
  const before = dump();
  const triggers = () => db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
  const schema = triggers();
  for (const n of ids.filter((each) => each % 5 === 2)) {
    await store.links.erase(accountOf(n), NOW + 9);
  }
  await store.close();
  expect(dump()).toEqual(before);
  expect(triggers()).toEqual(schema);
  db.close();
  expect(bytes().includes('signed by 11')).toBe(true);
  expect(bytes().split('8035111022467').length - 1).toBe(0);
});

it("an erased wallet's address leaves the files once it's no longer held", async () => {
  const { file, bytes } = tempFile();
  const { link, events } = linkOf(2);
  const first = open(file);
  await first.links.change(link.wallet, link.account, () => ({ link, events }));
  await first.links.erase(link.account, NOW + 9);
  await first.close();
  expect(bytes().includes(link.wallet.address)).toBe(true);
  const later = open(file);
  const linking = linkingWith({ store: later.links, clock: () => (NOW + 9) * 1000 });
  await linking.runUpkeep();
  await linking.stop();
  await later.close();
  expect(bytes().includes(link.wallet.address)).toBe(false);
});

// The shutdown has ten seconds, and a rewrite can't be interrupted.
it('a table that would take too long at the end is left as it is and named', async () => {
  const { file } = tempFile();
  const db = openDatabase(file);
  onTestFinished(() => db.close());
  const fill = (table: string, rows: number) =>
    db.exec(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
       INSERT INTO ${table} SELECT i, 1, 'discord', 'a', 'b' ${table === 'gate_audit' ? ", NULL, NULL, NULL, NULL, 'd'" : ', NULL, NULL'} FROM n`,
    );
  fill('link_event', 600);
  fill('gate_audit', 3_000);
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (fields: unknown) => void warnings.push(fields) };
  // Each look at the clock is 110 ms after the one before: 600 rows then take 110 ms, and 3,000 would take 550.
  let now = 0;
  const scrubber = createPageScrubber(
    db,
    file,
    log,
    new WalCheckpoints(db, file, silentLog),
    () => {
      now += 110;
      return now;
    },
  );
  await scrubber.erased();
  scrubber.close();
  expect(warnings).toEqual([{ tables: ['gate_audit'] }]);
});
