import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/import-cli.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/node', import.meta.url));
const MANIFEST = new URL('../../package.json', import.meta.url);

/** A program that says which version of Node it is, or which arguments it was run with. */
function install(path: string, name: string, version: string): string {
  mkdirSync(dirname(path), { recursive: true });
  const script = `#!/bin/sh\nif [ "$1" = -v ]; then echo ${version}; exit; fi\necho ${name} "$@"\n`;
  writeFileSync(path, script, { mode: 0o755 });
  return path;
}

/** What `bin/node a 'b c'` of a checkout does, by the versions of Node it finds. */
function launch(found: { packaged?: string; npms?: string; machines?: string }) {
  const folder = temporaryFolder();
  const launcher = join(folder, 'fathom/bin/node');
  mkdirSync(dirname(launcher), { recursive: true });
  copyFileSync(LAUNCHER, launcher);
  const bin = join(folder, 'fathom/node_modules/.bin/node');
  if (found.packaged !== undefined) install(bin, 'packaged', found.packaged);
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  for (const tool of ['sh', 'dirname', 'readlink'])
    symlinkSync(`/usr/bin/${tool}`, join(tools, tool));
  if (found.machines !== undefined) install(join(tools, 'node'), 'machine', found.machines);
  // As npm sets it: the packages' programs come first.
  const env: Record<string, string> = { PATH: `${dirname(bin)}:${tools}` };
  if (found.npms !== undefined) {
    env.npm_node_execpath = install(join(folder, 'npm/node'), 'npm', found.npms);
  }
  const { status, stdout, stderr } = spawnSync(launcher, ['a', 'b c'], { env, encoding: 'utf8' });
  return { status, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
}

describe("the launcher of the packages' Node", () => {
  it.each([
    [
      'the packaged Node before a newer one',
      { packaged: 'v26.10.0', machines: 'v27.0.0' },
      'packaged',
    ],
    ["the machine's Node without a packaged one", { machines: 'v24.21.0' }, 'machine'],
    [
      "npm's Node where the packaged one doesn't run",
      { packaged: '; exit 127', npms: 'v24.21.1' },
      'npm',
    ],
    [
      "the machine's Node where npm's is too old",
      { npms: 'v20.20.2', machines: 'v25.0.0' },
      'machine',
    ],
  ])('runs %s', (_, found, name) => {
    expect(launch(found)).toEqual({ status: 0, stdout: `${name} a b c`, stderr: '' });
  });

  it.each(['v24.20.9', 'v22.19.0', 'v20.20.2', 'v8.0.0'])(
    'says in one sentence that %s is too old',
    (machines) => {
      expect(launch({ machines })).toEqual({
        ...{ status: 1, stdout: '' },
        stderr: expect.stringMatching(
          `^Fathom needs Node 24\\.21 or newer, and this machine has ${machines}: [^\n]+\\.$`,
        ),
      });
    },
  );

  it('says in one sentence that there is no Node', () => {
    expect(launch({})).toMatchObject({ status: 1, stderr: expect.stringContaining('has none:') });
  });

  it('is of one exact version on every platform, without an install script that runs', () => {
    const { optionalDependencies, allowScripts } = JSON.parse(readFileSync(MANIFEST, 'utf8'));
    const lock = JSON.parse(readFileSync(new URL('package-lock.json', MANIFEST), 'utf8')).packages;
    expect(new Set(Object.values(optionalDependencies)).size).toBe(1);
    for (const [name, version] of Object.entries(optionalDependencies)) {
      expect(lock[`node_modules/${name}`]).toMatchObject({
        ...{ version, optional: true, integrity: expect.stringMatching(/^sha512-/) },
      });
    }
    const scripted = Object.entries<{ hasInstallScript?: boolean }>(lock)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.replace('node_modules/', ''));
    const refused = Object.keys(allowScripts).filter((name) => allowScripts[name] === false);
    expect(new Set(refused)).toEqual(new Set(scripted));
  });
});
