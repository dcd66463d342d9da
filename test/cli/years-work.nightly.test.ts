import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { finished, temporaryFolder } from '../support/import-cli.ts';
import { dump, faultsOf } from '../support/import-dump.ts';
import { activityLine, mixedLines, ndjson } from '../support/import-lines.ts';
import { NO_ENV_FILE, PROGRAM, SAME_PRIORITY } from '../support/program.ts';
import { type Service, startService } from '../support/service.ts';

/** Today, for the guide's commands. */
const DAY = '2026-11-30';

const GUIDE = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8');

/** The commands of the guide under that name. */
function commandsOf(name: string): string[] {
  const block = new RegExp(`<!-- tried: ${name} -->\\n\`\`\`sh\\n([^\`]+)\`\`\``).exec(GUIDE)?.[1];
  return (block ?? '').trim().split('\n');
}

const git = (cwd: string, ...options: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...options], {
    ...{ cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  }).trim();

/** A clone of a repository that has released v0, v1 and v2, at v0. */
function released(folder: string): string {
  const [origin, checkout] = [join(folder, 'origin'), join(folder, 'checkout')];
  mkdirSync(origin);
  git(origin, 'init', '--initial-branch=main');
  for (const version of ['v0', 'v1', 'v2']) {
    git(origin, 'commit', '--allow-empty', '--message', version);
    git(origin, 'tag', version);
  }
  git(folder, 'clone', origin, checkout);
  git(checkout, 'checkout', '--detach', 'v0');
  return checkout;
}

/** A machine with a database, and whatever the guide's commands need there. */
function machine() {
  const folder = temporaryFolder();
  const database = join(folder, 'fathom.db');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const words = [process.execPath, ...SAME_PRIORITY, ...PROGRAM];
  const quoted = words.map((word) => `'${word}'`).join(' ');
  writeFileSync(join(bin, 'fathom'), `#!/bin/sh\nexec ${quoted} "$@"\n`);
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\n');
  writeFileSync(join(bin, 'date'), `#!/bin/sh\necho ${DAY}\n`);
  for (const each of ['fathom', 'npm', 'date']) chmodSync(join(bin, each), 0o755);
  const checkout = released(folder);
  let service: Service | undefined;
  onTestFinished(async () => void (await service?.stop()));
  const env = { DATABASE_URL: `sqlite:${database}` };

  async function run(command: string, backups: string, input = '', to = 'v1') {
    if (command === 'systemctl stop fathom') return void (await service?.stop());
    if (command === 'systemctl start fathom') {
      service = await startService(env);
      return;
    }
    const child = spawn('sh', ['-c', command], {
      cwd: checkout,
      env: {
        ...{ PATH: `${bin}:${process.env.PATH}`, BACKUPS: backups, DAY, ...{ OLD: 'v0', NEW: to } },
        ...{ ...NO_ENV_FILE, ...env },
      },
    });
    child.stdin.end(input);
    const { code, stderr } = await finished(child);
    expect({ command, code, stderr }).toMatchObject({ code: 0 });
  }

  return {
    database,
    run,
    /** The version that runs. */
    version: () =>
      execFileSync('git', ['describe', '--tags'], { cwd: checkout, encoding: 'utf8' }).trim(),
    async follow(name: string, backups: string, to?: string) {
      const commands = commandsOf(name);
      expect(commands[0]).not.toBe('');
      for (const command of commands) await run(command, backups, '', to);
    },
    add: (number: number) =>
      run(
        'fathom import -',
        '',
        ndjson([activityLine('solana', number, { source: `later:${number}` })]),
      ),
    async kill() {
      const child = service?.child;
      if (child === undefined) throw new Error('nothing runs');
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    async ready() {
      const answer = await fetch(`${service?.url}/readyz`);
      return answer.status;
    },
  };
}

it("an operator's year, from the guide alone, loses nothing", async () => {
  const backups = temporaryFolder();
  const here = machine();
  await here.run('fathom import -', '', ndjson(mixedLines(200)));
  await here.run('systemctl start fathom', '');

  await here.follow('back up', backups);
  const monday = dump(here.database);

  // Killed, with what came in since in its log.
  await here.add(1);
  await here.kill();
  expect(existsSync(`${here.database}-wal`)).toBe(true);
  await here.follow('restore', backups);
  expect(await here.ready()).toBe(200);
  expect(dump(here.database)).toEqual(monday);
  await here.add(1);

  const there = machine();
  const moving = dump(here.database);
  await here.follow('move', backups);
  await there.follow('move in', backups);
  expect(await there.ready()).toBe(200);
  expect(dump(there.database)).toEqual(moving);

  await there.follow('upgrade', backups);
  await there.add(2);
  expect(await there.ready()).toBe(200);
  await there.run('systemctl stop fathom', '');

  // What a newer version leaves, which this one then refuses.
  const upgraded = new DatabaseSync(there.database);
  upgraded.exec('CREATE TABLE of_the_newer_version (x); PRAGMA user_version = 9999');
  upgraded.close();
  await expect(there.run('systemctl start fathom', '')).rejects.toThrow(/newer Fathom/);
  await there.follow('roll back', backups);
  expect(await there.ready()).toBe(200);
  expect(dump(there.database)).toEqual(moving);
  expect(faultsOf(there.database)).toEqual([]);
  expect(there.version()).toBe('v0');

  // Later in the year: no backup has the name of an earlier one.
  await there.follow('upgrade', backups, 'v2');
  expect(there.version()).toBe('v2');
  expect(await there.ready()).toBe(200);
});

it('An operator is shown the newest release, or the newest commit if there is none', () => {
  const folder = temporaryFolder();
  const checkout = released(folder);
  const origin = join(folder, 'origin');
  const versions = () => {
    const commands = [...commandsOf('versions'), 'git checkout "$NEW"', 'echo "$OLD $NEW"'];
    const said = execFileSync('sh', ['-ec', commands.join('\n')], {
      ...{ cwd: checkout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    });
    return said.trim().split(' ');
  };
  git(origin, 'commit', '--allow-empty', '--message', 'after v2');
  expect(versions()).toEqual(['v0', 'v2']);
  for (const at of [origin, checkout]) git(at, 'tag', '--delete', 'v0', 'v1', 'v2');
  const [before = '', newest] = versions();
  expect(newest).toBe(git(origin, 'rev-parse', 'main'));
  git(checkout, 'checkout', before);
  expect(git(checkout, 'log', '-1', '--format=%s')).toBe('v2');
});
