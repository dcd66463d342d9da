import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { noteCard } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { ENTRY } from '#gating/rules/rule';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GROUP, GUILD, ROLE } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';
import { Life } from '../support/mortal.ts';

const { gate } = textsFor('en');
let world: GatedCommunity;

/** Minutes of the process's upkeep, without a pass: the next scheduled one is far away. */
async function seconds(count: number): Promise<void> {
  world.now += count;
  await world.gated.watch.poll();
  await world.gated.watch.idle();
}

/** The platform fails this often at granting. */
function failing(times: number): void {
  let left = times;
  world.adapter.before = (call) => {
    if (!call.startsWith('give') || left === 0) return undefined;
    left -= 1;
    throw new RetryableError('500');
  };
}

/** A process that dies once the platform has done what was asked, before it hears of it. */
function dyingAfterGive(): { readonly died: Promise<void> } {
  const life = new Life();
  const died = Promise.withResolvers<void>();
  const { adapter, store } = world;
  world.gated = world.open({
    store: life.of(store.gating),
    adapterOf: () => life.of(adapter),
  });
  const give = adapter.give.bind(adapter);
  adapter.give = async (...about) => {
    adapter.give = give;
    const outcome = await give(...about);
    life.end();
    died.resolve();
    return outcome;
  };
  return { died: died.promise };
}

describe.each([
  ['a role', GUILD, ROLE],
  ['entry', GROUP, ENTRY],
])('a single check that grants %s', (_, community, grant) => {
  beforeEach(async () => {
    world = new GatedCommunity(community);
    await world.rule({ grant });
    await world.gated.watch.idle();
    await world.gated.watch.tick();
    world.score(1, 6_000);
    await world.link('1', walletOf(1));
  });

  /** What leads to a check: an applicant's request, or a member's new wallet. */
  const begin = async () => {
    if (grant === ENTRY) {
      world.adapter.requests.add('1');
      await world.gated.watch.requested(community, '1', 'en');
    } else {
      if (!world.adapter.roles.has('1')) world.adapter.join('1');
      await world.store.gating.noteMembers(community, ['1']);
      world.gated.watch.linksChanged({ platform: community.platform, id: '1' });
    }
    await world.gated.watch.idle();
  };
  const has = () => world.adapter.roles.get('1')?.has(grant) === true;

  it('gets over one failure of the platform at once', async () => {
    failing(1);
    await begin();
    expect(has()).toBe(true);
  });

  it('is repeated within seconds if the platform fails for longer', async () => {
    failing(5);
    await begin();
    expect(has()).toBe(false);
    await seconds(5);
    if (!has()) await seconds(10);
    expect(has()).toBe(true);
    expect(await world.store.gating.leftChecks(world.now, 10)).toEqual([]);
  });

  it('is repeated by the next process', async () => {
    // A grant is tried twice in each of two rounds, an approval once.
    failing(grant === ENTRY ? 2 : 4);
    await begin();
    expect(has()).toBe(false);
    await world.restart();
    await world.gated.watch.begin();
    await world.gated.watch.idle();
    expect(has()).toBe(true);
    expect(await world.store.gating.leftChecks(world.now, 10)).toEqual([]);
  });

  it('is left to the passes after a while, so that the log stays short', async () => {
    failing(Number.POSITIVE_INFINITY);
    await begin();
    for (let i = 0; i < 60; i += 1) await seconds(30);
    const rows = (await world.audit()).filter((row) => row === 'give-begun 1');
    expect(rows.length).toBeLessThanOrEqual(14);
    expect(await world.store.gating.leftChecks(world.now, 10)).toEqual([]);
    failing(0);
    await world.pass();
    expect(has()).toBe(true);
  });

  it('is over once the next process has heard what became of it', async () => {
    const { died } = dyingAfterGive();
    void begin().catch(() => undefined);
    await died;
    world.gated = world.open();
    await world.gated.watch.begin();
    await world.gated.watch.idle();
    expect(await world.audit()).toContain(grant === ENTRY ? 'admitted 1' : 'given 1');
    expect(await world.store.gating.unsettledOf(community, '1')).toEqual([]);
  });

  it('is in the report with what became of it in the end', async () => {
    await world.gated.gating.setLogChannel(community, '77', noteCard('plain', 'Here', ''), 'x:1');
    world.adapter.reports.length = 0;
    const { died } = dyingAfterGive();
    void begin().catch(() => undefined);
    await died;
    world.gated = world.open();
    await world.gated.watch.begin();
    await world.gated.watch.idle();
    world.now += 601;
    await world.gated.gating.reports.notifyAll();
    const [report] = world.adapter.reports.map((card) => cardText(card));
    expect(report).toContain(gate.given);
    expect(report).not.toContain(gate.unsettled);
  });
});

describe('somebody let in by a rule', () => {
  beforeEach(async () => {
    world = new GatedCommunity(GROUP);
    await world.rule({ grant: ENTRY });
    await world.gated.watch.idle();
    world.score(1, 10);
    await world.link('1', walletOf(1));
    world.adapter.requests.add('1');
    await world.gated.watch.requested(GROUP, '1', 'en');
    world.adapter.told.length = 0;
    world.score(1, 6_000);
  });

  const told = () => world.adapter.told.map(({ card }) => cardText(card));

  /** The platform's news of them comes, and is handled, before its answer to the approval. */
  function newsFirst(): void {
    const { adapter } = world;
    const { admissions } = world.gated.gating;
    const entered = admissions.entered.bind(admissions);
    const handled = Promise.withResolvers<void>();
    Object.assign(admissions, {
      entered: async (...about: Parameters<typeof entered>) => {
        await entered(...about);
        handled.resolve();
      },
    });
    const give = adapter.give.bind(adapter);
    adapter.give = async (...about) => {
      const outcome = await give(...about);
      world.gated.watch.joined(GROUP, '1');
      await handled.promise;
      return outcome;
    };
  }

  it.each(['a run', 'a single check'])(
    'by %s is told, even if the news comes first',
    async (by) => {
      newsFirst();
      if (by === 'a run') await world.pass();
      else await world.gated.watch.requested(GROUP, '1', 'en');
      await world.gated.watch.idle();
      expect(told()).toEqual([expect.stringContaining(gate.joinAdmitted)]);
      expect(await world.store.gating.joinRequestOf(GROUP, '1')).toBeUndefined();
    },
  );

  it.each(['a run', 'a single check'])(
    'by %s that was killed is told once, even if the news comes first',
    async (by) => {
      const { died } = dyingAfterGive();
      if (by === 'a run') void world.pass().catch(() => undefined);
      else world.gated.watch.linksChanged({ platform: 'telegram', id: '1' });
      await died;
      world.gated = world.open();
      world.gated.watch.joined(GROUP, '1');
      await world.gated.watch.idle();
      await world.gated.watch.begin();
      await world.gated.watch.poll();
      await world.gated.watch.idle();
      expect(told()).toEqual([expect.stringContaining(gate.joinAdmitted)]);
      expect(await world.store.gating.joinRequestOf(GROUP, '1')).toBeUndefined();
    },
  );

  it.each(['a run', 'a single check'])(
    'by %s is told once, as soon as the platform takes messages',
    async (by) => {
      const { adapter } = world;
      const notify = adapter.notify.bind(adapter);
      adapter.notify = async () => {
        throw new RetryableError('500');
      };
      if (by === 'a run') await world.pass();
      else await world.gated.watch.requested(GROUP, '1', 'en');
      await seconds(5);
      expect(told()).toEqual([]);
      adapter.notify = notify;
      for (let i = 0; i < 4; i++) await seconds(30);
      expect(told()).toEqual([expect.stringContaining(gate.joinAdmitted)]);
    },
  );

  it('by an administrator is told nothing', async () => {
    world.adapter.join('1', ENTRY);
    world.gated.watch.joined(GROUP, '1');
    await world.gated.watch.idle();
    expect(told()).toEqual([]);
    expect(await world.store.gating.joinRequestOf(GROUP, '1')).toBeUndefined();
  });
});

describe('somebody refused for what they can mend', () => {
  beforeEach(async () => {
    world = new GatedCommunity(GROUP);
    await world.rule({ grant: ENTRY });
    await world.gated.watch.idle();
    world.score(1, 6_000);
    await world.link('1', walletOf(1));
    world.adapter.before = (call) => (call.startsWith('give') ? 'too-many-communities' : undefined);
  });

  const asks = async () => {
    world.adapter.requests.add('1');
    await world.gated.watch.requested(GROUP, '1', 'en');
    await world.gated.watch.idle();
  };
  const log = async () => (await world.audit()).filter((row) => row.endsWith(' 1'));

  it('is told so once, as soon as the platform takes messages', async () => {
    const { adapter } = world;
    const notify = adapter.notify.bind(adapter);
    adapter.notify = async () => {
      throw new RetryableError('500');
    };
    await asks();
    adapter.notify = notify;
    await world.hours(2);
    const told = adapter.told.map(({ card }) => cardText(card));
    expect(told).toEqual([expect.stringContaining(gate.joinBlocked['too-many-communities'])]);
  });

  it('is in the log once, however often they try, and once more when they are let in', async () => {
    await asks();
    const writes = async () => {
      world.gated.watch.seen({ platform: 'telegram', id: '1' });
      await world.gated.watch.idle();
    };
    for (let i = 0; i < 5; i += 1) await writes();
    expect(await log()).toEqual(['give-begun 1', 'refused 1']);
    world.adapter.before = () => undefined;
    await writes();
    expect(await log()).toEqual(['give-begun 1', 'refused 1', 'admitted 1']);
  });
});

describe('a removal by an administrator while the store is away', () => {
  beforeEach(async () => {
    world = new GatedCommunity(GROUP);
    await world.rule({ grant: ENTRY });
    await world.gated.watch.idle();
  });

  it('is kept once the store is back, before anything later about the same member', async () => {
    const { gating } = world.store;
    const { putBars } = gating;
    Object.assign(gating, {
      putBars: () => {
        throw new RetryableError('The database is locked.');
      },
    });
    world.score(1, 6_000);
    await world.link('1', walletOf(1));
    const recorded = world.gated.watch.removed(GROUP, '1', ENTRY, '9');
    await world.gated.watch.idle();
    Object.assign(gating, { putBars });
    world.gated.watch.left(GROUP, '1');
    await world.gated.watch.idle();
    await recorded;
    world.adapter.requests.add('1');
    await world.gated.watch.requested(GROUP, '1', 'en');
    expect(world.adapter.roles.has('1')).toBe(false);
  });
});
