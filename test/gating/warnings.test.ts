import { beforeEach, describe, expect, it, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { Replica } from '#cluster/replica';
import { textsFor } from '#command/texts/index';
import { memberClaim } from '#gating/runs/claims';
import { GatedCommunity, GROUP, MODERATOR } from '../support/gated-community.ts';
import { NOTE } from '../support/gating-scenes.ts';
import { walletOf } from '../support/import-lines.ts';

let group: GatedCommunity;
let notify: GatedCommunity['adapter']['notify'];

beforeEach(async () => {
  group = new GatedCommunity(GROUP);
  await group.rule({ graceSeconds: 7_200, grant: 'entry' });
  for (const id of [1, 2, 3]) {
    group.score(id, 6_000);
    await group.link(String(id), walletOf(id));
    group.adapter.requests.add(String(id));
    await group.gated.watch.requested(group.community, String(id), 'en');
    group.adapter.join(String(id), 'entry');
  }
  group.adapter.told.length = 0;
  notify = group.adapter.notify.bind(group.adapter);
});

const told = () => group.adapter.told.map(({ account }) => account);
const isIn = () => group.adapter.roles.get('1')?.has('entry') === true;

describe('a warning in Telegram', () => {
  it("that couldn't be sent is sent with the next pass, and the grace period begins then", async () => {
    let failures = 3;
    let tries = 0;
    group.adapter.notify = async (...about) => {
      tries += 1;
      if (failures-- > 0) throw new RetryableError('502');
      return await notify(...about);
    };
    group.score(1, 10);
    await group.hours(3);
    expect(tries).toBe(4);
    expect(told()).toEqual(['1']);
    expect((await group.audit()).filter((row) => row === 'warned 1')).toHaveLength(1);
    await group.hours(1);
    expect(isIn()).toBe(true);
    await group.hours(2);
    expect(isIn()).toBe(false);
    expect(told()).toEqual(['1']);
  });

  it('takes nothing from a member it never reached because of a fault', async () => {
    group.adapter.notify = () => Promise.reject(new RetryableError('502'));
    group.score(1, 10);
    await group.hours(12);
    expect(isIn()).toBe(true);
  });

  it("follows later for a member whom a check found below the bar when it couldn't be sent", async () => {
    let failures = 1;
    group.adapter.notify = async (...about) => {
      if (failures-- > 0) throw new RetryableError('502');
      return await notify(...about);
    };
    group.score(1, 10);
    await group.hours(1);
    group.now += 1_800;
    await group.gated.gating.check(group.community, '1');
    expect(told()).toEqual([]);
    await group.gated.gating.check(group.community, '1');
    expect(told()).toEqual(['1']);
  });

  it("comes in the member's own language, or in the community's if nothing told theirs", async () => {
    const { choices } = group.gated.gating;
    await choices.setLanguage(group.community, 'es', MODERATOR);
    group.score(4, 6_000);
    await group.link('4', walletOf(4));
    group.adapter.requests.add('4');
    await group.gated.watch.requested(group.community, '4', undefined);
    await group.restart();
    group.adapter.told.length = 0;
    for (const id of [1, 4]) group.score(id, 10);
    await group.hours(2);
    const warnings = group.adapter.told.map(({ account, card }) => ({ account, card }));
    expect(warnings).toMatchObject([
      { account: '1', card: { title: textsFor('en').gate.warningTitle, language: 'en' } },
      // Times, too.
      { account: '4', card: { title: textsFor('es').gate.warningTitle, language: 'es' } },
    ]);
  });

  it("that the member doesn't accept is reported to moderators", async () => {
    await group.gated.gating.setLogChannel(group.community, 'log', NOTE, MODERATOR);
    group.adapter.notify = async (_, account) => account !== '1';
    for (const id of [1, 2]) group.score(id, 10);
    await group.hours(1.5);
    const rows = JSON.stringify(group.adapter.reports.at(-1)?.blocks);
    const { warned, warnedUntold } = textsFor('en').gate;
    expect(rows).toMatch(new RegExp(`"1".*${warnedUntold}.*"2".*${warned} ·`));
  });

  it("that the member doesn't accept counts: the grace period runs from the attempt", async () => {
    group.adapter.notify = async () => false;
    group.score(1, 10);
    await group.hours(3);
    expect(isIn()).toBe(true);
    await group.hours(2);
    expect(isIn()).toBe(false);
  });

  describe('that a run and a check of the member are about to send at once', () => {
    beforeEach(async () => {
      for (const id of [1, 2]) group.score(id, 10);
      await group.hours(1);
      group.now += 1_800;
    });

    /** As the run warns the first member. */
    function meanwhile(act: () => Promise<void>): void {
      group.adapter.notify = async (...about) => {
        group.adapter.notify = notify;
        await act();
        return await notify(...about);
      };
    }

    const check = (account: string) => group.gated.gating.check(group.community, account);
    const warned = async () => (await group.audit()).filter((row) => row.startsWith('warned'));

    it('is sent by the check alone if that comes first', async () => {
      meanwhile(async () => void (await check('2')));
      await group.pass();
      expect(told()).toEqual(['2', '1']);
      expect(await warned()).toEqual(['warned 2', 'warned 1']);
    });

    it('is sent by the run alone if the check comes before it is over', async () => {
      let checking: Promise<unknown> = Promise.resolve();
      meanwhile(async () => {
        const waits = Promise.withResolvers<void>();
        const { during } = Replica.prototype;
        const asked = vi.spyOn(Replica.prototype, 'during');
        asked.mockImplementation(async function (this: Replica, claim, work) {
          if (claim === memberClaim(group.community, '1')) waits.resolve();
          return await during.call(this, claim, work);
        });
        checking = check('1').finally(() => asked.mockRestore());
        // Without a claim it would be told twice by now.
        await Promise.race([waits.promise, checking]);
      });
      await group.pass();
      await checking;
      expect(told()).toEqual(['1', '2']);
      expect(await warned()).toEqual(['warned 1', 'warned 2']);
    });
  });
});
