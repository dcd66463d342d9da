import { beforeEach, describe, expect, it } from 'vitest';
import type { UserError } from '#base/errors';
import { RetryableError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import type { Community } from '#gating/rules/rule';
import { cardText } from '../support/card-text.ts';
import { NAMES, openSetup } from '../support/gate-setup.ts';
import { GROUP, MODERATOR } from '../support/gated-community.ts';
import { Life } from '../support/mortal.ts';
import { EFFORT, killSteps } from '../support/random.ts';

/* `/gate setup`: a role and a rule for each tier, as a ladder. */

const EN = textsFor('en');
/** More calls than a setup makes. */
const MOST_CALLS = 200;

let { guild, adapter, setup, names, rules, settings, carryOut, posted, say } = openSetup();

beforeEach(() => open());

function open(community?: Community): void {
  ({ guild, adapter, setup, names, rules, settings, carryOut, posted, say } = openSetup(community));
}

it('The setup of roles shows what it would make and asks; then makes it, and nothing when run again', async () => {
  const plan = await say({ channel: '77' });
  expect(cardText(plan)).toContain('🐋 *Whale*');
  expect(cardText(plan)).toContain(EN.gate.setupTiers.new);
  expect(names()).toEqual([]);
  expect(plan.actions[0]?.map((each) => 'call' in each && each.call.args)).toEqual([
    { action: 'setup', rule: 'nnnnn', channel: '77', answer: 'go' },
  ]);
  const done = await say({ answer: 'go', channel: '77' });
  expect(cardText(done)).toContain(EN.gate.setupDone);
  expect(names()).toEqual(NAMES);
  expect(adapter.made.map(({ tier }) => tier)).toEqual(NAMES);
  expect(await rules()).toEqual(expect.arrayContaining(NAMES));
  expect(await settings()).toMatchObject({ isLadder: true, logChannel: '77' });
  expect(cardText(await say({}))).toContain(EN.gate.setupNothing);
  await say({ answer: 'go' });
  expect(names()).toEqual(NAMES);
  expect(await rules()).toHaveLength(5);
});

it('The setup of roles lists the rules it made from the highest tier down', async () => {
  await carryOut();
  expect(await rules()).toEqual(NAMES);
});

it('The setup of roles gives members the role of their tier alone', async () => {
  await carryOut();
  await guild.member(1, 6_000);
  adapter.join('1');
  await guild.pass();
  const whale = adapter.made.find(({ name }) => name === 'Whale')?.id;
  expect([...(adapter.roles.get('1') ?? [])]).toEqual([whale]);
});

it("A setup names roles in the community's language", async () => {
  await guild.gated.gating.choices.setLanguage(guild.community, 'es', MODERATOR);
  await carryOut();
  expect(names()).toEqual(['Titán', 'Ballena', 'Tiburón', 'Delfín', 'Camarón']);
});

describe('roles of these names that exist', () => {
  beforeEach(() => {
    adapter.others.push({ id: '501', name: 'whale' }, { id: '502', name: 'Tiburón' });
  });

  it('are offered and used, and stay when it is undone', async () => {
    expect(cardText(await say({}))).toContain('Whale: *@whale*');
    await say({ answer: 'go' });
    expect(names()).toEqual(['Titan', 'Dolphin', 'Shrimp']);
    await say({ answer: 'sure' });
    expect(names()).toEqual([]);
    expect(adapter.others).toHaveLength(3);
    expect(await rules()).toEqual([]);
  });

  it.each([
    ['🐋 Whales', 'Whale'],
    ['Tiburones', 'Shark'],
    ['TITANES', 'Titan'],
    ['Camaron', 'Shrimp'],
  ])('are known as %s too', async (name, tier) => {
    adapter.others.splice(1, 2, { id: '503', name });
    const plan = await setup().plan(guild.community, MODERATOR, {});
    expect(plan.tiers.filter(({ is }) => is === 'offered')).toEqual([
      { tier, is: 'offered', name, role: '503', cautions: [], replaces: [] },
    ]);
  });

  it('are not those of other words', async () => {
    adapter.others.splice(1, 2, { id: '503', name: 'Whale watchers' });
    const plan = await setup().plan(guild.community, MODERATOR, {});
    expect(plan.tiers.some(({ is }) => is === 'offered')).toBe(false);
  });

  it('are left alone if the moderator wants new ones', async () => {
    await say({ answer: 'new' });
    expect(names()).toEqual(NAMES);
  });

  it('are kept for their rules', async () => {
    await guild.rule({ grant: '501', requirements: [{ kind: 'tier', tier: 'Whale' }] });
    expect(cardText(await say({}))).toContain(EN.gate.setupTiers.ruled);
    await say({ answer: 'go' });
    expect(await rules()).toHaveLength(5);
    await say({ answer: 'sure' });
    expect(await rules()).toEqual(['whale']);
  });
});

describe('its undo', () => {
  it('asks, then removes what it made and sets back what it set', async () => {
    await guild.gated.gating.setLogChannel(guild.community, '70', await say({}), MODERATOR);
    await carryOut(false, '77');
    const mine = await guild.rule({ grant: '500', requirements: [{ kind: 'score', least: 9 }] });
    const asked = await say({ answer: 'undo' });
    expect(cardText(asked)).toContain(EN.gate.setupUndoAsk);
    expect(names()).toEqual(NAMES);
    expect(cardText(await say({ answer: 'sure' }))).toContain(EN.gate.setupUndone);
    expect(names()).toEqual([]);
    expect((await guild.gated.gating.rulesOf(guild.community)).map(({ id }) => id)).toEqual([
      mine.id,
    ]);
    expect(await settings()).toMatchObject({ logChannel: '70' });
    expect((await settings()).isLadder).toBeUndefined();
    expect(cardText(await say({ answer: 'undo' }))).toContain(EN.gate.setupNone);
  });

  it.each([
    ['by a list of the members', true, true],
    ['by a count of the members', false, true],
    ['where nobody says who has it', false, false],
  ])('leaves roles that somebody else needs by now, and says so, %s', async (_, lists, counts) => {
    await carryOut();
    adapter.lists = lists;
    adapter.tellsCounts = counts;
    await guild.member(1, 6_000);
    await guild.member(2, 10);
    for (const account of ['1', '2']) adapter.join(account);
    await guild.pass();
    const idOf = (tier: string) => adapter.made.find(({ name }) => name === tier)?.id ?? '';
    const [shark, titan] = [idOf('Shark'), idOf('Titan')];
    await guild.rule({ grant: shark, requirements: [{ kind: 'score', least: 9_999 }] });
    adapter.roles.get('2')?.add(titan);
    const told = cardText(await say({ answer: 'sure' }));
    const { ruled, given, untold } = textsFor('en').gate.setupLeftRoles;
    const left = counts ? ['Titan', 'Shark'] : NAMES;
    expect(names()).toEqual(left);
    expect(told).toContain(`*@Shark*\n  ${ruled}`);
    expect(told).toContain(`*@Titan*\n  ${counts ? given : untold}`);
    expect(await rules()).toEqual(['Shark']);
    expect(adapter.roles.get('2')).toContain(titan);
    expect(await setup().recordOf(guild.community)).toBeUndefined();
  });

  it('keeps a ladder and a channel that somebody else chose', async () => {
    await guild.gated.gating.setLadder(guild.community, true, MODERATOR);
    await carryOut(false, '77');
    await guild.gated.gating.setLogChannel(guild.community, '78', await say({}), MODERATOR);
    await setup().undo(guild.community, MODERATOR);
    expect(await settings()).toMatchObject({ isLadder: true, logChannel: '78' });
  });

  it('after a second setup keeps the channel that somebody chose between the two', async () => {
    await carryOut(false, '77');
    await guild.gated.gating.setLogChannel(guild.community, '78', await say({}), MODERATOR);
    const [first] = await guild.gated.gating.rulesOf(guild.community);
    await guild.gated.gating.remove(guild.community, first?.id ?? '', MODERATOR);
    await carryOut();
    expect(await settings()).toMatchObject({ logChannel: '78' });
    await setup().undo(guild.community, MODERATOR);
    expect(await settings()).toMatchObject({ logChannel: '78' });
  });

  it('sets back the channel that was chosen before the setup that changed it', async () => {
    const choose = async (channel: string) =>
      await guild.gated.gating.setLogChannel(guild.community, channel, await say({}), MODERATOR);
    const again = async (channel: string | undefined) => {
      const [first] = await guild.gated.gating.rulesOf(guild.community);
      await guild.gated.gating.remove(guild.community, first?.id ?? '', MODERATOR);
      await carryOut(false, channel);
    };
    await choose('70');
    await carryOut(false, '77');
    await again(undefined);
    await choose('78');
    await again('79');
    expect(await settings()).toMatchObject({ logChannel: '79' });
    await setup().undo(guild.community, MODERATOR);
    expect(await settings()).toMatchObject({ logChannel: '78' });
  });

  it('removes what a second setup added, too', async () => {
    await carryOut();
    const [first] = await guild.gated.gating.rulesOf(guild.community);
    await guild.gated.gating.remove(guild.community, first?.id ?? '', MODERATOR);
    await adapter.deleteRole('', first?.grant ?? '');
    await carryOut();
    expect(new Set(names())).toEqual(new Set(NAMES));
    await setup().undo(guild.community, MODERATOR);
    expect(names()).toEqual([]);
    expect(await rules()).toEqual([]);
  });
});

it('The setup of roles refuses clearly where it lacks rights or room, and makes nothing', async () => {
  adapter.blockers = ['no-manage-roles'];
  const refused = await say({ answer: 'go' });
  expect(cardText(refused)).toContain(EN.gate.blockers['no-manage-roles']);
  adapter.blockers = [];
  for (let id = 1_000; id < 1_246; id++) adapter.others.push({ id: String(id), name: 'x' });
  expect(cardText(await say({}))).toContain(EN.gate.setupBlocked['too-many-roles']);
  await say({ answer: 'go' });
  expect(names()).toEqual([]);
  expect(await setup().recordOf(guild.community)).toBeUndefined();
});

it('The setup of roles says what is in the way in the middle, and goes on or undoes it', async () => {
  adapter.before = (call) => (call.startsWith('make Shark') ? 'not-allowed' : undefined);
  const stopped = await say({ answer: 'go' });
  expect(cardText(stopped)).toContain(EN.gate.setupBlocked['not-allowed']);
  expect(names()).toEqual(['Titan', 'Whale']);
  expect(cardText(await say({}, 'es'))).toContain(textsFor('es').gate.setupLeft);
  adapter.before = () => undefined;
  await say({ answer: 'go' });
  expect(names()).toEqual(NAMES);
});

it('The setup of roles is said in the list of rules while it waits for somebody to go on', async () => {
  await carryOut();
  const list = async () => cardText(await say({ action: 'list' }));
  expect(await list()).not.toContain(EN.gate.setupLeft);
  const { setup: record } = await settings();
  await guild.store.gating.putSettings(guild.community, {
    setup: record && { ...record, status: 'ending' },
  });
  expect(await list()).toContain(EN.gate.setupLeft);
  await say({ answer: 'sure' });
  expect(await list()).not.toContain(EN.gate.setupLeft);
});

it('The setup of roles makes a role again that somebody deleted in the middle, once someone goes on', async () => {
  adapter.before = (call) => (call.startsWith('make Shark') ? 'not-allowed' : undefined);
  await carryOut();
  adapter.before = () => undefined;
  await adapter.deleteRole('', adapter.made[1]?.id ?? '');
  const stopped = await say({ answer: 'go' });
  expect(cardText(stopped)).toContain(textsFor('en').gate.blockers['no-role']);
  await say({ answer: 'go' });
  expect(new Set(names())).toEqual(new Set(NAMES));
  expect(names()).toHaveLength(5);
  expect(await rules()).toHaveLength(5);
  await setup().undo(guild.community, MODERATOR);
  expect(names()).toEqual([]);
});

it('The setup of roles makes a role again that is gone before it has its name', async () => {
  const { renameRole } = adapter;
  let isDeleted = false;
  adapter.renameRole = async (community, id, name) => {
    if (!isDeleted && name === 'Whale') {
      isDeleted = true;
      await adapter.deleteRole(community, id);
    }
    return await renameRole.call(adapter, community, id, name);
  };
  expect((await carryOut())?.stopped).toEqual(['no-role']);
  expect((await carryOut())?.stopped).toBeUndefined();
  expect(names()).toEqual(NAMES);
});

it('The setup of roles goes on by the rights of whoever goes on with it', async () => {
  adapter.before = (call) => (call.startsWith('make Shark') ? 'not-allowed' : undefined);
  await carryOut();
  adapter.before = () => undefined;
  // Demoted since.
  adapter.lowMakers.add('1');
  expect((await carryOut())?.stopped).toEqual(['role-above-maker']);
  const result = await setup().carryOut(guild.community, 'discord:2', {}, false);
  expect(result?.stopped).toBeUndefined();
  const made = await guild.gated.gating.rulesOf(guild.community);
  expect(made.map(({ createdBy }) => createdBy)).toEqual(Array.from(NAMES, () => 'discord:2'));
});

it('The setup of roles makes each role once although answers were lost', async () => {
  adapter.losesAnswers = true;
  for (let i = 0; i < 5; i++) await expect(carryOut()).rejects.toThrow(RetryableError);
  adapter.losesAnswers = false;
  await carryOut();
  expect(names()).toEqual(NAMES);
});

it('The setup of roles says in Telegram what applies there', async () => {
  open(GROUP);
  expect(cardText(await say({}))).toContain(EN.gate.setupEntry);
  const refused = setup().plan(guild.community, MODERATOR, {});
  await expect(refused).rejects.toMatchObject({
    code: 'gate-roles-only',
  } satisfies Partial<UserError>);
});

it('Several setups at once make everything once', async () => {
  await Promise.all([carryOut(), carryOut(), carryOut()]);
  expect(names()).toEqual(NAMES);
  expect(await rules()).toHaveLength(5);
});

it.each([
  ['goes on', 'go'],
  ['is undone', 'sure'],
] as const)('%s exactly, wherever the process was killed', async (_, answer) => {
  for (const killedAt of killSteps(MOST_CALLS, EFFORT)) {
    open();
    const life = new Life(killedAt - 1, killedAt % 2 === 0);
    const { gating } = guild.open({
      store: life.of(guild.store.gating),
      adapterOf: () => life.of(adapter),
    });
    let isOver = false;
    const done = () => {
      isOver = true;
    };
    const places = { channel: '77', panel: '88' };
    void gating.setup.carryOut(guild.community, MODERATOR, places, false).then(done, done);
    await expect.poll(() => isOver || life.isOver, { interval: 1 }).toBe(true);
    const wasKilled = life.isOver;
    await say({ answer, channel: '77', panel: '88' });
    const about = `killed in call ${killedAt}`;
    const isBegun = names().length > 0 || answer === 'sure';
    expect(isBegun, about).toBe(true);
    expect(names(), about).toEqual(answer === 'go' ? NAMES : []);
    expect(await rules(), about).toHaveLength(answer === 'go' ? 5 : 0);
    expect((await settings()).isLadder, about).toBe(answer === 'go' ? true : undefined);
    expect(posted(), about).toEqual(answer === 'go' ? ['88'] : []);
    await guild.store.close();
    if (wasKilled) continue;
    expect(killedAt).toBeGreaterThan(40);
    return;
  }
});
