import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig, PLATFORMS, variablesOf } from '#app/config';
import { secretsOf } from '#app/log';
import { UserError } from '#base/errors';
import { type Service, startProgram } from '../support/service.ts';
import { terminal } from '../support/terminal-chat/index.ts';

describe('the list of platforms', () => {
  it('has every folder of src/platforms that declares one, by its name', () => {
    const cwd = new URL('../../src/platforms', import.meta.url).pathname;
    const declaring = globSync('*/index.ts', { cwd }).filter((path) =>
      readFileSync(join(cwd, path), 'utf8').includes(': Platform = '),
    );
    const folders = declaring.map((path) => path.split('/')[0] as string);
    expect(PLATFORMS.map(({ id }) => id).toSorted()).toEqual(folders.toSorted());
  });

  it('has no duplicate id, label or route', () => {
    for (const of of [
      ({ id }: (typeof PLATFORMS)[number]) => id,
      ({ label }: (typeof PLATFORMS)[number]) => label,
      ({ delivery }: (typeof PLATFORMS)[number]) => delivery?.path,
    ]) {
      const values = PLATFORMS.map(of).filter((value) => value !== undefined);
      expect(new Set(values).size).toBe(values.length);
    }
  });
});

const TOKEN = 'terminal-secret-0123456789';
const all = [...PLATFORMS, terminal];

describe('a third platform, with one folder and one line,', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startProgram('terminalChat', { TERMINAL_TOKEN: TOKEN });
  });
  afterAll(async () => void (await service.stop()));

  async function type(text: string, community?: string, token = TOKEN): Promise<Response> {
    return await fetch(`${service.url}/terminal/lines`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ who: 'alice', text, ...(community && { community }) }),
    });
  }
  const textOf = async (response: Response) => ((await response.json()) as { text: string }).text;

  it('answers commands', async () => {
    expect(await textOf(await type('/stats'))).toContain('Shrimp');
    expect((await type('/stats', undefined, 'wrong')).status).toBe(401);
  });

  it('is gated by rules that grant what it has', async () => {
    const added = await textOf(await type('/gate add tier:whale', 'harbour'));
    // A platform with roles would require one.
    expect(added).toContain('Whale');
    const list = await textOf(await type('/gate list', 'harbour'));
    expect(list).toContain('Whales');
    await type('/gate channel', 'harbour');
    expect(await textOf(await type('/gate list', 'harbour'))).toContain('@alice');
  });

  it('is shown by the page, /readyz and the metrics', async () => {
    const page = await (await fetch(service.url)).text();
    expect(page).toContain('<div class="chat terminal" id="terminal"');
    const answer = await fetch(`${service.url}/playground/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ caller: '0'.repeat(32), language: 'en', text: '/top' }),
    });
    expect(await answer.json()).toHaveProperty('terminal.text');
    const ready = await (await fetch(`${service.url}/readyz`)).json();
    expect(ready).toHaveProperty('checks.terminal', { ok: true, detail: 'open' });
  });

  it('has settings that are read, validated, checked for misspellings and kept secret', async () => {
    expect(variablesOf(all)).toContain('TERMINAL_TOKEN');
    const config = loadConfig({ TERMINAL_TOKEN: TOKEN }, all);
    expect(secretsOf(config)).toEqual([TOKEN]);
    const findings = await Promise.all(config.platforms.map(({ check }) => check()));
    expect(findings.flat().map(({ subject }) => subject)).toEqual(['terminal token']);
    expect(() => loadConfig({ TERMINAL_TOKEN: 'x' }, all)).toThrow(UserError);
    // The second is too far from any setting for a variable that may be somebody else's.
    for (const name of ['TERMINAL_TOKNE', 'TERMINAL_BOT_TOKEN']) {
      expect(loadConfig({ [name]: TOKEN }, all).misspelt, name).toHaveLength(1);
    }
  });

  it('is stopped with the others', async () => {
    await service.stop();
    expect(service.output()).toContain('the terminal is closed');
    expect(service.output()).not.toContain(TOKEN);
  });
});
