import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const unit = readFileSync(join(root, 'docs/fathom.service'), 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it.runIf(hasSystemd)(
  `systemd accepts the unit${hasSystemd ? '' : ' (skipped: no systemd)'}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const copy = join(folder, 'fathom.service');
    // `verify` requires the program to exist.
    writeFileSync(copy, unit.replaceAll('/opt/fathom', root.replace(/\/$/, '')));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  },
);

it('The unit of systemd gives the unit more time than a shutdown takes, and lets V8 compile', () => {
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(10);
  expect(unit).not.toMatch(/^MemoryDenyWriteExecute=(?:yes|true)/m);
  const operate = readFileSync(join(root, 'docs/operate.md'), 'utf8');
  for (const path of ['docs/fathom.service', '/opt/fathom', '/var/lib/fathom/fathom.db']) {
    expect(operate).toContain(path);
  }
});
