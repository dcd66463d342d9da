import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { formatTime } from '#base/time/time';
import { startCli, workplace } from '../support/import-cli.ts';
import { openEnsNode } from '../support/names/ens-node.ts';
import { patienceMs } from '../support/patience.ts';
import { NO_ENV_FILE, PROGRAM, SAME_PRIORITY } from '../support/program.ts';

const ANN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const BOB = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const ERIN = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';

const GUESTS = `Name;Wallet;Checked in;Hours
Ann; ${ANN} ;25/03/2026 10:00;3
"Bob ""B""; Jr";${BOB.toLowerCase()};03/04/2026 09:30;2
`;
const SAID = ['--event', 'attended', '--time-zone', 'Europe/Berlin'];

type Place = ReturnType<typeof workplace>;

/** The events that a database has. */
function events({ database }: Place): Record<string, unknown>[] {
  const db = new DatabaseSync(database, { timeout: patienceMs(60_000) });
  try {
    const rows = db
      .prepare(
        `SELECT address, evidence_input.name AS event, evidence.time, place AS source, args FROM evidence
         JOIN evidence_input ON evidence_input.number = evidence.input
         JOIN wallet ON wallet.id = evidence.wallet ORDER BY address, event, place`,
      )
      .all();
    return rows.map(({ time, ...row }) => ({ ...row, timestamp: formatTime(Number(time)) }));
  } finally {
    db.close();
  }
}

/** Types an answer after each question. */
async function inTerminal(place: Place, args: readonly string[], answers: readonly string[]) {
  const words = [process.execPath, ...SAME_PRIORITY, ...PROGRAM, ...args];
  const typed = words.map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', typed, '/dev/null'], {
    cwd: place.cwd,
    env: { PATH: process.env.PATH ?? '', ...NO_ENV_FILE, ...place.env, TERM: 'dumb' },
  });
  let output = '';
  let [from, next] = [0, 0];
  for await (const text of child.stdout) {
    output += String(text);
    const asked = output.slice(from).search(/(?:^> |\[y\/N\] )/m);
    if (asked === -1) continue;
    from = output.length;
    child.stdin.write(`${answers[next++] ?? ''}\n`);
  }
  if (child.exitCode === null) await once(child, 'close');
  return { output, code: child.exitCode };
}

describe('fathom import of a spreadsheet', () => {
  it('shows what it understood, and imports nothing that it guessed without --yes', async () => {
    const place = workplace({ 'guests.csv': GUESTS });
    const { code, stderr } = await place.runHere(['import', 'guests.csv', ...SAID]);
    expect(code).toBe(2);
    expect(stderr).toContain(`--map 'address="Wallet",timestamp="Checked in"'`);
    expect(stderr).toMatch(new RegExp(`2 +${ANN} +attended +2026-03-25T09:00:00Z`));
    // The other row proves that the day comes first.
    expect(stderr).toContain('2026-04-03T07:30:00Z');
    expect(existsSync(place.database)).toBe(false);
  });

  it('imports it with all said, twice as once, and from a pipe too', async () => {
    const place = workplace({ 'guests.csv': GUESTS });
    const args = [
      ...SAID,
      ...['--map', 'address=Wallet,timestamp="Checked in",hours=Hours'],
      ...['--source', 'workshop-12:{row}'],
    ];
    const first = await place.runHere(['import', 'guests.csv', ...args]);
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toMatch(/Events added +2\n/);
    const piped = await place.run(
      ['import', '-', ...args],
      Buffer.from(`\ufeff${GUESTS}`, 'utf16le'),
    );
    expect(piped.stderr).toMatch(/Events already known +2\n/);
    expect(events(place)).toEqual([
      expect.objectContaining({
        address: ANN,
        event: 'attended',
        timestamp: '2026-03-25T09:00:00Z',
        source: 'workshop-12:2',
        args: '{"hours":"3"}',
      }),
      expect.objectContaining({ address: BOB, source: 'workshop-12:3' }),
    ]);
  });

  it('refuses rows one by one, with what is wrong and nothing raw in the terminal', async () => {
    const hostile = '\u001b]0;x\u0007=cmd|calc\u009b31m\u202e';
    const place = workplace({
      'guests.csv': `Wallet,When\n${ANN},25/03/2026 10:00\n${hostile},25/03/2026 10:00\n${BOB},29/03/2026 02:30\n${BOB},${hostile}\n,25/03/2026 10:00\nerin.eth,25/10/2026 12:00\n${BOB},26/10/2025 02:30\n`,
    });
    const { code, stderr } = await place.runHere(['import', 'guests.csv', ...SAID, '--yes']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Events added +1\n/);
    for (const text of [stderr, place.read('guests.refused.ndjson')]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    }
    const lines = place.read('guests.refused.ndjson').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { line: 3, code: 'invalid-address' },
      { line: 4, code: 'bad-timestamp', reason: expect.stringContaining("doesn't exist in") },
      { line: 5, code: 'bad-timestamp' },
      { line: 6, code: 'invalid-address' },
      { line: 7, code: 'unknown-name', reason: expect.stringContaining('ETHEREUM_RPC_URL') },
      { line: 8, code: 'ambiguous-time', reason: expect.stringContaining('--twice') },
    ]);
  });

  it('never guesses how an ambiguous date is meant', async () => {
    const place = workplace({ 'guests.csv': `Wallet,When\n${ANN},03/04/2026\n` });
    const run = (...more: string[]) =>
      place.runHere(['import', 'guests.csv', '--event', 'attended', '--yes', ...more]);
    const asked = await run();
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('--date-order');
    expect((await run('--date-order', 'mdy')).code).toBe(0);
    expect(events(place)).toMatchObject([{ timestamp: '2026-03-04T00:00:00Z' }]);
  });

  it('knows a POAP export and bare lists of addresses, and imports nothing in a dry run', async () => {
    const place = workplace({
      'poap.csv': `ID,Collection,ENS,Minting Date,Tx Count,Power\n6543210,${ANN.toLowerCase()},,"Tue, 15 Dec 2025 14:30:00 GMT",1,12\n`,
      'list.csv': `${ANN}\n${BOB}\n`,
    });
    const list = ['import', 'list.csv', '--event', 'joined', '--at', '2026-03-04', '--yes'];
    const dry = await place.runHere([...list, '--dry-run']);
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing was imported') });
    expect(events(place)).toEqual([]);
    expect((await place.runHere(['import', 'poap.csv', '--event', 'met', '--yes'])).code).toBe(0);
    expect((await place.runHere(list)).code).toBe(0);
    expect(events(place)).toMatchObject([
      { address: ANN, event: 'joined', timestamp: '2026-03-04T00:00:00Z' },
      { address: ANN, event: 'met', source: 'poap:6543210', timestamp: '2025-12-15T14:30:00Z' },
      { address: BOB, event: 'joined' },
    ]);
  });

  it('looks names up, shows them first, and keeps the address that they meant', async () => {
    const node = await openEnsNode();
    node.forward.set('erin.eth', ERIN);
    const place = workplace({ 'guests.csv': `Wallet,When\nErin.eth,2026-03-04\n` });
    const args = ['import', 'guests.csv', '--event', 'attended'];
    const said = [
      ...[...args, '--map', 'address=Wallet,timestamp=When'],
      ...['--source', 'workshop-12'],
    ];
    const shown = await place.runHere(said, { ETHEREUM_RPC_URL: node.url });
    expect(shown.code).toBe(2);
    expect(shown.stderr).toMatch(new RegExp(`erin\\.eth +${ERIN}`));
    const sure = await place.runHere([...said, '--yes'], { ETHEREUM_RPC_URL: node.url });
    expect(sure).toMatchObject({ code: 0 });
    expect(place.read('guests.names.csv')).toContain(`erin.eth,${ERIN},`);
    node.forward.set('erin.eth', BOB);
    const again = await place.runHere(said, { ETHEREUM_RPC_URL: node.url });
    expect(again.stderr).toMatch(/Events already known +1\n/);
    expect(events(place)).toMatchObject([{ address: ERIN }]);
  });

  it('can be killed at any moment and run again', async () => {
    const rows = Array.from(
      { length: 60_000 },
      (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')},2026-03-04\n`,
    );
    const place = workplace();
    writeFileSync(join(place.cwd, 'many.csv'), `Wallet,When\n${rows.join('')}`);
    const args = ['import', 'many.csv', '--event', 'attended', '--yes'];
    const killed = startCli(args, { cwd: place.cwd, env: place.env });
    for await (const text of killed.stderr ?? []) if (String(text).includes('ROW')) break;
    killed.kill('SIGKILL');
    await once(killed, 'close');
    expect((await place.run(args)).code).toBe(0);
    const last = await place.run(args);
    expect(last.stderr).toMatch(/Events already known +60,000\n/);
  });

  it('asks a person in a terminal', async () => {
    const place = workplace({ 'guests.csv': `Wallet,When\n${ANN},03/04/2026 10:00\n` });
    const answers = ['attended', 'ymd', 'dmy', 'Mars/Phobos', 'America/Bogota', 'y'];
    const { output, code } = await inTerminal(place, ['import', 'guests.csv'], answers);
    expect(output).toContain('Answer dmy or mdy.');
    expect(output).toContain('There is no time zone');
    expect(code, output).toBe(0);
    expect(events(place)).toMatchObject([{ event: 'attended', timestamp: '2026-04-03T15:00:00Z' }]);
  });
});
