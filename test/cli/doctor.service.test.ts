import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DiscordStandIn } from '../../bench/servers/discord/stand-in.ts';
import { TelegramStandIn } from '../../bench/servers/telegram/stand-in.ts';
import {
  type CliResult,
  finished,
  runCli,
  runHere,
  type Workplace,
  workplace,
} from '../support/import-cli.ts';
import { mixedLines, ndjson } from '../support/import-lines.ts';
import { patienceMs } from '../support/patience.ts';
import { NO_ENV_FILE, SOURCES } from '../support/program.ts';
import { serveHere } from '../support/serve-here.ts';

const TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:1';
const ANY_PORT = { PORT: '0', METRICS_PORT: '0' };

/** What it says with these settings, within this process. */
async function examine(place: Workplace, changes: Record<string, string> = {}) {
  return readFindings(await runHere(['doctor'], { ...place.env, ...ANY_PORT, ...changes }));
}

/** The same once nothing was too slow for it: it gives up after seconds, which a busy machine may need. */
async function examineInTime(place: Workplace, changes: Record<string, string>) {
  return await vi.waitFor(
    async () => {
      const examined = await examine(place, changes);
      expect(JSON.stringify(examined.lines)).not.toContain('did not respond');
      return examined;
    },
    { timeout: patienceMs(), interval: 100 },
  );
}

/** Level and message by subject. */
function readFindings({ code, stdout, stderr }: CliResult) {
  expect(stderr).toBe('');
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  return {
    code,
    lines,
    found: Object.fromEntries(lines.map(([level, subject, text]) => [subject, { level, text }])),
  };
}

/** The file of a database after an import, which is the same each time. */
let imported: Buffer | undefined;

async function withData(): Promise<Workplace> {
  if (imported === undefined) {
    const place = workplace({ 'a.ndjson': ndjson(mixedLines(300)) });
    expect(await place.run(['import', 'a.ndjson'])).toMatchObject({ code: 0 });
    imported = readFileSync(place.database);
  }
  return workplace({ 'fathom.db': imported });
}

describe('fathom doctor', () => {
  it('reports that all is well', async () => {
    const place = await withData();
    const env = { ...place.env, ...ANY_PORT };
    const { code, lines } = readFindings(await runCli(['doctor'], { cwd: place.cwd, env }));
    expect(code).toBe(0);
    expect(lines).toEqual([
      ['ok', 'configuration', expect.any(String)],
      ['ok', 'database', expect.stringContaining("is Fathom's")],
      ['ok', 'schema', expect.stringContaining('the latest')],
      ['ok', 'pages', expect.stringContaining('no damage')],
      ['ok', 'size', expect.stringMatching(/^\d+ KiB/)],
      [expect.any(String), 'disk', expect.stringContaining('free in')],
      [
        'ok',
        'data',
        expect.stringMatching(/^30 wallets, 300 imported activities, last change \d{4}-/),
      ],
      ['ok', 'port', 'any free port'],
      ['ok', 'metrics port', 'any free port'],
    ]);
  });

  it.each([
    ['', 'warn', 'opens on this machine only'],
    ['http://rep.example.org', 'warn', 'is not https'],
    ['https://example.org/fathom', 'warn', 'its own host'],
    ['https://rep.example.org', 'ok', 'linked at https://rep.example.org/link'],
  ])('says whether wallets can be linked at “%s”', async (url, level, words) => {
    const token = { TELEGRAM_TOKEN: TOKEN, TELEGRAM_API_URL: NOWHERE };
    const { found } = await examine(workplace(), { ...token, PUBLIC_URL: url });
    expect(found.linking).toEqual({ level, text: expect.stringContaining(words) });
  });

  it('warns of what a public address lacks, until it is there', async () => {
    const telegram = await TelegramStandIn.open();
    onTestFinished(() => telegram.close());
    const token = { TELEGRAM_TOKEN: telegram.token, TELEGRAM_API_URL: telegram.apiUrl };
    const PUBLIC_URL = 'https://rep.example.org';
    const { code, found } = await examine(workplace(), { ...token, PUBLIC_URL });
    expect(code).toBe(0);
    expect(found).toMatchObject({
      proxy: { level: 'warn', text: expect.stringContaining('share its rate limit') },
      'ethereum node': { level: 'warn', text: expect.stringContaining('Safe') },
      'algorand indexer': { level: 'warn', text: expect.stringContaining('with its old key') },
    });
    const complete = await examine(workplace(), {
      ...{ ...token, PUBLIC_URL, TRUST_PROXY: '10.0.0.0/8' },
      ...{ ETHEREUM_RPC_URL: 'http://127.0.0.1:1', ALGORAND_INDEXER_URL: 'http://127.0.0.1:1' },
    });
    expect(complete.found).not.toHaveProperty('proxy');
    expect(complete.found['ethereum node']?.text).not.toContain('is not set');
    expect(complete.found['algorand indexer']?.text).not.toContain('is not set');
    const local = await examine(workplace(), { ...token, PUBLIC_URL: 'http://rep.example.org' });
    expect(local.found).not.toHaveProperty('proxy');
  });

  it('tries the tokens, and says which one is wrong', async () => {
    const discord = new DiscordStandIn();
    await discord.open();
    onTestFinished(() => discord.close());
    const telegram = await TelegramStandIn.open();
    onTestFinished(() => telegram.close());
    const apis = { DISCORD_API_URL: discord.apiUrl, TELEGRAM_API_URL: telegram.apiUrl };
    const right = { DISCORD_TOKEN: discord.token, TELEGRAM_TOKEN: telegram.token };
    const good = await examineInTime(workplace(), { ...apis, ...right });
    expect(good.code).toBe(0);
    expect(good.found['discord token']).toMatchObject({ level: 'ok' });
    expect(good.found['telegram token']).toMatchObject({ level: 'ok' });
    const wrong = { DISCORD_TOKEN: 'not-a-token-of-theirs', TELEGRAM_TOKEN: `${TOKEN}-not` };
    const { code, found, lines } = await examineInTime(workplace(), { ...apis, ...wrong });
    expect(code).toBe(1);
    expect(found['discord token']?.text).toMatch(/^Discord rejects the token\..*set DISCORD_TOKEN/);
    expect(found['telegram token']?.text).toMatch(/^Telegram rejects the token.*TELEGRAM_TOKEN/);
    expect(JSON.stringify(lines)).not.toContain(TOKEN);
  });

  it('waits for an unresponsive platform no longer than it says', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    onTestFinished(() => {
      silent.close();
      for (const socket of sockets) socket.destroy();
    });
    const { port } = silent.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const apis = { DISCORD_API_URL: url, TELEGRAM_API_URL: url };
    const tokens = { DISCORD_TOKEN: 'a-token-of-discord', TELEGRAM_TOKEN: TOKEN };
    const { found } = await examine(workplace(), { ...apis, ...tokens });
    expect(found['discord token']?.text).toContain('did not respond within 5 s');
    expect(found['telegram token']?.text).toContain('did not respond within 5 s');
  });

  it('queries the nodes that proofs use, and does not show their keys', async () => {
    const { lines } = await examine(workplace(), {
      TELEGRAM_TOKEN: TOKEN,
      TELEGRAM_API_URL: NOWHERE,
      ETHEREUM_RPC_URL: 'http://127.0.0.1:1/kEyInPaTh',
    });
    const node = lines.find(([, subject]) => subject === 'ethereum node');
    expect(node?.[0]).toBe('fail');
    expect(JSON.stringify(lines)).not.toContain('kEyInPaTh');
  });

  it('checks the upstream if one is configured', async () => {
    const above = await serveHere();
    onTestFinished(() => above.stop());
    const good = await examine(workplace(), { DATABASE_URL: '', UPSTREAM_URL: above.url });
    expect(good.code).toBe(0);
    expect(good.found.upstream).toEqual({
      level: 'ok',
      text: expect.stringMatching(/\/v1 is reachable, with 3,000 wallets$/),
    });
    expect(good.found['upstream key']?.text).toContain('UPSTREAM_API_KEY');
    expect(good.found.database?.text).toContain('lost on restart');
    expect(good.found).not.toHaveProperty('upstream tiers');
    const TIERS = 'titan=1000000,whale=7,shark=6,dolphin=5';
    const other = await examine(workplace(), { DATABASE_URL: '', UPSTREAM_URL: above.url, TIERS });
    expect(other.found['upstream tiers']).toMatchObject({
      level: 'warn',
      text: expect.stringMatching(/Titan, which would be Whale here/),
    });
    const elsewhere = `${above.url}/docs`;
    const bad = await examine(workplace(), { DATABASE_URL: '', UPSTREAM_URL: elsewhere });
    expect(bad.code).toBe(1);
    expect(bad.found.upstream?.text).toContain('has no such resource; check UPSTREAM_URL');
  });

  it('warns that nothing is configured', async () => {
    const { code, found } = await examine(workplace(), { DATABASE_URL: '' });
    expect(code).toBe(0);
    expect(found.database).toEqual({
      level: 'warn',
      text: expect.stringContaining('DATABASE_URL'),
    });
  });

  it('warns of a database that does not exist yet, and does not create it', async () => {
    const place = workplace();
    const { code, found } = await examine(place);
    expect(code).toBe(0);
    expect(found.database).toEqual({
      level: 'warn',
      text: expect.stringContaining('fathom import'),
    });
    expect(existsSync(place.database)).toBe(false);
  });

  it('warns of an empty one, as a start that was killed leaves it', async () => {
    const place = workplace({ 'fathom.db': '' });
    const { code, found } = await examine(place);
    expect(code).toBe(0);
    expect(found.database).toEqual({
      level: 'warn',
      text: expect.stringContaining('fathom import'),
    });
    expect(readFileSync(place.database, 'utf8')).toBe('');
  });

  it("fails for another kind of database's URL, before anything else", async () => {
    const { lines } = await examine(workplace(), { DATABASE_URL: 'mysql://u@127.0.0.1/fathom' });
    expect(lines).toEqual([['fail', 'configuration', expect.stringMatching(/^DATABASE_URL: /)]]);
  });

  it('names a log beside a database that this user may not write', async () => {
    const place = await withData();
    writeFileSync(`${place.database}-wal`, '', { mode: 0 });
    // Root may write everything.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
    if (nobody !== undefined) {
      for (const path of [place.cwd, place.database]) chownSync(path, nobody.uid, nobody.gid);
    }
    const env = { ...place.env, ...ANY_PORT, ...NO_ENV_FILE, PATH: process.env.PATH };
    for (const command of ['doctor', 'keys list']) {
      const child = spawn(process.execPath, [...SOURCES, ...command.split(' ')], {
        cwd: place.cwd,
        env,
        ...nobody,
      });
      const { code, stdout, stderr } = await finished(child);
      expect(code).toBe(1);
      expect(stdout + stderr).toContain(`${place.database}-wal`);
    }
  });

  it('warns of a database without data', async () => {
    const place = workplace();
    await place.runHere(['keys', 'list']);
    const { code, found } = await examine(place);
    expect(code).toBe(0);
    expect(found.data).toEqual({ level: 'warn', text: expect.stringContaining('fathom import') });
  });

  it('prints a line for every invalid variable', async () => {
    const { code, lines } = await examine(workplace(), { PORT: 'x', TIERS: 'none' });
    expect(code).toBe(1);
    expect(lines).toEqual([
      ['fail', 'configuration', expect.stringMatching(/^PORT: /)],
      ['fail', 'configuration', expect.stringMatching(/^TIERS: /)],
    ]);
  });

  it('fails for a file that is not a database, and leaves it unchanged', async () => {
    const content = 'something else entirely '.repeat(50);
    const place = workplace({ 'fathom.db': content });
    const { code, found } = await examine(place);
    expect(code).toBe(1);
    expect(found.database).toEqual({
      level: 'fail',
      text: expect.stringContaining("isn't an SQLite database"),
    });
    expect(readFileSync(place.database, 'utf8')).toBe(content);
  });

  it("fails for another program's database, and leaves it unchanged", async () => {
    const place = workplace();
    const db = new DatabaseSync(place.database);
    db.exec('CREATE TABLE notes (text TEXT)');
    db.close();
    const before = readFileSync(place.database);
    const { code, found } = await examine(place);
    expect(code).toBe(1);
    expect(found.database).toEqual({
      level: 'fail',
      text: expect.stringContaining("another program's"),
    });
    expect(readFileSync(place.database).equals(before)).toBe(true);
  });

  it('fails for a schema that lacks columns, and names the first ones', async () => {
    const place = await withData();
    const db = new DatabaseSync(place.database);
    db.exec('ALTER TABLE gate_bar DROP COLUMN gone; DROP TABLE card_style');
    db.close();
    const { code, found } = await examine(place);
    expect(code).toBe(1);
    expect(found.schema).toEqual({
      level: 'fail',
      text: expect.stringMatching(
        /: gate_bar\.gone, card_style\.platform, .*, card_style\.banner_digest, … isn't there\./,
      ),
    });
  });

  it('fails for a damaged database', async () => {
    const place = await withData();
    const bytes = readFileSync(place.database);
    // After the first page, which says what the file is.
    bytes.fill(0x5a, 4096 * 2, 4096 * 12);
    writeFileSync(place.database, bytes);
    const { code, lines } = await examine(place);
    expect(code).toBe(1);
    expect(lines).toContainEqual(['fail', expect.any(String), expect.stringMatching(/damaged/)]);
  });

  it('fails for a folder in place of the file', async () => {
    const place = workplace();
    const { code, found } = await examine(place, { DATABASE_URL: `sqlite:${place.cwd}` });
    expect(code).toBe(1);
    expect(found.database).toEqual({ level: 'fail', text: expect.stringContaining('not a file') });
  });

  it('warns of a port in use, as it is while the service runs', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, found } = await examine(workplace(), { PORT: String(port) });
    expect(code).toBe(0);
    expect(found.port).toEqual({ level: 'warn', text: expect.stringContaining('is in use') });
  });

  it.each([
    [
      'the same port twice',
      { PORT: '8123', METRICS_PORT: '8123' },
      'METRICS_PORT: is 8123, the same as PORT',
    ],
    [
      "an address of another machine's",
      { HOST: '192.0.2.1', PORT: '8123' },
      'not an address of this machine',
    ],
  ])('fails for %s', async (_, changes, words) => {
    const { code, lines } = await examine(workplace(), changes);
    expect(code).toBe(1);
    expect(lines).toContainEqual(['fail', expect.any(String), expect.stringContaining(words)]);
  });

  it('works during an import', async () => {
    const place = await withData();
    const db = new DatabaseSync(place.database);
    db.exec('BEGIN IMMEDIATE');
    const { code, found } = await examine(place);
    db.close();
    expect(code).toBe(0);
    expect(found.data?.level).toBe('ok');
  });

  it('warns of a half-filled file, and leaves it as it is', async () => {
    const place = await withData();
    const whole = join(place.cwd, 'other.db');
    const db = new DatabaseSync(place.database);
    // As during a copy: pages are in the file before they're committed.
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN IMMEDIATE');
    db.exec("UPDATE wallet SET points = 0; UPDATE activity SET description = 'gone'");
    for (const suffix of ['', '-journal']) cpSync(place.database + suffix, whole + suffix);
    db.close();
    const before = readFileSync(whole);
    const { code, found } = await examine(place, { DATABASE_URL: `sqlite:${whole}` });
    expect(code).toBe(0);
    expect(found.database).toEqual({ level: 'warn', text: expect.stringContaining('unfinished') });
    expect(readFileSync(whole).equals(before)).toBe(true);
    await place.runHere(['keys', 'list'], { DATABASE_URL: `sqlite:${whole}` });
    const { found: then } = await examine(place, { DATABASE_URL: `sqlite:${whole}` });
    expect(then.data?.text).toContain('30 wallets, 300 imported activities');
    expect(then.pages?.level).toBe('ok');
  });

  it('says where a database can be created', async () => {
    const place = workplace();
    const url = `sqlite:${join(place.cwd, 'deep', 'er', 'fathom.db')}`;
    const { found } = await examine(place, { DATABASE_URL: url });
    expect(found.database?.level).toBe('warn');
    expect(found.disk?.text).toContain(place.cwd);
  });
});
