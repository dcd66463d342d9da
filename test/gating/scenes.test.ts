import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, GROUP, MODERATOR, ROLE } from '../support/gated-community.ts';
import { afterGives, NOTE } from '../support/gating-scenes.ts';
import { walletOf } from '../support/import-lines.ts';

/* What moderators' worst enemies tried, in the default mode: members can't be listed. */

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
});

const gating = () => guild.gated.gating;
const grantOf = async (account: string) =>
  (await guild.store.gating.grantsOf(guild.community, [account]))[0]?.ownership;

/** This many holders, of whom this many fall. */
async function holdersWho(count: number, fallen: number): Promise<void> {
  await guild.rule({ graceSeconds: 0 });
  for (let id = 1; id <= count; id++) await guild.member(id, 6_000);
  await guild.pass();
  for (let id = 1; id <= fallen; id++) guild.score(id, 10);
}

/** The platform does what it's asked, and the response is lost. */
function loseAnswers(step: 'give' | 'take', times = Number.POSITIVE_INFINITY): void {
  const change = guild.adapter[step].bind(guild.adapter);
  let left = times;
  guild.adapter[step] = async (...args) => {
    const outcome = await change(...args);
    left -= 1;
    if (left >= 0) throw new RetryableError('502');
    return outcome;
  };
}

describe('1. a manager or a protected member', () => {
  it('is neither warned nor loses anything, although nobody has seen their permissions before', async () => {
    await holdersWho(4, 2);
    guild.adapter.admins.add('1');
    await gating().protect(guild.community, '2', true, MODERATOR);
    await guild.hours(30);
    expect(guild.holders()).toHaveLength(4);
    expect(await guild.audit()).not.toContain('take-begun 1');
    expect(guild.adapter.told).toEqual([]);
  });

  it('keeps it if they became one between the plan and the change', async () => {
    await holdersWho(4, 2);
    await guild.hours(1);
    guild.now += 1_800;
    const { take } = guild.adapter;
    guild.adapter.take = async (...args) => {
      guild.adapter.admins.add('2');
      return await take.apply(guild.adapter, args);
    };
    guild.adapter.before = (call) => {
      if (call === 'take 1 900') guild.adapter.admins.add('2');
      return undefined;
    };
    await guild.pass();
    expect(guild.holders()).toContain('2');
    expect(guild.adapter.calls).not.toContain('take 2 900');
  });
});

describe('2. the brake', () => {
  it('counts members checked one by one: a check removes nothing', async () => {
    await holdersWho(20, 20);
    for (let i = 0; i < 6; i++) {
      guild.now += 1_800;
      for (let id = 1; id <= 12; id++) await gating().check(guild.community, String(id));
    }
    expect(guild.holders()).toHaveLength(20);
    await guild.pass();
    expect(guild.holders()).toHaveLength(20);
  });

  it('weighs five roles together', async () => {
    const roles = ['901', '902', '903', '904', '905'];
    for (const [i, grant] of roles.entries()) {
      await guild.rule({
        grant,
        graceSeconds: 0,
        requirements: [{ kind: 'score', least: 5_000 + i }],
      });
    }
    for (let id = 1; id <= 25; id++) await guild.member(id, 5_000 + Math.floor((id - 1) / 5));
    for (let id = 1; id <= 25; id++) guild.adapter.join(String(id));
    await guild.pass();
    for (let id = 1; id <= 25; id++) guild.score(id, 10);
    await guild.hours(3);
    for (const role of roles) expect(guild.adapter.holders(role).length).toBeGreaterThan(0);
    expect((await guild.audit()).filter((row) => row.startsWith('taken'))).toEqual([]);
    expect(await guild.audit()).toContain('held');
  });

  it('adds up removals within a day', async () => {
    await holdersWho(30, 5);
    await guild.hours(3);
    expect(guild.holders()).toHaveLength(25);
    for (let id = 6; id <= 10; id++) guild.score(id, 10);
    await guild.hours(3);
    expect(guild.holders()).toHaveLength(25);
    const [asked] = await gating().runsOf(guild.community, 1);
    expect(asked?.status).toBe('held');
  });
});

describe('3. an interrupted run', () => {
  it("waits for a platform that isn't connected, and resumes when it is", async () => {
    await guild.rule();
    for (let id = 1; id <= 10; id++) await guild.member(id, 6_000);
    let isConnected = true;
    guild.adapter.before = (call) => {
      if (!isConnected) throw new RetryableError('Discord is not connected.');
      if (call === 'give 5 900') isConnected = false;
      return undefined;
    };
    const cut = await guild.pass();
    expect(cut?.run.status).toBe('running');
    await guild.restart();
    await guild.gated.watch.begin();
    expect(await guild.store.gating.openRuns()).toHaveLength(1);
    isConnected = true;
    guild.adapter.before = () => undefined;
    await guild.gated.watch.poll();
    expect(guild.holders()).toHaveLength(10);
    expect(await guild.store.gating.openRuns()).toEqual([]);
    for (let id = 1; id <= 10; id++) expect(await grantOf(String(id))).toBe('ours');
  });

  it.each([
    [
      'data that may be old',
      () => (guild.source.isStale = true),
      { code: 'not-known', why: 'stale' },
    ],
    ['a score that fell', () => guild.score(9, 10), { code: 'not-met' }],
  ])('says that a change was skipped because of %s', async (_, happens, reason) => {
    await guild.rule();
    for (let id = 1; id <= 10; id++) await guild.member(id, 6_000);
    afterGives(guild, 4, () => guild.gated.stop());
    await guild.pass();
    happens();
    guild.gated = guild.open();
    await guild.gated.watch.begin();
    const rows = await guild.store.gating.auditOf(guild.community, undefined, 100, 0);
    const last = rows.find(({ event, account }) => event === 'skipped' && account === '9');
    expect(JSON.parse(last?.detail ?? '{}')).toMatchObject(reason);
  });

  it("isn't reported as finished when the process ends", async () => {
    await guild.rule();
    await gating().setLogChannel(guild.community, '55', NOTE, MODERATOR);
    for (let id = 1; id <= 10; id++) await guild.member(id, 6_000);
    guild.adapter.reports.length = 0;
    afterGives(guild, 4, () => guild.gated.stop());
    // A moderator who waits for it learns at once that it continues.
    const result = await guild.pass();
    expect(result).toMatchObject({ run: { status: 'running' } });
    expect(guild.adapter.reports).toEqual([]);
    expect(guild.holders().length).toBeLessThan(10);
    guild.gated = guild.open();
    await guild.gated.watch.begin();
    expect(guild.holders()).toHaveLength(10);
    expect(cardText(guild.adapter.reports[0] ?? NOTE)).toContain('Granted: 10');
  });
});

describe('4. a lost response', () => {
  it("is settled although the next attempt is refused: the role is the rule's", async () => {
    await guild.rule({ graceSeconds: 0 });
    await guild.member(1, 6_000);
    const give = guild.adapter.give.bind(guild.adapter);
    let tries = 0;
    guild.adapter.give = async (...args) => {
      tries += 1;
      if (tries > 1) return 'not-allowed';
      await give(...args);
      throw new RetryableError('502');
    };
    await guild.pass();
    await guild.pass();
    const audit = await guild.audit();
    expect(audit).toContain('given 1');
    expect(audit).not.toContain('refused 1');
    guild.score(1, 10);
    await guild.hours(3);
    expect(guild.holders()).toEqual([]);
  });

  it("doesn't turn us into an outsider: the role is the rule's, and goes when it should", async () => {
    await guild.rule({ graceSeconds: 0 });
    await guild.member(1, 6_000);
    loseAnswers('give', 2);
    await guild.pass();
    expect(await grantOf('1')).toBe('ours');
    expect((await guild.audit()).slice(-3)).toEqual(['give-begun 1', 'unknown 1', 'given 1']);
    guild.score(1, 10);
    await guild.hours(3);
    expect(guild.holders()).toEqual([]);
  });

  it('of a removal leaves nobody banned', async () => {
    await holdersWho(3, 1);
    loseAnswers('take', 2);
    await guild.hours(3);
    expect(guild.holders()).toEqual(['2', '3']);
    expect(await grantOf('1')).toBe('none');
  });

  it('in a check of one member is settled with the next one', async () => {
    await guild.rule();
    await guild.member(1, 6_000);
    loseAnswers('give', 2);
    let isUp = true;
    guild.adapter.before = (call) => {
      if (!isUp) throw new RetryableError('503');
      if (call.startsWith('give')) isUp = guild.adapter.calls.filter((c) => c === call).length < 1;
      return undefined;
    };
    await gating()
      .check(guild.community, '1')
      .catch(() => undefined);
    isUp = true;
    guild.adapter.before = () => undefined;
    await gating().check(guild.community, '1');
    expect(guild.holders()).toEqual(['1']);
    expect(await grantOf('1')).toBe('ours');
  });
});

describe('5. undo', () => {
  it('restores what an exclusive rule removed from others, and it stays theirs', async () => {
    await guild.rule({ graceSeconds: 0, exclusive: true });
    await guild.member(1, 6_000);
    guild.adapter.join('1', ROLE);
    await guild.pass();
    guild.score(1, 10);
    await guild.hours(3);
    expect(guild.holders()).toEqual([]);
    await gating().undo(guild.community, MODERATOR);
    expect(guild.holders()).toEqual(['1']);
    expect(await grantOf('1')).toBe('theirs');
  });

  it('reverts the run that it names', async () => {
    await guild.rule();
    await guild.member(1, 6_000);
    const first = await guild.pass();
    await guild.member(2, 6_000);
    await guild.pass();
    await gating().undo(guild.community, MODERATOR, first?.run.id);
    expect(guild.holders()).toEqual(['2']);
  });

  it('that was killed is marked once, and removes nothing granted by hand since', async () => {
    await guild.rule();
    for (let id = 1; id <= 4; id++) await guild.member(id, 6_000);
    const run = await guild.pass();
    let left = 2;
    guild.adapter.before = (call) => {
      if (call.startsWith('take')) left -= 1;
      if (left < 0) throw new RetryableError('not connected');
      return undefined;
    };
    await gating().undo(guild.community, MODERATOR);
    await guild.restart();
    guild.adapter.before = () => undefined;
    await guild.gated.watch.begin();
    expect(guild.holders()).toEqual([]);
    expect((await guild.store.gating.run(run?.run.id ?? ''))?.status).toBe('undone');
    guild.adapter.join('3', ROLE);
    guild.adapter.join('4', ROLE);
    expect(await gating().undo(guild.community, MODERATOR)).toBeUndefined();
    expect(guild.holders()).toEqual(['3', '4']);
  });

  it('says on Telegram who needs a new invitation', async () => {
    guild = new GatedCommunity(GROUP);
    await guild.rule({ grant: 'entry', graceSeconds: 0 });
    for (let id = 1; id <= 3; id++) {
      guild.score(id, 6_000);
      await guild.link(String(id), walletOf(id));
      guild.adapter.requests.add(String(id));
      await guild.gated.watch.requested(guild.community, String(id), 'en');
      guild.adapter.join(String(id), 'entry');
    }
    guild.score(1, 10);
    const { take, give } = guild.adapter;
    guild.adapter.take = async (...args) => {
      const outcome = await take.apply(guild.adapter, args);
      guild.adapter.roles.delete(args[1]);
      return outcome;
    };
    guild.adapter.give = async (...args) =>
      guild.adapter.roles.has(args[1]) ? await give.apply(guild.adapter, args) : 'left';
    await guild.hours(3);
    expect(guild.adapter.roles.has('1')).toBe(false);
    const result = await gating().undo(guild.community, MODERATOR);
    expect(result).toMatchObject({
      changes: [{ account: '1', status: 'skipped', reason: 'needs-invitation' }],
    });
  });
});
