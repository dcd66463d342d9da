import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cliCommands } from '#cli/commands';
import { finished, runCli, runHere, temporaryFolder } from '../support/import-cli.ts';
import { PROGRAM } from '../support/program.ts';
import { START } from '../support/service.ts';

const run = (...args: string[]) => runCli(args, { cwd: temporaryFolder() });
/** Within this process: that a command ends as one of its own, its own tests show. */
const say = (...args: string[]) => runHere(args, {});

describe('the command line', () => {
  it.each(['--help', '-h', 'help'])('lists every command with %s', async (flag) => {
    const { code, stdout, stderr } = await run(flag);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { name, summary } of cliCommands) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
    }
  });

  it('prints only the version of the package', async () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    expect(await run('--version')).toEqual({
      code: 0,
      stdout: `${JSON.parse(manifest).version}\n`,
      stderr: '',
    });
  });

  it('says that its output is a file on a full disk', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [...PROGRAM, '--help'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect(stderr).toBe("Can't write the results: ENOSPC: no space left on device, write.\n");
    expect(status).toBe(1);
  });

  it.each(cliCommands.map(({ name }) => name))('explains %s with --help', async (name) => {
    const { code, stdout, stderr } = await say(...name.split(' '), '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: fathom ${name}`);
    for (const option of Object.keys(cliCommands.find((each) => each.name === name)!.options)) {
      expect(stdout).toMatch(new RegExp(`^ {2}(--[a-z-]+, )*--${option}\\b`, 'm'));
    }
  });

  it.each([
    [[], 'Usage: fathom COMMAND'],
    [['bogus'], 'Unknown command "bogus".'],
    [['keys'], 'Available: "keys create", "keys list", "keys revoke"'],
    [['keys', 'mint'], 'Unknown command "keys mint"'],
    [['serve', 'now'], 'Unexpected argument "now"'],
    [['serve', '--port', '1'], "Unknown option '--port'"],
    [['keys', 'revoke'], 'needs ID.'],
    [['evidence', 'retract', '0x1'], 'needs EVENT and SOURCE.'],
    [['evidence', 'retract', '0x1', 'came'], 'needs SOURCE.'],
    [['keys', 'create', '--label'], '--label'],
    [['--verbose'], 'Unknown command "--verbose".'],
    [['--hlep'], 'Did you mean "--help"?'],
    [['improt', 'x'], 'Unknown command "improt". Did you mean "import"?'],
    [['kyes', 'list'], 'Did you mean "keys list"?'],
    [['import', 'x', '--strct'], "Unknown option '--strct'. Did you mean --strict?"],
    [['import', 'x', '--retry_for', '5'], 'Did you mean --retry-for?'],
  ])('answers %j with usage on standard error and exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await say(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).toContain('Usage: fathom');
  });

  it.each([
    ['keys', '--help'],
    ['help', 'keys'],
  ])('explains a group with %s %s', async (...args) => {
    const { code, stdout } = await run(...args);
    expect(code).toBe(0);
    for (const name of ['create', 'list', 'revoke'])
      expect(stdout).toContain(`fathom keys ${name}`);
  });

  it('explains a command with help before it', async () => {
    expect((await run('help', 'import')).stdout).toBe((await run('import', '--help')).stdout);
  });

  it('runs through a symlink from anywhere, with or without Node in the PATH', async () => {
    const cwd = temporaryFolder();
    const link = join(cwd, 'fathom');
    symlinkSync(fileURLToPath(new URL('../../bin/fathom', import.meta.url)), link);
    const env = { PATH: '/usr/bin:/bin' };
    const child = spawn(link, ['keys', 'revoke'], { cwd, env });
    expect(await finished(child)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs ID'),
    });
    const manifest = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    );
    expect(manifest.bin).toEqual({ fathom: 'bin/fathom' });
  });

  it('serves with the same arguments of Node in every way to start it', () => {
    const textOf = (path: string) =>
      readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    const words = START.join(' ');
    expect(JSON.parse(textOf('package.json')).scripts.start).toBe('exec bin/fathom serve');
    expect(textOf('bin/fathom')).toContain(`flags='${words}'`);
    const image = ['node', ...START, '--import'].map((word) => JSON.stringify(word)).join(', ');
    expect(textOf('Dockerfile')).toContain(`CMD [${image}`);
  });

  it("takes none of npm's own variables for an option that npm has swallowed", () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'package.json'), '{}');
    const printed = spawnSync('npm', ['run', 'env'], { cwd, encoding: 'utf8' }).stdout;
    const names = [...printed.matchAll(/^npm_config_(\w+)=./gm)].map(([, name]) => name);
    expect(names).toContain('prefix');
    const like = cliCommands.filter(({ options }) =>
      Object.keys(options).some((option) => names.includes(option.replaceAll('-', '_'))),
    );
    expect(like.map(({ name }) => name)).toEqual(['rules add']);
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const args = ['run', '--silent', 'fathom', '--', 'rules', 'add', 'no-such-template'];
    const { status, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
    expect(stderr).toContain('There is no template "no-such-template"');
    expect(status).toBe(2);
  });

  it('exits with 1 and prints one line per invalid setting', async () => {
    const env = { PORT: 'http', LOG_LEVEL: 'loud' };
    const { code, stdout, stderr } = await runCli(['serve'], { cwd: temporaryFolder(), env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^PORT: /),
      expect.stringMatching(/^LOG_LEVEL: /),
    ]);
  });
});
