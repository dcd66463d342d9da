import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import type { CommunityAdapter } from '#gating/community-adapter';
import type { HandEntry, HandLog } from '#gating/members/bars/hand-log';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';

/* The platform's own log of what people take and give, read by every process that needs it. */

const idOf = (number: number) => String(10n ** 17n + BigInt(number));

/** A community whose platform keeps such a log. */
class LoggedCommunity extends GatedCommunity {
  readonly entries: HandEntry[] = [];
  reads = 0;
  isAway = false;
  /** Before it answers. */
  answered = Promise.resolve();

  constructor() {
    super();
    Object.assign(this.adapter, {
      handLog: {
        isReported: () => true,
        read: async (_: string, after: string | undefined) => {
          this.reads += 1;
          await this.answered;
          if (this.isAway) throw new RetryableError('The log is away.');
          const found = this.entries.filter(({ id }) => BigInt(id) > BigInt(after ?? 0));
          const upTo = found.at(-1)?.id ?? after ?? '0';
          return { entries: after === undefined ? [] : found, upTo };
        },
      },
    });
  }

  takes(account: string, by = '5'): HandEntry {
    this.adapter.roles.get(account)?.delete(ROLE);
    return this.#log({ step: 'removed', account, grant: ROLE, by });
  }

  gives(account: string, by = '5'): HandEntry {
    this.adapter.roles.get(account)?.add(ROLE);
    return this.#log({ step: 'given', account, grant: ROLE, by });
  }

  #log(change: HandEntry['changes'][number]): HandEntry {
    const entry = { id: idOf(this.entries.length), at: this.now, changes: [change] };
    this.entries.push(entry);
    return entry;
  }
}

async function scene() {
  const guild = new LoggedCommunity();
  await guild.rule();
  await guild.member(1, 6_000);
  await guild.pass();
  const bars = async () =>
    (await guild.store.gating.barsOf(guild.community, ['1'])).map(({ by }) => by);
  const log = async () => (await guild.audit()).filter((row) => row.includes('barred'));
  return { guild, bars, log };
}

it('What is given again after it was taken is theirs, though nobody looked in between', async () => {
  const { guild, bars } = await scene();
  const [run] = await guild.store.gating.runsOf(guild.community, 1);
  guild.gated.watch.handChanged(guild.community, guild.takes('1'));
  await guild.gated.watch.idle();
  expect(await bars()).toEqual(['discord:5']);
  guild.gated.watch.handChanged(guild.community, guild.gives('1'));
  await guild.gated.watch.idle();
  expect(await bars()).toEqual([]);
  await guild.gated.gating.undo(guild.community, MODERATOR, run?.id);
  expect(guild.holders()).toEqual(['1']);
});

it('Moderators are shown what was taken by hand where nobody reports it, and what is known while the log is away', async () => {
  const shown = [
    async ({ gated, community }: GatedCommunity) => await gated.gating.why(community, '1'),
    async ({ gated, community }: GatedCommunity) => await gated.gating.preview(community),
    async ({ gated, community }: GatedCommunity) => await gated.gating.log(community, 10, 0),
    async ({ gated, community }: GatedCommunity) => await gated.gating.hear(community),
  ];
  for (const show of shown) {
    const { guild, bars } = await scene();
    guild.takes('1');
    guild.gated.watch.missed([guild.community]);
    guild.isAway = true;
    await show(guild);
    guild.isAway = false;
    await show(guild);
    expect(await bars()).toEqual(['discord:5']);
  }
});

it('/gate bar counts before the log has answered, and what was given before it ends nothing', async () => {
  const { guild, bars } = await scene();
  guild.gives('1');
  guild.now += 5;
  const { promise, resolve } = Promise.withResolvers<void>();
  guild.answered = promise;
  const { barring } = guild.gated.gating;
  const barred = barring.bar(guild.community, '1', ROLE, MODERATOR, guild.now);
  await expect.poll(bars).toEqual([MODERATOR]);
  resolve();
  await barred;
  expect(await bars()).toEqual([MODERATOR]);
});

it('Two processes that are behind count an entry once', async () => {
  const { guild, bars, log } = await scene();
  const other = guild.open();
  guild.takes('1');
  for (const { watch } of [guild.gated, other]) watch.missed([guild.community]);
  await Promise.all([guild.gated, other].map(({ watch }) => watch.begin()));
  await Promise.all([guild.gated, other].map(({ watch }) => watch.poll()));
  expect(await bars()).toEqual(['discord:5']);
  expect(await log()).toEqual(['barred 1']);
  await other.stop();
});

it('What one process was told and another has read counts once, and the log goes on after it', async () => {
  const { guild, bars, log } = await scene();
  const entry = guild.takes('1');
  guild.gated.watch.handChanged(guild.community, entry);
  await guild.gated.watch.idle();
  const other = guild.open();
  await other.watch.begin();
  await other.gating.sweep(guild.community);
  guild.gated.watch.handChanged(guild.community, entry);
  await guild.gated.watch.idle();
  expect(await bars()).toEqual(['discord:5']);
  expect(await log()).toEqual(['barred 1']);
  const { auditCursor } = await guild.store.gating.settingsOf(guild.community);
  expect(auditCursor).toBe(entry.id);
  await other.stop();
});

it('What may have been missed while the log was being read is read after that', async () => {
  const { guild, bars } = await scene();
  const { hands } = guild.gated.gating;
  const { handLog } = guild.adapter as CommunityAdapter;
  const [asked, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const read: HandLog['read'] = async (...about) => {
    const page = await handLog?.read(...about);
    asked.resolve();
    await sent.promise;
    return page;
  };
  Object.assign(guild.adapter, { handLog: { ...handLog, read } });
  guild.gated.watch.missed([guild.community]);
  const first = hands.upToDate(guild.community);
  await asked.promise;
  Object.assign(guild.adapter, { handLog });
  guild.takes('1');
  // As at the end of an outage; what comes after it is reported.
  guild.gated.watch.missed([guild.community]);
  await guild.member(2, 10);
  guild.gated.watch.handChanged(guild.community, guild.gives('2'));
  sent.resolve();
  await first.catch(() => undefined);
  await guild.gated.watch.idle();
  await hands.upToDate(guild.community);
  expect(await bars()).toEqual(['discord:5']);
});

it('Entries that are told while the log is away wait for it, in its order', async () => {
  const { guild, bars } = await scene();
  guild.takes('1', '4');
  const given = { step: 'given', account: '1', grant: ROLE, by: '5' } as const;
  const entry = { id: idOf(guild.entries.length), changes: [given] };
  guild.entries.push(entry);
  guild.isAway = true;
  guild.gated.watch.missed([guild.community]);
  guild.gated.watch.handChanged(guild.community, entry);
  await guild.gated.watch.idle();
  expect(await bars()).toEqual([]);
  guild.isAway = false;
  guild.now += 60;
  await guild.gated.watch.poll();
  await guild.gated.watch.idle();
  expect(await bars()).toEqual([]);
  guild.takes('1', '6');
  await guild.pass();
  expect(await bars()).toEqual(['discord:6']);
});

it('What was given before a moderator barred it does not end the bar when the log is read', async () => {
  const { guild, bars } = await scene();
  guild.takes('1');
  await guild.pass();
  guild.gives('1');
  await guild.gated.gating.barring.bar(guild.community, '1', ROLE, 'discord:7');
  await guild.pass();
  expect(await bars()).toEqual(['discord:7']);
});

it.each([
  ['a bar that was known', ['taken', 'given', 'taken'], 1],
  ['one that nobody had told of yet', ['taken'], 0],
])(
  'What was taken before a moderator lifted %s bars nobody when it is reported',
  async (_, steps, told) => {
    const { guild, bars } = await scene();
    const made = steps.map((step) => (step === 'taken' ? guild.takes('1') : guild.gives('1')));
    const report = async (entry: HandEntry) => {
      guild.gated.watch.handChanged(guild.community, entry);
      await guild.gated.watch.idle();
    };
    for (const entry of made.slice(0, told)) await report(entry);
    await guild.gated.gating.barring.unbar(guild.community, '1', ROLE, MODERATOR);
    for (const entry of made.slice(told)) await report(entry);
    await guild.pass();
    expect([await bars(), guild.holders()]).toEqual([[], ['1']]);
  },
);

describe('entries that are reported in another order than they were made in', () => {
  async function reported(...made: ((guild: LoggedCommunity) => HandEntry)[]) {
    const found = await scene();
    const { guild } = found;
    const entries = made.map((each) => each(guild));
    for (const entry of entries.toReversed()) {
      guild.gated.watch.handChanged(guild.community, entry);
      await guild.gated.watch.idle();
    }
    return { ...found, entries };
  }

  it('taken and given back: it is theirs, and no bar', async () => {
    const { guild, bars } = await reported(
      (it) => it.takes('1'),
      (it) => it.gives('1'),
    );
    expect(await bars()).toEqual([]);
    await guild.gated.gating.undo(guild.community, MODERATOR);
    expect(guild.holders()).toEqual(['1']);
  });

  it('given and taken: the bar stays', async () => {
    const { bars } = await reported(
      (it) => it.gives('1'),
      (it) => it.takes('1', '6'),
    );
    expect(await bars()).toEqual(['discord:6']);
  });

  it('taken, and given back by a bot: the bar stays', async () => {
    const { bars } = await reported(
      (it) => it.takes('1', '6'),
      (it) => {
        Object.assign(it.adapter, { isBot: async (_: string, id: string) => id === '8' });
        return it.gives('1', '8');
      },
    );
    expect(await bars()).toEqual(['discord:6']);
  });

  it('taken and given back before a moderator barred them: that bar stays', async () => {
    const { guild, bars } = await scene();
    const taken = guild.takes('1');
    guild.gated.watch.handChanged(guild.community, guild.gives('1'));
    await guild.gated.watch.idle();
    guild.entries.length = 0;
    await guild.gated.gating.barring.bar(guild.community, '1', ROLE, 'discord:7');
    guild.gated.watch.handChanged(guild.community, taken);
    await guild.gated.watch.idle();
    expect(await bars()).toEqual(['discord:7']);
  });
});

it('An entry that counted before a restart is over when it is reported again', async () => {
  const { guild, bars } = await scene();
  const taken = guild.takes('1');
  guild.gated.watch.handChanged(guild.community, taken);
  await guild.gated.watch.idle();
  expect(await bars()).toEqual(['discord:5']);
  await guild.gated.gating.barring.unbar(guild.community, '1', ROLE, MODERATOR);
  await guild.restart();
  guild.gated.watch.handChanged(guild.community, taken);
  await guild.gated.watch.idle();
  expect(await bars()).toEqual([]);
});

it.each([
  ['given before', ['given'], [], ['discord:7']],
  ['taken and given before', ['taken', 'given'], [], ['discord:7']],
  ['given before, and lost by leaving', ['given', 'left'], [], ['discord:7']],
  ['given between it and an earlier one', ['barred', 'given'], [], ['discord:8']],
  ['given after it and an earlier one', ['barred', 'given', 'left'], ['given'], []],
  ['taken and given after', [], ['taken', 'given'], []],
  ['given after', ['left'], ['given'], []],
])(
  'Of what was %s a bar that was set while the log was away, only the later ends it',
  async (_, before, after, expected) => {
    const { guild, bars } = await scene();
    guild.isAway = true;
    guild.gated.watch.missed([guild.community]);
    const { barring } = guild.gated.gating;
    const happens = async (step: string) => {
      guild.now += 10;
      if (step === 'barred') {
        await barring.bar(guild.community, '1', ROLE, 'discord:8', guild.now);
      } else if (step === 'taken') guild.takes('1');
      else if (step === 'given') guild.gives('1');
      else guild.adapter.roles.get('1')?.delete(ROLE);
    };
    for (const step of before) await happens(step);
    guild.now += 10;
    const asked = guild.now;
    // This machine's clock is ahead of the platform's.
    guild.now += 3_600;
    await barring.bar(guild.community, '1', ROLE, 'discord:7', asked);
    guild.now -= 3_600;
    for (const step of after) await happens(step);
    await guild.restart();
    guild.isAway = false;
    guild.now += 60;
    await guild.pass();
    expect(await bars()).toEqual(expected);
  },
);

it('A bar is as old as the removal that began it, however late the log tells', async () => {
  const { guild } = await scene();
  const taken = guild.takes('1');
  guild.now += 3_600;
  guild.gated.watch.missed([guild.community]);
  await guild.pass();
  const [bar] = await guild.store.gating.barsOf(guild.community, ['1']);
  expect(bar?.at).toBe(taken.at);
});

it('/gate unbar waits for a log that cannot be read: it may tell of a removal', async () => {
  const { guild, bars } = await scene();
  guild.takes('1');
  guild.isAway = true;
  guild.gated.watch.missed([guild.community]);
  const unbar = async () =>
    await guild.gated.gating.barring.unbar(guild.community, '1', ROLE, MODERATOR);
  await expect(unbar()).rejects.toThrow(RetryableError);
  guild.isAway = false;
  await unbar();
  await guild.pass();
  expect([await bars(), guild.holders()]).toEqual([[], ['1']]);
});

it('A log that fails is asked again only after a while, unless it is needed', async () => {
  const { guild } = await scene();
  guild.isAway = true;
  guild.gated.watch.missed([guild.community]);
  await guild.gated.watch.begin();
  const before = guild.reads;
  for (let i = 0; i < 9; i++) await guild.gated.watch.poll();
  expect(guild.reads - before).toBe(1);
  guild.now += 31;
  await guild.gated.watch.poll();
  expect(guild.reads - before).toBe(2);
});
