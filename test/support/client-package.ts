import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './program.ts';

export const CLIENT = join(ROOT, 'client');
export const OPENAPI_FETCH = join(ROOT, 'node_modules/openapi-fetch');

/** A folder in which the client is built and installed as from the registry. */
export interface InstalledClient {
  readonly folder: string;
  /** The built client. */
  readonly dist: string;
  remove(): void;
}

export async function installClient(): Promise<InstalledClient> {
  const folder = mkdtempSync(join(tmpdir(), 'fathom-client-'));
  const installed = join(folder, 'node_modules/@fathom-reputation/client');
  const dist = join(installed, 'dist');
  mkdirSync(installed, { recursive: true });
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', CLIENT, '--outDir', dist]);
  writeFileSync(join(installed, 'package.json'), readFileSync(join(CLIENT, 'package.json')));
  symlinkSync(OPENAPI_FETCH, join(folder, 'node_modules/openapi-fetch'));
  return { folder, dist, remove: () => rmSync(folder, { recursive: true }) };
}
