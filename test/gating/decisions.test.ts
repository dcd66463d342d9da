import { beforeEach, describe, expect, it } from 'vitest';
import { noteCard } from '#command/cards/card';
import type { Rule } from '#gating/rules/rule';
import { auditRow } from '../support/gate-records.ts';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';

/* Of two moderators who decide about one thing at once, whoever asked later counts. */

let guild: GatedCommunity;
let rule: Rule;
const gating = () => guild.gated.gating;
const settings = async () => await guild.store.gating.settingsOf(guild.community);
const greeting = noteCard('plain', '-', '-');

beforeEach(async () => {
  guild = new GatedCommunity();
  rule = await guild.rule({});
  await guild.member(1, 6_000);
});

/** Everything that is asked of the platform hangs until `answer` is called, and later questions don't. */
function hang(): () => void {
  const silence = Promise.withResolvers<void>();
  const { adapter } = guild;
  for (const name of ['inspect', 'report', 'member'] as const) {
    const asked = adapter[name].bind(adapter) as (...given: unknown[]) => Promise<never>;
    let times = 0;
    adapter[name] = async (...given: unknown[]) => {
      times += 1;
      if (times === 1) await silence.promise;
      return await asked(...given);
    };
  }
  return silence.resolve;
}

const CASES: Readonly<
  Record<
    string,
    {
      before?: () => Promise<unknown>;
      on: () => Promise<unknown>;
      off: () => Promise<unknown>;
      isOn: () => Promise<boolean>;
    }
  >
> = {
  'a rule': {
    before: () => gating().pause(guild.community, rule.id, MODERATOR),
    on: () => gating().unpause(guild.community, rule.id, MODERATOR),
    off: () => gating().pause(guild.community, rule.id, MODERATOR),
    isOn: async () => (await gating().rulesOf(guild.community))[0]?.paused === undefined,
  },
  'a rule that was never paused': {
    on: () => gating().unpause(guild.community, rule.id, MODERATOR),
    off: () => gating().pause(guild.community, rule.id, MODERATOR),
    isOn: async () => (await gating().rulesOf(guild.community))[0]?.paused === undefined,
  },
  'the ladder': {
    on: () => gating().setLadder(guild.community, true, MODERATOR),
    off: () => gating().setLadder(guild.community, false, MODERATOR),
    isOn: () => gating().isLadder(guild.community),
  },
  'how wallets count': {
    on: () => gating().choices.setWalletMode(guild.community, 'sum', MODERATOR),
    off: () => gating().choices.setWalletMode(guild.community, 'best', MODERATOR),
    isOn: async () => (await settings()).walletMode === 'sum',
  },
  'the channel of reports': {
    on: () => gating().setLogChannel(guild.community, '77', greeting, MODERATOR),
    off: () => gating().setLogChannel(guild.community, undefined, greeting, MODERATOR),
    isOn: async () => (await settings()).logChannel !== undefined,
  },
  protection: {
    on: () => gating().protect(guild.community, '1', true, MODERATOR),
    off: () => gating().protect(guild.community, '1', false, MODERATOR),
    isOn: async () => (await guild.store.gating.member(guild.community, '1'))?.isProtected === true,
  },
};

it.each(Object.entries(CASES))(
  '%s stays off although turning it on is answered late',
  async (_, { before, on, off, isOn }) => {
    await before?.();
    const answer = hang();
    const first = on().catch((error: unknown) => error);
    await new Promise((resolve) => setImmediate(resolve));
    await off();
    answer();
    expect(await first).toMatchObject({ code: 'gate-decided-since' });
    expect(await isOn()).toBe(false);
    await on();
    expect(await isOn()).toBe(true);
  },
);

it('a later decision that is refused leaves an earlier one its effect', async () => {
  const answer = hang();
  const first = gating().setLadder(guild.community, true, MODERATOR);
  await new Promise((resolve) => setImmediate(resolve));
  guild.adapter.lowMakers.add('5');
  const refused = gating().choices.setLadder(guild.community, true, 'discord:5');
  await expect(refused).rejects.toMatchObject({ code: 'gate-roles-above' });
  answer();
  await first;
  expect(await gating().isLadder(guild.community)).toBe(true);
});

it('a later decision for which the platform has no place leaves an earlier one its effect', async () => {
  const answer = hang();
  const first = gating().setLogChannel(guild.community, '77', greeting, MODERATOR);
  guild.adapter.closed.add('78');
  const refused = await gating().setLogChannel(guild.community, '78', greeting, MODERATOR);
  expect(refused).toBe('channel-closed');
  answer();
  expect(await first).toBe(true);
  expect(await settings()).toMatchObject({ logChannel: '77' });
});

it.each([true, false])(
  'an earlier decision waits for a later one that is open: made %s',
  async (isMade) => {
    const { adapter } = guild;
    const inspect = adapter.inspect.bind(adapter);
    const answers: (() => void)[] = [];
    adapter.inspect = async (...about) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (answers.push(resolve) <= 2) await promise;
      return await inspect(...about);
    };
    const tick = async () => await new Promise((resolve) => setImmediate(resolve));
    const first = gating()
      .setLadder(guild.community, true, MODERATOR)
      .catch((error: unknown) => error);
    await tick();
    adapter.lowMakers.add('5');
    const second = gating()
      .setLadder(guild.community, true, isMade ? MODERATOR : 'discord:5')
      .catch((error: unknown) => error);
    await tick();
    answers[0]?.();
    await tick();
    answers[1]?.();
    const since = { code: 'gate-decided-since' };
    const outcomes = await Promise.all([first, second]);
    expect(outcomes).toMatchObject(
      isMade ? [since, undefined] : [undefined, { code: 'gate-roles-above' }],
    );
    expect(await gating().isLadder(guild.community)).toBe(true);
  },
);

it('a bar that is set while its lifting hangs is not lifted', async () => {
  const bar = async (at: number) =>
    await gating().barring.bar(guild.community, '1', ROLE, MODERATOR, at);
  await bar(100);
  const answer = hang();
  const lifting = gating()
    .barring.unbar(guild.community, '1', undefined, MODERATOR, 105)
    .catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  // As one does that has waited long enough for its turn.
  const { gating: store } = guild.store;
  const [was] = await store.barsOf(guild.community, ['1']);
  if (was === undefined) throw new Error('no bar');
  const row = { at: 106, community: guild.community, event: 'barred', run: undefined } as never;
  await store.putBars(guild.community, [{ bar: { ...was, at: 106 }, row }]);
  answer();
  expect(await lifting).toMatchObject({ code: 'gate-decided-since' });
  expect(await store.barsOf(guild.community, ['1'])).toMatchObject([{ renewedAt: 106 }]);
  await gating().barring.unbar(guild.community, '1', undefined, MODERATOR, 107);
  expect(await store.barsOf(guild.community, ['1'])).toEqual([]);
});

describe('a bar that is set anew while another decision ends the one before', () => {
  const bar = async (at: number) =>
    await gating().barring.bar(guild.community, '1', ROLE, MODERATOR, at);
  const bars = async () => await guild.store.gating.barsOf(guild.community, ['1']);
  /** As one does that has waited long enough for its turn. */
  const barAnew = async (at: number) => {
    const [was] = await bars();
    if (was === undefined) throw new Error('no bar');
    const row = { ...auditRow('barred', { account: '1' }), community: guild.community };
    await guild.store.gating.putBars(guild.community, [{ bar: { ...was, at }, row }]);
  };

  it('stays where lifting it hangs at the name of its role', async () => {
    await bar(100);
    const silence = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const { adapter } = guild;
    const member = adapter.member.bind(adapter);
    const inspect = adapter.inspect.bind(adapter);
    let isSeen = false;
    adapter.member = async (...about) => {
      isSeen = true;
      return await member(...about);
    };
    adapter.inspect = async (...about) => {
      if (isSeen) {
        asked.resolve();
        await silence.promise;
      }
      return await inspect(...about);
    };
    const lifting = gating()
      .barring.unbar(guild.community, '1', undefined, MODERATOR, 105)
      .catch((error: unknown) => error);
    await asked.promise;
    await barAnew(106);
    silence.resolve();
    expect(await lifting).toMatchObject({ code: 'gate-decided-since' });
    expect(await bars()).toMatchObject([{ renewedAt: 106 }]);
  });

  it('stays where somebody gave the role by hand before, and who that was is told late', async () => {
    await bar(100);
    const silence = Promise.withResolvers<void>();
    Object.assign(guild.adapter, {
      isBot: async () => {
        await silence.promise;
        return false;
      },
    });
    const give = async (at: number) =>
      await gating().barring.given(guild.community, '1', ROLE, 'discord:2', at);
    const giving = give(105);
    await bar(106);
    silence.resolve();
    await giving;
    expect(await bars()).toMatchObject([{ renewedAt: 106 }]);
    await give(107);
    expect(await bars()).toEqual([]);
  });
});
