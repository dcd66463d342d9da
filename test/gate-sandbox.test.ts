import { expect, it, onTestFinished } from 'vitest';
import { GateSandbox } from '#app/demo/gate-sandbox';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { cardText } from './support/card-text.ts';
import { linkingWith } from './support/linking.ts';
import { silentLog } from './support/log.ts';

it('The sandbox of /gate keeps a server for each recent page, and starts over for an old one', async () => {
  const linking = linkingWith();
  const sandbox = new GateSandbox({
    thresholds: DEFAULT_THRESHOLDS,
    linksOf: (caller) => linking.of(caller),
    log: silentLog,
  });
  onTestFinished(() => sandbox.close());
  const gate = async (page: number, args: Record<string, string>) => {
    const caller = { platform: 'web', id: String(page) } as const;
    return cardText(await sandbox.answer({ command: 'gate', args }, caller, 'en'));
  };
  const [first, last] = [1, 32];
  await gate(first, { action: 'add', role: '@Dolphins', tier: 'dolphin' });
  await Promise.all(Array.from({ length: last - 1 }, (_, i) => gate(i + 2, { action: 'list' })));
  expect(await gate(first, { action: 'list' })).toContain('Dolphins');
  for (let page = last + 1; page <= 2 * last; page++) await gate(page, { action: 'list' });
  const anew = await gate(first, { action: 'list' });
  expect(anew).toContain('Whales');
  expect(anew).not.toContain('Dolphins');
});
