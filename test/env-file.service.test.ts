import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadEnvFile } from '#app/env-file';
import { runCli, temporaryFolder } from './support/import-cli.ts';

/** A project's folder, and another one to start it in. */
function folders(files: { project?: string; working?: string } = {}) {
  const both = { project: temporaryFolder(), working: temporaryFolder() };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(both[name as keyof typeof both], '.env'), text);
  }
  return both;
}

function load(both: ReturnType<typeof folders>, env: Record<string, string> = {}) {
  loadEnvFile(env, both);
  return env;
}

describe('the settings file', () => {
  it("is the project's, and the environment takes precedence", () => {
    const both = folders({ project: 'PORT=1\nLOG_LEVEL=warn\n' });
    expect(load(both, { PORT: '2' })).toEqual({ PORT: '2', LOG_LEVEL: 'warn' });
    expect(load(folders())).toEqual({});
  });

  it("isn't hidden by what npm sets for itself", () => {
    const both = folders({ project: 'NODE=https://eth.example.org\n' });
    const npm = { NODE: '/usr/bin/node', npm_node_execpath: '/usr/bin/node' };
    expect(load(both, { ...npm }).NODE).toBe('https://eth.example.org');
    expect(load(folders(), { ...npm })).not.toHaveProperty('NODE');
    expect(load(both, { NODE: 'https://mine.example.org' }).NODE).toBe('https://mine.example.org');
  });

  it('resolves relative paths against its own folder', () => {
    const both = folders({ project: 'DATABASE_URL=sqlite:./data/fathom.db\n' });
    const path = join(both.project, 'data', 'fathom.db');
    expect(load(both).DATABASE_URL).toBe(`sqlite:${path}`);
    for (const url of ['sqlite::memory:', 'sqlite:/var/lib/f.db', 'postgres://u:p@db/f']) {
      const { DATABASE_URL } = load(folders({ project: `DATABASE_URL=${url}\n` }));
      expect(DATABASE_URL).toBe(url);
    }
  });

  it('can be replaced by one that the environment names', () => {
    const both = folders({ project: 'PORT=1\n', working: 'PORT=2\n' });
    const named = { FATHOM_ENV_FILE: '.env' };
    expect(load(both, named)).toMatchObject({ PORT: '2' });
    expect(() => load(both, { FATHOM_ENV_FILE: 'no-such-file' })).toThrow(
      /^FATHOM_ENV_FILE: .*no-such-file/,
    );
  });

  it.each([
    [
      'begins with a byte order mark',
      '\ufeffDATABASE_URL sqlite:./a.db\n',
      /^DATABASE_URL: line 1 of /,
    ],
    ['has no "="', '# Data\nDATABASE_URL sqlite:./a.db\n', /^DATABASE_URL: line 2 of /],
    ['has no "=", below one that has', 'PORT=1\nPORT 2\n', /^PORT: line 2 of /],
    ['has no "=", above one that has', 'export PORT 2\nPORT=1\n', /^PORT: line 1 of /],
    ['is below an open quote', 'CONTACT="me\nPORT=1\nTIERS=a"\n', /^PORT: line 2 of /],
    ['is of a list for Compose', 'PORT=1\n- HOST=::\n', /^HOST: line 2 of /],
    ['is of a unit for systemd', 'Environment=PORT=1\n', /^PORT: line 1 of /],
    ['is of JSON', '  "PORT": "1",\n', /^PORT: line 1 of /],
    ['is a command', 'set PORT=1\n', /^PORT: line 1 of /],
    ['names no file', 'NODE_EXTRA_CA_CERTS=./ca.pem\n', /^NODE_EXTRA_CA_CERTS: .*\/ca\.pem/],
    ['names a folder', 'NODE_EXTRA_CA_CERTS=.\n', /^NODE_EXTRA_CA_CERTS: .* PEM/],
    ['names no certificate', 'NODE_EXTRA_CA_CERTS=.env\n', /^NODE_EXTRA_CA_CERTS: .* PEM/],
  ])('prevents the start if it has a line that %s', (_, project, words) => {
    expect(() => load(folders({ project }))).toThrow(words);
  });

  it('prevents the start if it is in UTF-16, and not if it has a byte order mark', () => {
    const both = folders();
    writeFileSync(join(both.project, '.env'), '\ufeffPORT=1\r\n', 'utf16le');
    expect(() => load(both)).toThrow(/UTF-8/);
    writeFileSync(join(both.project, '.env'), '\ufeffPORT=1\r\n');
    expect(load(both)).toEqual({ PORT: '1' });
  });

  it("isn't replaced or prevented by lines of another program's that can't be read", () => {
    const both = folders({ project: 'PORT=1\n', working: 'DATABASE_URL mysql\n' });
    expect(load(both)).toEqual({ PORT: '1' });
    writeFileSync(join(both.working, '.env'), 'PORT=2', 'utf16le');
    expect(load(both)).toEqual({ PORT: '1' });
  });

  it('may have empty lines, comments, several lines in quotes, and names in any of them', () => {
    const project =
      'RULES=a.yaml # PORT\n#PORT\n\nOTHER="one\ntwo"\r\nexport PORT=1\nPORT: 2\nTIERS=\nCONTACT # me\nHOST\n';
    expect(load(folders({ project }))).toMatchObject({ PORT: '2', OTHER: 'one\ntwo' });
  });

  it.each([
    ['PORT=1\nNOTE="one\nPORT 2\n"\n', { PORT: '1', NOTE: 'one\nPORT 2\n' }],
    ["NOTE='PORT\nHOST is theirs'\n", { NOTE: 'PORT\nHOST is theirs' }],
    ['PORT=1\nNOTE="\nPORT=2"\n', { PORT: '1', NOTE: '\nPORT=2' }],
  ])('may have lines in quotes that begin with the name of a setting: %j', (project, values) => {
    expect(load(folders({ project }))).toEqual(values);
  });

  it('prevents the start if it is a folder', () => {
    const both = folders();
    mkdirSync(join(both.project, '.env'));
    expect(() => load(both)).toThrow(/\.env is a folder,/);
  });

  it('prevents the start if it is unreadable', () => {
    const both = folders({ project: 'PORT=1\n' });
    chmodSync(both.project, 0o755);
    chmodSync(join(both.project, '.env'), 0o000);
    expect(() => asNobody(() => load(both))).toThrow(/This user can't read .*\.env\./);
  });

  it('prevents the start if another one contradicts it', () => {
    const both = folders({
      project: 'PORT=1\n',
      working: 'PORT=2\nDISCORD_TOKEN=a\nUNRELATED=x\n',
    });
    expect(() => load(both)).toThrow(`${join(both.working, '.env')} sets PORT, DISCORD_TOKEN, but`);
    expect(() => load(folders({ working: 'DATABASE_URL=sqlite:./x.db\n' }))).toThrow(
      /DATABASE_URL/,
    );
  });

  it.each([
    ['the same', 'PORT=1\n'],
    ['of another program', 'NPM_TOKEN=2\n'],
  ])('may be %s', (_, working) => {
    expect(load(folders({ project: 'PORT=1\n', working }))).toEqual({ PORT: '1' });
    const both = folders({ project: 'PORT=1\n' });
    mkdirSync(join(both.working, '.env'));
    expect(load(both)).toEqual({ PORT: '1' });
  });
});

it('The .env file is read from another folder, and doctor reports its faults', async () => {
  const project = copyOfProject();
  const run = (command: string) =>
    runCli([command], { cwd: temporaryFolder(), env: { FATHOM_ENV_FILE: '' }, project });
  writeFileSync(join(project, '.env'), 'PORT=none\n');
  expect(await run('serve')).toMatchObject({ code: 1, stderr: expect.stringMatching(/^PORT: /) });
  rmSync(join(project, '.env'));
  mkdirSync(join(project, '.env'));
  expect(await run('doctor')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^fail +configuration +\S+\.env is a folder/),
  });
});

/** Root may read everything, so drop its rights for a moment. */
function asNobody<T>(work: () => T): T {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

/** A copy of the checked-out program in its own folder. */
function copyOfProject(): string {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const copy = temporaryFolder();
  for (const name of ['src', 'commands', 'package.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}
