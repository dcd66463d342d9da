import { beforeEach, describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { reasonText } from '#gating/decide/reason';
import { cardText } from '../support/card-text.ts';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';
import { afterGives, NOTE } from '../support/gating-scenes.ts';
import { walletOf } from '../support/import-lines.ts';

/* Like scenes.test.ts: runs in progress, previews, reports, several rules, and returning members. */

let guild: GatedCommunity;

beforeEach(() => {
  guild = new GatedCommunity();
});

const gating = () => guild.gated.gating;
const grantOf = async (account: string) =>
  (await guild.store.gating.grantsOf(guild.community, [account]))[0]?.ownership;

describe('6. during a run', () => {
  beforeEach(async () => {
    await guild.rule();
    for (let id = 1; id <= 30; id++) await guild.member(id, 6_000);
  });

  it.each([
    ['pausing its rule', async (id: string) => gating().pause(guild.community, id, MODERATOR)],
    ['removing its rule', async (id: string) => gating().remove(guild.community, id, MODERATOR)],
    [
      'changing its rule',
      async (id: string) => {
        const requirements = [{ kind: 'score', least: 9_000 }] as const;
        await gating().edit(guild.community, id, { requirements }, MODERATOR);
      },
    ],
    ['stopping it', async () => gating().stop(guild.community, MODERATOR)],
  ])('%s ends it before its next change', async (_, work) => {
    const [rule] = await gating().rulesOf(guild.community);
    afterGives(guild, 10, () => work(rule?.id ?? ''));
    await guild.pass();
    expect(guild.holders()).toHaveLength(11);
    expect(await guild.store.gating.openRuns()).toEqual([]);
  });

  it('undo stops it, and reverts what it has done', async () => {
    let undone: Promise<unknown> | undefined;
    afterGives(guild, 10, async () => {
      undone = gating().undo(guild.community, MODERATOR);
      // By then it has asked the run to end.
      for (let turns = 0; !(await guild.audit()).includes('stopped'); turns += 1) {
        if (turns === 10_000) throw new Error('undo has not asked the run to stop');
        await new Promise(setImmediate);
      }
    });
    const result = await guild.pass();
    expect(result?.run.status).toBe('stopped');
    // More than a pass may remove without asking: the run has ended, and is undone on confirmation.
    expect(await undone).toMatchObject({ why: 'many', losing: 11 });
    expect(guild.holders()).toHaveLength(11);
    await gating().undo(guild.community, MODERATOR, result?.run.id);
    expect(guild.holders()).toEqual([]);
  });

  it('an edit in flight neither resumes a paused rule nor restores a deleted one', async () => {
    const [rule] = await gating().rulesOf(guild.community);
    const id = rule?.id ?? '';
    const requirements = [{ kind: 'score', least: 9_000 }] as const;
    const inspect = guild.adapter.inspect.bind(guild.adapter);
    guild.adapter.inspect = async () => {
      await gating().pause(guild.community, id, MODERATOR);
      return await inspect();
    };
    await gating().edit(guild.community, id, { requirements }, MODERATOR);
    expect((await gating().rulesOf(guild.community))[0]).toMatchObject({
      paused: 'moderator',
      requirements,
    });
    guild.adapter.inspect = async () => {
      // The removal looks at the role, too.
      guild.adapter.inspect = inspect;
      await gating().remove(guild.community, id, MODERATOR);
      return await inspect();
    };
    const late = gating().edit(guild.community, id, { graceSeconds: 0 }, MODERATOR);
    await expect(late).rejects.toMatchObject({ code: 'gate-unknown-rule' });
    expect(await gating().rulesOf(guild.community)).toEqual([]);
  });
});

it('8. the first run looks for all members and shows its progress, and preview says the same', async () => {
  await guild.rule();
  const COUNT = 500;
  for (let id = 1; id <= COUNT; id++) {
    guild.score(id, 6_000);
    guild.adapter.join(String(id), ...(id <= 3 ? [ROLE] : []));
    await guild.link(String(id), walletOf(id));
  }
  const preview = await gating().preview(guild.community);
  expect(preview).toMatchObject({ members: COUNT, unseen: 0, unchecked: 0 });
  const gains = new Set(preview.gains.map(({ account }) => account));
  const result = await guild.pass();
  expect(new Set(result?.changes.map(({ account }) => account))).toEqual(gains);
  expect(result?.run.counts).toMatchObject({ members: COUNT, given: COUNT - 3 });
});

it('8. the first run can be stopped while it looks for members', async () => {
  await guild.rule();
  for (let id = 1; id <= 300; id++) {
    guild.score(id, 6_000);
    guild.adapter.join(String(id));
    await guild.link(String(id), walletOf(id));
  }
  let far: unknown;
  guild.adapter.before = () => {
    if (guild.adapter.calls.length === 120) {
      const [run] = guild.store.gating.runsOf(guild.community, 1) as never[];
      far = run;
      void gating().stop(guild.community, MODERATOR);
    }
    return undefined;
  };
  const result = await guild.pass();
  expect(far).toMatchObject({ status: 'running', counts: { looked: 100, toLook: 300 } });
  expect(result?.run.status).toBe('stopped');
  expect(guild.holders()).toEqual([]);
  expect((await gating().preview(guild.community)).unseen).toBe(0);
});

describe('12. a report', () => {
  it('says what was done, not what was planned', async () => {
    await gating().setLogChannel(guild.community, '55', NOTE, MODERATOR);
    await guild.rule();
    for (let id = 1; id <= 4; id++) await guild.member(id, 6_000);
    guild.adapter.join('1', ROLE);
    guild.adapter.join('2', ROLE);
    await guild.pass();
    const text = cardText(guild.adapter.reports.at(-1) ?? NOTE);
    expect(text).toContain('Granted: 2');
    expect(text).not.toContain('@1 ');
    expect(text).not.toContain('@2 ');
    expect(text).toContain('@3');
  });

  it("says at once what prevents a rule, and checks again once it's fixed", async () => {
    await guild.rule();
    await guild.member(1, 6_000);
    guild.adapter.blockers = ['role-too-high'];
    const before = await gating().run(guild.community, MODERATOR);
    expect(before).toMatchObject({ problems: [{ blockers: ['role-too-high'] }] });
    expect(guild.adapter.calls.filter((call) => call.startsWith('give'))).toEqual([]);
    guild.adapter.blockers = [];
    await gating().run(guild.community, MODERATOR);
    expect(guild.holders()).toEqual(['1']);
  });

  it("gives its reasons in the community's language", async () => {
    guild.adapter.language = 'es-ES';
    await gating().setLogChannel(guild.community, '55', NOTE, MODERATOR);
    await guild.rule();
    await guild.member(1, 6_000);
    await guild.pass();
    const es = textsFor('es').gate;
    expect(guild.adapter.reports.at(-1)?.title).toBe(es.runTitle);
    const [row] = await guild.store.gating.auditOf(guild.community, '1', 1, 0);
    expect(reasonText(row?.detail ?? '', textsFor('es'))).toMatch(/^regla .*: cumplida/);
  });
});

describe('13. two rules for one role', () => {
  const lower = { requirements: [{ kind: 'score', least: 1_000 }], graceSeconds: 0 } as const;

  it.each(['first', 'second'] as const)(
    'leave no holder without a rule when the %s is deleted',
    async (which) => {
      const first = await guild.rule({ graceSeconds: 0 });
      await guild.member(1, 6_000);
      await guild.pass();
      guild.now += 1;
      const second = await guild.rule(lower);
      await gating().remove(guild.community, which === 'first' ? first.id : second.id, MODERATOR);
      expect(await grantOf('1')).toBe('ours');
      guild.score(1, 10);
      await guild.hours(3);
      expect(guild.holders()).toEqual([]);
    },
  );

  it('only remove it after the longer grace period', async () => {
    await guild.rule({ graceSeconds: 0 });
    await guild.rule({ graceSeconds: 36_000 });
    await guild.member(1, 6_000);
    await guild.pass();
    guild.score(1, 10);
    await guild.hours(8);
    expect(guild.holders()).toEqual(['1']);
    await guild.hours(6);
    expect(guild.holders()).toEqual([]);
  });
});

describe('7. a member who leaves and returns', () => {
  it("gets the role again once they're seen, and is still protected", async () => {
    await guild.rule();
    await guild.member(1, 6_000);
    guild.adapter.joinedAt.set('1', 100);
    await guild.pass();
    await gating().protect(guild.community, '1', true, MODERATOR);
    guild.adapter.join('1');
    guild.adapter.joinedAt.set('1', 200);
    const { findings } = await gating().why(guild.community, '1');
    expect(findings[0]?.grant.ownership).toBe('none');
    guild.gated.watch.joined(guild.community, '1');
    await guild.gated.watch.idle();
    expect(guild.holders()).toEqual(['1']);
    guild.gated.watch.left(guild.community, '1');
    guild.gated.watch.joined(guild.community, '1');
    await guild.gated.watch.idle();
    expect((await guild.store.gating.member(guild.community, '1'))?.isProtected).toBe(true);
  });

  it("isn't granted what was removed by hand", async () => {
    await guild.rule();
    await guild.member(1, 6_000);
    guild.adapter.joinedAt.set('1', 100);
    await guild.pass();
    guild.adapter.roles.get('1')?.delete(ROLE);
    await gating().check(guild.community, '1');
    expect(guild.holders()).toEqual([]);
    expect(await guild.store.gating.barsOf(guild.community, ['1'])).toMatchObject([
      { grant: ROLE, by: undefined, isGone: true },
    ]);
  });
});
