import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { isOutage } from '#base/errors';
import { connect, connectSession } from '#storage/postgres/connection';
import { type Database, openDatabase } from '#storage/postgres/database';
import { silentLog } from '../support/log.ts';
import { queryDatabase, useDatabase } from '../support/postgres/database.ts';

/* What a server answers while somebody works on the database below a running service. */

const server = useDatabase();
let db: Database | undefined;
afterEach(() => db?.close());

/** Runs a query on the server's own database. */
async function maintain(sql: (name: string) => string): Promise<void> {
  const own = new URL(server.url);
  const name = own.pathname.slice(1);
  own.pathname = '/postgres';
  await queryDatabase(own.href, sql(name));
}

const ask = 'INSERT INTO replica SELECT * FROM replica';

it.each([
  [
    'takes no connections',
    'accepting connections',
    () => maintain((name) => `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`),
  ],
  [
    'was made read-only',
    'read-only',
    () => maintain((name) => `ALTER DATABASE ${name} SET default_transaction_read_only = on`),
  ],
  ['lacks its schema', 'replica', () => server.query('ALTER SCHEMA fathom RENAME TO aside')],
  ['is gone', 'exist', () => maintain((name) => `DROP DATABASE ${name} WITH (FORCE)`)],
])('A database that %s is an outage that says so, and no bug', async (_, words, happen) => {
  await happen();
  db = openDatabase(server.url, silentLog);
  const error = await db.run(ask).catch((each: unknown) => each);
  expect(isOutage(error), String(error)).toBe(true);
  expect(String(error)).toContain(words);
});

const folder = new URL('../support/certificates/', import.meta.url);
const secured =
  (name: string, keyName = 'server-key') =>
  (socket: Socket) => {
    socket.write('S');
    const cert = readFileSync(new URL(`${name}.pem`, folder));
    const key = readFileSync(new URL(`${keyName}.pem`, folder));
    new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => socket.destroy());
  };

/** A server's first answer to whoever asks for TLS. */
async function answerTls(answer: (socket: Socket) => void): Promise<string> {
  const listening = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => answer(socket));
  });
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void listening.close());
  return `postgres://fathom@127.0.0.1:${(listening.address() as AddressInfo).port}/fathom`;
}

it.each([
  ['without TLS', 'sslmode=disable', (socket: Socket) => void socket.write('N')],
  ['with a certificate of its own', 'sslrootcert', secured('good')],
  ['with an expired certificate', 'CERT_HAS_EXPIRED', secured('expired')],
  ['with a certificate of another name', 'the host in DATABASE_URL', secured('named', 'named-key')],
])(
  'A server %s is an outage that says so, and pg warns of no mode',
  async (kind, words, answer) => {
    const warned: string[] = [];
    const listen = (warning: Error) => void warned.push(warning.message);
    process.on('warning', listen);
    onTestFinished(() => void process.off('warning', listen));
    const authority = new URL(kind.includes('another') ? 'named.pem' : 'authority.pem', folder)
      .pathname;
    const trusted = /expired|another/.test(kind) ? `&sslrootcert=${authority}` : '';
    for (const mode of ['require', 'verify-full']) {
      db = openDatabase(`${await answerTls(answer)}?sslmode=${mode}${trusted}`, silentLog);
      const error = await db.run('SELECT 1').catch((each: unknown) => each);
      await db.close();
      expect(isOutage(error), String(error)).toBe(true);
      expect(String(error)).toContain(words);
    }
    db = undefined;
    await new Promise((resolve) => setImmediate(resolve));
    expect(warned).toEqual([]);
  },
);

it('A server whose host has no address is an outage that says so', async () => {
  db = openDatabase('postgres://fathom@nowhere.invalid/fathom', silentLog);
  const error = await db.run('SELECT 1').catch((each: unknown) => each);
  expect(isOutage(error), String(error)).toBe(true);
  expect(String(error)).toMatch(/address \((?:ENOTFOUND|EAI_AGAIN)\)/);
});

it.each([
  ['whose socket has no file', '?host=/nowhere', 'running'],
  ["whose authority's file is missing", '?sslrootcert=/nowhere.pem', '/nowhere.pem'],
  ["whose authority's file is a folder", '?sslrootcert=/', 'sslrootcert'],
])('A server %s is an outage that says so', async (_, query, words) => {
  const url = `postgres://fathom@localhost/fathom${query}`;
  db = openDatabase(url, silentLog);
  const limits = { answerMs: 5_000 };
  for (const asked of [db.run('SELECT 1'), connect(url, limits), connectSession(url, limits)]) {
    const error = await asked.catch((each: unknown) => each);
    expect(isOutage(error), String(error)).toBe(true);
    expect(String(error)).toContain(words);
  }
});
