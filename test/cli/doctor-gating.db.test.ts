import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '#app/config';
import { checkGating } from '#cli/doctor/services';
import type { Rule } from '#gating/rules/rule';
import { openQuietly } from '../support/filled-store.ts';
import { ruleOf } from '../support/gate-records.ts';
import { temporaryFolder } from '../support/import-cli.ts';

/** What doctor says of a community with these rules. */
async function said(rules: readonly Rule[]) {
  const env = { DATABASE_URL: `sqlite:${join(temporaryFolder(), 'f.db')}` };
  const store = await openQuietly(env.DATABASE_URL);
  for (const each of rules) await store.gating.putRule(each);
  await store.close();
  const { stdout, stderr } = process;
  return await checkGating(loadConfig(env), { env, stdout, stderr }, true);
}

it('Doctor counts the rules that can’t give what they should, with the reason', async () => {
  const gone = Array.from({ length: 7 }, (_, i) =>
    ruleOf(`gon${i}`, { grant: `60${i}`, grantName: `Gone ${i}`, paused: 'no-role' }),
  );
  const closed = ruleOf('nott', { grant: '700', grantName: 'Too high', paused: 'not-allowed' });
  const own = ruleOf('mode', { grant: '800', paused: 'moderator' });
  const found = await said([ruleOf('work'), own, closed, ...gone]);
  expect(found.map(({ level }) => level)).toEqual(['warn', 'warn']);
  const texts = found.map(({ text }) => text);
  expect(texts).toContainEqual(expect.stringMatching(/^1 of 10 rules .*Too high.*\/gate list/));
  expect(texts).toContainEqual(
    expect.stringMatching(/^7 of 10 rules .*Gone 0, .*Gone 4, ….*deleted/),
  );
});

it('Doctor is content with rules that work or that moderators have paused', async () => {
  const found = await said([ruleOf('work'), ruleOf('mode', { grant: '8', paused: 'moderator' })]);
  expect(found).toEqual([
    { subject: 'gating', level: 'ok', text: '2 rules, none stopped by its platform' },
  ]);
  expect(await said([])).toEqual([]);
});
