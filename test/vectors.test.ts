import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/* What others publish may be kept if anybody can see from where it is and what allows it. */

const LICENCES = readFileSync('test/LICENCES.md', 'utf8');

const files = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((path) => !path.includes('node_modules'))
  .map((path) => join('test', path))
  .filter((path) => basename(dirname(path)) === 'vectors');

it.each(files)('%s says its source with the version, and its licence, and is small', (path) => {
  const { source, licence } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  const row = LICENCES.split('\n').find((line) => line.startsWith('|') && line.includes(path));
  // What the project made itself says with what.
  if (row?.includes('| ours | made with ') !== true) {
    expect(source).toMatch(/^(?:packages of )?https:\/\/\S+, .*(?:version|commit) ?/);
    expect(licence).toMatch(/^(?:MIT|BSD-2-Clause|BSD-3-Clause|Apache-2.0|CC0)\b/);
    expect(row).toContain(` ${/^[\w.-]+/.exec(String(licence))?.[0]} |`);
  }
  expect(statSync(path).size).toBeLessThan(64 * 1_024);
});
