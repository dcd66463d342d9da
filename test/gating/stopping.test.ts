import { beforeEach, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { GatedCommunity, MODERATOR } from '../support/gated-community.ts';

/* `/gate stop` during an undo. */

let guild: GatedCommunity;
let given: string;

beforeEach(async () => {
  guild = new GatedCommunity();
  await guild.rule({ graceSeconds: 0 });
  for (let id = 1; id <= 10; id++) await guild.member(id, 6_000);
  given = (await guild.pass())?.run.id ?? '';
});

const stop = () => guild.gated.gating.stop(guild.community, 'discord:2');
const undo = () => guild.gated.gating.undo(guild.community, MODERATOR, given);

it('an undo stops before its next change, and can be resumed', async () => {
  const take = guild.adapter.take.bind(guild.adapter);
  let takes = 0;
  guild.adapter.take = async (...args) => {
    takes += 1;
    if (takes === 3) expect(await stop()).toMatchObject([{ cause: 'undo', undoes: given }]);
    return await take(...args);
  };
  expect(await undo()).toMatchObject({ run: { status: 'stopped', counts: { taken: 3 } } });
  expect(guild.holders()).toHaveLength(7);
  expect((await guild.store.gating.run(given))?.status).toBe('finished');
  expect(await undo()).toMatchObject({ run: { status: 'finished', counts: { taken: 7 } } });
});

it.each(['', 'over a restart'])('an undo that waits for the platform ends %s', async (restart) => {
  let left = 3;
  guild.adapter.before = (call) => {
    if (left <= 0 && /^(take|member)/.test(call)) throw new RetryableError('not connected');
    if (call.startsWith('take')) left -= 1;
    return undefined;
  };
  expect(await undo()).toMatchObject({ run: { status: 'running' } });
  const before = guild.holders();
  expect(await stop()).toHaveLength(1);
  guild.adapter.before = () => undefined;
  if (restart !== '') await guild.restart();
  await guild.gated.watch.begin();
  await guild.gated.watch.tick();
  expect(guild.holders()).toEqual(before);
  expect(await guild.store.gating.openRuns()).toEqual([]);
  expect(await stop()).toEqual([]);
});
