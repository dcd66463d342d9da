import { expect, it, onTestFinished } from 'vitest';
import { GateSandbox } from '#app/demo/gate-sandbox';
import { textsFor } from '#command/texts/index';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { cardText } from './support/card-text.ts';
import { silentLog } from './support/log.ts';

it('The sandbox of /gate keeps a server for each recent page, and starts over for an old one', async () => {
  const sandbox = new GateSandbox({
    thresholds: DEFAULT_THRESHOLDS,
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
  const later = await gate(first, { action: 'list' });
  expect(later).toContain('Whales');
  expect(later).not.toContain('Dolphins');
  const announced = await gate(first, { action: 'announce', channel: '#general', from: 'shark' });
  const weekly = await gate(first, { action: 'digest', digest: 'weekly' });
  const { announce, digest, panel: words, tiers } = textsFor('en');
  expect(weekly).toContain(digest.on);
  expect(weekly.split(digest.on)[1]).toContain('#general');
  expect(announced).toContain(`${announce.goTo} *#general*`);
  expect(announced).toContain(announce.tiers(tiers.Shark));
  const setup = await gate(last + 1, { action: 'setup', channel: '#moderators', panel: '#roles' });
  expect(setup).toMatch(new RegExp(`\\*#moderators\\*[^]*${words.settings}: \\*#roles\\*`));
  const panel = await gate(first, { action: 'panel', channel: '#roles' });
  expect(panel).toContain(`${words.isIn} *#roles*`);
  expect(panel).not.toContain(words.waiting);
  const page = { platform: 'web', id: String(first) } as const;
  const posted = await sandbox.posted(page);
  expect(posted && cardText(posted)).toContain(words.title);
  // Once, with the answer that posted it.
  expect(await sandbox.posted(page)).toBeUndefined();
});

it('the sandbox shows the board of its members, and a member their own place', async () => {
  const sandbox = new GateSandbox({ thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  onTestFinished(() => sandbox.close());
  const caller = { platform: 'web', id: '1' } as const;
  const { top: words } = textsFor('en');
  const top = async (args: Record<string, string>) => {
    const call = { command: 'top', args };
    expect(sandbox.answers(call)).toBe(true);
    return await sandbox.answer(call, caller, 'en');
  };
  expect(sandbox.answers({ command: 'top', args: {} })).toBe(false);
  const here = cardText(await top({ board: 'here' }));
  expect(here).toMatch(/🥇 .*@nerea/);
  expect(here).toContain('▸');
  expect(here).not.toContain('@olu');
  expect(here).toContain(words.hidden(2, '2'));
  const me = await top({ board: 'me' });
  expect(me.private).toBe(true);
  const [rank] = words.meShown('4', '|', '').split('|');
  expect(cardText(me)).toContain(rank);
});
