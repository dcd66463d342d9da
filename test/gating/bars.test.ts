import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { reasonText } from '#gating/decide/reason';
import { ENTRY, type Rule } from '#gating/rules/rule';
import { cardText } from '../support/card-text.ts';
import { auditRow } from '../support/gate-records.ts';
import { GatedCommunity, GROUP, MODERATOR, ROLE } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';

const EN = textsFor('en');

/* What a moderator has taken, or barred someone from, no rule gives back. */

let guild: GatedCommunity;
let rule: Rule;
const gating = () => guild.gated.gating;
const bars = async () => await guild.store.gating.barsOf(guild.community, ['1']);
const look = async () => await gating().check(guild.community, '1');
const takeByHand = () => guild.adapter.roles.get('1')?.delete(ROLE);
const giveByHand = () => guild.adapter.roles.get('1')?.add(ROLE);

beforeEach(async () => {
  guild = new GatedCommunity();
  rule = await guild.rule({ graceSeconds: 0 });
  guild.adapter.joinedAt.set('1', 100);
  await guild.member(1, 6_000);
  await look();
  expect(guild.holders()).toEqual(['1']);
});

/** Everything that the member, or time, can do. */
const ATTEMPTS: Readonly<Record<string, () => Promise<unknown>>> = {
  'unlinks and links again': async () => {
    await guild.unlink('1', walletOf(1));
    await look();
    await guild.link('1', walletOf(1));
  },
  'links another wallet': async () => {
    guild.score(2, 9_000);
    await guild.link('1', walletOf(2));
  },
  'leaves and joins again': async () => {
    guild.adapter.roles.delete('1');
    guild.gated.watch.left(guild.community, '1');
    await guild.gated.watch.idle();
    guild.adapter.join('1');
    guild.adapter.joinedAt.set('1', 200);
    guild.gated.watch.joined(guild.community, '1');
    await guild.gated.watch.idle();
  },
  'falls below and comes back': async () => {
    guild.score(1, 0);
    await guild.hours(3);
    guild.score(1, 6_000);
  },
  'erases their data and links again': async () => {
    const account = { platform: 'discord', id: '1' } as const;
    await gating().release(account);
    await guild.store.links.erase(account, guild.now);
    await guild.link('1', walletOf(1));
    await guild.store.gating.noteMembers(guild.community, ['1']);
  },
  'waits for an edit of the rule': async () => {
    const requirements = [{ kind: 'score', least: 10 }] as const;
    await gating().edit(guild.community, rule.id, { requirements }, MODERATOR);
  },
  'waits for another rule for the role': async () => {
    await gating().remove(guild.community, rule.id, MODERATOR);
    await guild.rule();
  },
  'waits for a restart': async () => {
    await guild.restart();
  },
};

describe.each(Object.entries(ATTEMPTS))('a member who %s', (_, attempt) => {
  const isRefused = async () => {
    await attempt();
    await look();
    await guild.hours(2);
    await gating().run(guild.community, MODERATOR);
    expect(guild.holders()).toEqual([]);
  };

  it("doesn't get back what a moderator took by hand", async () => {
    takeByHand();
    await look();
    expect(await bars()).toMatchObject([{ grant: ROLE, by: undefined, at: guild.now }]);
    await isRefused();
  });

  it.each([ROLE, undefined])("doesn't get what they are barred from (%s)", async (role) => {
    takeByHand();
    await gating().barring.bar(guild.community, '1', role, MODERATOR);
    await isRefused();
  });
});

describe('a bar', () => {
  it('ends when somebody gives the role by hand, who may take it again', async () => {
    takeByHand();
    await look();
    giveByHand();
    await look();
    expect(await bars()).toEqual([]);
    takeByHand();
    await look();
    expect(await bars()).toMatchObject([{ grant: ROLE }]);
    expect(guild.holders()).toEqual([]);
  });

  it('that comes from a deleted role stays when a look sees the role given by nobody knows whom', async () => {
    takeByHand();
    await look();
    const [bar] = await bars();
    if (bar === undefined) throw new Error('taken, and no bar');
    const old = { ...bar, grant: '77', name: 'Whales' };
    const row = { ...auditRow('barred', { account: '1' }), community: guild.community };
    await guild.store.gating.putBars(guild.community, [{ bar: old, row }]);
    const to = { grant: ROLE, name: 'Whales' };
    await guild.store.gating.moveBars(guild.community, [{ bar: old, row }], to);
    giveByHand();
    await look();
    expect(await bars()).toMatchObject([{ grant: ROLE, origin: '77' }]);
  });

  it('is lifted by a moderator, and the rule gives the role at once', async () => {
    takeByHand();
    await gating().barring.bar(guild.community, '1', undefined, MODERATOR);
    await look();
    expect(guild.holders()).toEqual([]);
    await gating().barring.unbar(guild.community, '1', undefined, MODERATOR);
    await gating().checkSoon(guild.community, '1');
    expect(guild.holders()).toEqual(['1']);
    expect((await guild.audit()).filter((row) => row.includes('barred'))).toEqual([
      'barred 1',
      'barred 1',
      'unbarred 1',
      'unbarred 1',
    ]);
  });

  it.each([ROLE, undefined])('from %s is not lifted by whoever is below the role', async (role) => {
    const low = 'discord:5';
    guild.adapter.lowMakers.add('5');
    await gating().barring.bar(guild.community, '1', role, MODERATOR);
    for (const asked of [role, undefined]) {
      const lifting = gating().barring.unbar(guild.community, '1', asked, low);
      await expect(lifting).rejects.toMatchObject({ code: 'gate-role-above', values: ['Whales'] });
    }
    expect(await bars()).toHaveLength(1);
    expect((await guild.audit()).filter((row) => row.includes('unbarred'))).toEqual([]);
  });

  it('on everything is refused with what else can be barred, which helps nobody who protects', async () => {
    guild.adapter.lowMakers.add('5');
    const barred = gating().barring.bar(guild.community, '1', undefined, 'discord:5');
    await expect(barred).rejects.toMatchObject({ code: 'gate-bar-above', values: ['Whales'] });
    const spared = gating().protect(guild.community, '1', true, 'discord:5');
    await expect(spared).rejects.toMatchObject({ code: 'gate-roles-above', values: ['Whales'] });
    expect(await bars()).toEqual([]);
  });

  it('on everything outlives the rule of a role for whoever is below that', async () => {
    const low = 'discord:5';
    takeByHand();
    await gating().barring.bar(guild.community, '1', undefined, MODERATOR);
    await gating().remove(guild.community, rule.id, MODERATOR);
    guild.adapter.lowMakers.add('5');
    const lifting = gating().barring.unbar(guild.community, '1', undefined, low);
    await expect(lifting).rejects.toMatchObject({ code: 'gate-role-above' });
    await guild.rule();
    await look();
    expect(guild.holders()).toEqual([]);
    await gating().barring.unbar(guild.community, '1', undefined, MODERATOR);
    expect(await bars()).toEqual([]);
  });

  it('on a deleted role is lifted only by whoever may manage the community', async () => {
    takeByHand();
    await gating().barring.bar(guild.community, '1', ROLE, 'discord:6');
    guild.adapter.blockers = ['no-role'];
    const lift = async (role?: string) =>
      await gating().barring.unbar(guild.community, '1', role, 'discord:6');
    for (const role of [ROLE, undefined]) {
      await expect(lift(role)).rejects.toMatchObject({ code: 'gate-role-gone' });
    }
    guild.adapter.join('6');
    guild.adapter.admins.add('6');
    await lift();
    expect(await bars()).toEqual([]);
  });

  it.each([ROLE, undefined])(
    'from %s whose setting hangs is lifted by whoever asks for that later',
    async (role) => {
      const silence = Promise.withResolvers<void>();
      const { adapter } = guild;
      const member = adapter.member.bind(adapter);
      adapter.member = async (...asked) => {
        await silence.promise;
        return await member(...asked);
      };
      const barring = gating().barring.bar(guild.community, '1', role, MODERATOR);
      const lifting = gating().barring.unbar(guild.community, '1', role, MODERATOR);
      lifting.catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      silence.resolve();
      await barring;
      expect(await lifting).toMatchObject([{ by: MODERATOR }]);
      expect(await bars()).toEqual([]);
    },
  );

  it("that isn't there can't be lifted", async () => {
    const lifting = gating().barring.unbar(guild.community, '1', ROLE, MODERATOR);
    await expect(lifting).rejects.toThrow(UserError);
  });

  it('on a role that they have takes nothing, and stands although they have it', async () => {
    await gating().barring.bar(guild.community, '1', ROLE, MODERATOR);
    await guild.hours(2);
    expect(guild.holders()).toEqual(['1']);
    expect(await bars()).toMatchObject([{ by: MODERATOR, isGone: false }]);
    guild.score(1, 0);
    await guild.hours(3);
    guild.score(1, 6_000);
    await guild.hours(1);
    expect(guild.holders()).toEqual([]);
  });

  it('on what somebody else had given begins when a moderator takes that', async () => {
    guild.adapter.lists = true;
    guild.adapter.joinedAt.set('2', 100);
    await guild.member(2, 0);
    guild.adapter.join('2', ROLE);
    await guild.pass();
    guild.adapter.join('2');
    guild.score(2, 6_000);
    await guild.pass();
    expect(guild.holders()).toEqual(['1']);
  });

  it('does not begin for those whose role was deleted', async () => {
    guild.adapter.blockers = ['no-role'];
    takeByHand();
    await guild.pass();
    expect(await bars()).toEqual([]);
  });

  it('set while a run grants is respected by that run', async () => {
    await guild.member(2, 6_000);
    await guild.member(3, 6_000);
    const { adapter } = guild;
    const give = adapter.give.bind(adapter);
    adapter.give = async (...asked) => {
      await gating().barring.bar(guild.community, '3', ROLE, MODERATOR);
      return await give(...asked);
    };
    await guild.pass();
    expect(guild.holders()).toEqual(['1', '2']);
  });

  it("isn't overruled by an undo", async () => {
    guild.score(1, 0);
    await guild.hours(3);
    const [took] = await guild.store.gating.runsOf(guild.community, 1);
    await gating().barring.bar(guild.community, '1', undefined, MODERATOR);
    const undo = await gating().undo(guild.community, MODERATOR, took?.id);
    expect(undo).toMatchObject({ changes: [{ status: 'skipped', reason: 'barred' }] });
    expect(guild.holders()).toEqual([]);
  });
});

describe('entry to a group', () => {
  const group = new GatedCommunity(GROUP);
  const asks = async () => {
    group.adapter.requests.add('1');
    const card = await group.gated.watch.requested(GROUP, '1', 'en');
    return card === undefined ? '' : cardText(card);
  };

  it('is refused by rules to whom an administrator has removed, until one lets them in', async () => {
    await group.rule({ grant: ENTRY });
    group.score(1, 6_000);
    await group.link('1', walletOf(1));
    expect(await asks()).toBe('');
    group.adapter.roles.delete('1');
    await group.gated.watch.removed(GROUP, '1', ENTRY, '5');
    group.gated.watch.left(GROUP, '1');
    await group.gated.watch.idle();
    expect(await asks()).toContain(EN.gate.joinBarred);
    await group.pass();
    expect(group.adapter.roles.has('1')).toBe(false);
    expect(await group.store.gating.barsOf(GROUP, ['1'])).toMatchObject([{ by: 'telegram:5' }]);
    group.adapter.join('1', ENTRY);
    await group.gated.watch.given(GROUP, '1', ENTRY, '5');
    group.gated.watch.joined(GROUP, '1');
    await group.gated.watch.idle();
    expect(await group.store.gating.barsOf(GROUP, ['1'])).toEqual([]);
  });

  it('is refused by the first rule to whom an administrator had removed before it', async () => {
    const other = new GatedCommunity(GROUP);
    await other.gated.watch.removed(GROUP, '1', ENTRY, '5');
    await other.gated.watch.idle();
    await other.rule({ grant: ENTRY });
    other.score(1, 6_000);
    await other.link('1', walletOf(1));
    other.adapter.requests.add('1');
    await other.gated.watch.requested(GROUP, '1', 'en');
    await other.pass();
    expect(other.adapter.roles.has('1')).toBe(false);
    const [row] = await other.store.gating.logOf(GROUP, '1', 10, 1);
    expect(row && reasonText(row.detail, textsFor('es'))).toBe(textsFor('es').gate.entry);
  });
});

it('names a role whose name nobody can see by its ID, on lists, in the log and in rules', async () => {
  guild.adapter.inspect = async () => ({ name: '\u200b', blockers: [] });
  await gating().barring.bar(guild.community, '1', ROLE, MODERATOR);
  const [listed] = (await gating().barring.list(guild.community, 9)).bars;
  expect(listed?.name).toBe(ROLE);
  const [row] = await gating().log(guild.community, 1, 0);
  expect(reasonText(row?.detail ?? '', EN)).toBe(ROLE);
  const [kept] = await gating().rulesOf(guild.community);
  expect(kept?.grantName).not.toBe('\u200b');
});

it('is refused on a role that nobody can give, and not for want of an answer', async () => {
  const barring = async () => await gating().barring.bar(guild.community, '1', '7', MODERATOR);
  guild.adapter.inspect = async () => ({ name: 'everybody', blockers: ['managed-role'] });
  await expect(barring()).rejects.toMatchObject({ code: 'gate-never-granted' });
  expect(await bars()).toEqual([]);
  guild.adapter.inspect = async (_, __, maker) => {
    if (maker === undefined) throw new RetryableError('away');
    return { name: 'Whales', blockers: [] };
  };
  await barring();
  expect(await bars()).toHaveLength(1);
});
