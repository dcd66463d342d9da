import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import type { Card } from '#command/cards/card';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, MODERATOR } from '../support/gated-community.ts';
import { GREETING, reportsOf, silence } from '../support/reports.ts';

/* What moderators are told of runs and of checks of single members, once. */

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
});

describe('a report', () => {
  beforeEach(async () => {
    await guild.rule();
    await guild.gated.gating.setLogChannel(guild.community, '55', GREETING, MODERATOR);
    for (let id = 1; id <= 3; id++) await guild.member(id, 6_000);
  });

  it.each([false, true])(
    'that got no response is posted later, once; restarted: %s',
    async (isNew) => {
      silence(guild);
      await guild.pass();
      if (isNew) await guild.restart();
      await guild.gated.watch.tick();
      expect(reportsOf(guild)).toEqual([]);
      guild.adapter.before = () => undefined;
      await guild.gated.watch.tick();
      await guild.restart();
      await guild.gated.watch.tick();
      expect(reportsOf(guild).map(cardText)).toEqual([expect.stringContaining('Granted: 3')]);
    },
  );

  it('is retried with growing pauses, for a day', async () => {
    let tries = 0;
    guild.adapter.before = (call) => {
      if (!call.startsWith('report')) return undefined;
      tries += 1;
      throw new RetryableError('503');
    };
    await guild.pass();
    for (let minute = 0; minute < 60; minute++) {
      guild.now += 60;
      await guild.gated.watch.tick();
    }
    expect(tries).toBeGreaterThan(4);
    expect(tries).toBeLessThan(10);
    guild.now += 86_400;
    await guild.gated.watch.tick();
    expect(await guild.store.gating.unreportedRuns(9)).toEqual([]);
  });

  it("isn't posted again after a restart", async () => {
    await guild.pass();
    await guild.restart();
    await guild.gated.watch.tick();
    expect(reportsOf(guild)).toHaveLength(1);
  });

  /** Minutes of the process's upkeep. */
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute++) {
      guild.now += 60;
      await guild.gated.watch.tick();
    }
  };

  it.each([
    ['is open again', async () => void guild.adapter.closed.clear()],
    [
      'gives way to another one',
      async () =>
        void (await guild.gated.gating.setLogChannel(guild.community, '56', GREETING, MODERATOR)),
    ],
  ])('refused by its channel is kept until that %s, also by the next process', async (_, mend) => {
    guild.adapter.closed.add('55');
    await guild.pass();
    await minutes(10);
    await guild.restart();
    await minutes(10);
    expect(reportsOf(guild)).toEqual([]);
    await mend();
    await minutes(60);
    expect(reportsOf(guild).map(cardText)).toEqual([expect.stringContaining('Granted: 3')]);
  });

  it('refused by its channel for a day is left to the log, and asked for less and less', async () => {
    let tries = 0;
    guild.adapter.closed.add('55');
    guild.adapter.before = (call) => {
      if (call === 'report 55') tries += 1;
      return undefined;
    };
    await guild.pass();
    await minutes(60);
    expect(tries).toBeLessThan(10);
    guild.now += 86_400;
    await guild.gated.watch.tick();
    expect(await guild.store.gating.unreportedRuns(9)).toEqual([]);
  });
});

describe('checks of single members', () => {
  const look = async (id: number) => {
    await guild.member(id, 6_000);
    await guild.gated.gating.check(guild.community, String(id));
  };

  it('are one report for 22 links, even with a restart in between', async () => {
    await guild.rule();
    await guild.gated.gating.setLogChannel(guild.community, '55', GREETING, MODERATOR);
    for (let id = 1; id <= 11; id++) await look(id);
    await guild.gated.watch.tick();
    await guild.restart();
    for (let id = 12; id <= 22; id++) await look(id);
    await guild.gated.watch.tick();
    expect(reportsOf(guild)).toEqual([]);
    guild.now += 600;
    await guild.gated.watch.tick();
    await guild.gated.watch.tick();
    expect(reportsOf(guild)).toHaveLength(1);
    expect(cardText(reportsOf(guild)[0] as Card)).toContain('Granted: 22');
    expect(reportsOf(guild)[0]?.file?.text.trim().split('\r\n')).toHaveLength(23);
  });

  it('refused by their channel are kept, the newest hundred of them', async () => {
    await guild.rule();
    await guild.gated.gating.setLogChannel(guild.community, '55', GREETING, MODERATOR);
    guild.adapter.closed.add('55');
    for (let id = 1; id <= 103; id++) await look(id);
    guild.now += 600;
    await guild.gated.watch.tick();
    guild.adapter.closed.clear();
    guild.now += 60;
    await guild.gated.watch.tick();
    expect(reportsOf(guild).map(cardText)).toEqual([expect.stringContaining('Granted: 100')]);
    guild.now += 86_400;
    await guild.gated.watch.tick();
    expect(await guild.store.gating.unreportedRuns(9)).toEqual([]);
  });

  it('name whom they warned, though another replica has reported a thousand others', async () => {
    const { gating } = guild.gated;
    await guild.rule();
    await look(1);
    await gating.setLogChannel(guild.community, '55', GREETING, MODERATOR);
    for (let i = 0; i < 1_000; i++) {
      await gating.reports.report({ run: { id: `other${i}`, cause: 'member' } } as never);
    }
    guild.score(1, 10);
    for (let i = 0; i < 3; i++) {
      guild.now += 1_800;
      await gating.check(guild.community, '1');
    }
    guild.now += 600;
    await guild.gated.watch.tick();
    expect(reportsOf(guild).at(-1)?.file?.text).toContain('warned,,1,');
  });

  it('are reported later if Discord fails, and never if nobody wants reports', async () => {
    await guild.rule();
    await look(1);
    guild.now += 600;
    await guild.gated.watch.tick();
    expect(await guild.store.gating.unreportedRuns(9)).toEqual([]);
    await guild.gated.gating.setLogChannel(guild.community, '55', GREETING, MODERATOR);
    await look(2);
    guild.now += 600;
    guild.adapter.before = (call) => {
      if (call.startsWith('report')) throw new RetryableError('502');
      return undefined;
    };
    await guild.gated.watch.tick();
    guild.adapter.before = () => undefined;
    await guild.gated.watch.tick();
    expect(reportsOf(guild).map(cardText)).toEqual([expect.stringContaining('Granted: 1')]);
  });
});
