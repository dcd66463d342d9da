import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cliCommands } from '#cli/commands';
import { runCli, temporaryFolder } from '../support/import-cli.ts';

const run = (...args: string[]) => runCli(args, { cwd: temporaryFolder() });

describe('the command line', () => {
  it.each(['--help', '-h', 'help'])('lists every command with %s', async (flag) => {
    const { code, stdout, stderr } = await run(flag);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { name, summary } of cliCommands) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
    }
  });

  it('prints the version of the package alone', async () => {
    const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    expect(await run('--version')).toEqual({
      code: 0,
      stdout: `${JSON.parse(manifest).version}\n`,
      stderr: '',
    });
  });

  it.each(cliCommands.map(({ name }) => name))('explains %s with --help', async (name) => {
    const { code, stdout, stderr } = await run(...name.split(' '), '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: fathom ${name}`);
    for (const option of Object.keys(cliCommands.find((each) => each.name === name)!.options)) {
      expect(stdout).toMatch(new RegExp(`^ {2}--${option}\\b`, 'm'));
    }
  });

  it.each([
    [[], 'Usage: fathom COMMAND'],
    [['bogus'], 'There is no command "bogus".'],
    [['keys'], 'there are "keys create", "keys list", "keys revoke"'],
    [['keys', 'mint'], 'There is no command "keys mint"'],
    [['serve', 'now'], 'Unexpected argument "now"'],
    [['serve', '--port', '1'], "Unknown option '--port'"],
    [['keys', 'revoke'], 'needs ID'],
    [['keys', 'create', '--label'], '--label'],
    [['--verbose'], 'There is no command "--verbose".'],
  ])('answers %j with usage on standard error and exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).toContain('Usage: fathom');
  });

  it('ends with 1 and a line a fault when the configuration is wrong', async () => {
    const env = { PORT: 'http', LOG_LEVEL: 'loud' };
    const { code, stdout, stderr } = await runCli(['serve'], { cwd: temporaryFolder(), env });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^PORT: /),
      expect.stringMatching(/^LOG_LEVEL: /),
    ]);
  });
});
