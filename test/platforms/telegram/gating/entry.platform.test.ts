import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import type { Trouble } from '../../../../bench/servers/telegram/api-server.ts';
import { LEFT, MEMBER } from '../../../../bench/servers/telegram/seats.ts';
import { GatedGroup } from '../../../support/telegram/gated-group.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const { gate } = textsFor('en');
const gated = () => new GatedGroup(telegram(), start);

describe('a join request', () => {
  it('is approved at once if a wallet meets the rule, and its author notified', async () => {
    const group = gated();
    await group.rule();
    const whale = await group.person(6_000);
    await group.asks(whale);
    expect(group.isIn(whale)).toBe(true);
    expect(group.told(whale).join()).toContain(gate.joinAdmitted);
    expect(await group.isWaiting(whale)).toBe(false);
    const { id } = whale.user;
    expect(await group.audit()).toEqual(['rule-added', `give-begun ${id}`, `admitted ${id}`]);
  });

  it('is approved once points rise while it waits', async () => {
    const group = gated();
    await group.rule();
    const person = await group.person(10);
    await group.asks(person);
    expect(group.told(person).join()).toContain(gate.tier(textsFor('en').tiers.Whale));
    await group.pass();
    expect(group.isIn(person)).toBe(false);
    group.score(person, 6_000);
    await group.pass();
    expect(group.isIn(person)).toBe(true);
    expect(group.told(person).at(-1)).toContain(gate.joinAdmitted);
  });

  it('is approved once a wallet, or a second one, is linked', async () => {
    const group = gated();
    await group.rule();
    const person = await group.person();
    await group.asks(person);
    expect(group.told(person).join()).toContain(gate.joinNoWallet.split('/link')[0]);
    await group.links(person, 6_000);
    expect(group.isIn(person)).toBe(true);
  });

  it.each(['moderator', 'undo'] as const)(
    "made while the rule was paused (%s) is approved when it's resumed",
    async (paused) => {
      const group = gated();
      const { id } = await group.rule();
      const { gating } = group.world.gated;
      await group.world.store.gating.pauseRule(group.community, id, paused);
      const whale = await group.person(6_000);
      await group.asks(whale);
      expect(group.isIn(whale)).toBe(false);
      expect(group.told(whale)).toEqual([expect.stringContaining(gate.joinPaused)]);
      await gating.unpause(group.community, id, 'telegram:1');
      await group.watch.idle();
      expect(group.isIn(whale)).toBe(true);
    },
  );

  it('is approved by a rule that requires less now', async () => {
    const group = gated();
    const { id } = await group.rule();
    const shark = await group.person(4_000);
    await group.asks(shark);
    const requirements = [{ kind: 'tier', tier: 'Shark' }] as const;
    await group.world.gated.gating.edit(group.community, id, { requirements }, 'telegram:1');
    await group.watch.idle();
    expect(group.isIn(shark)).toBe(true);
  });

  it("that Telegram refuses once as the bot isn't there isn't approved, and is later", async () => {
    const group = gated();
    await group.rule();
    const whale = await group.person(6_000);
    const description = 'Forbidden: bot is not a member of the supergroup chat';
    telegram().cause('approveChatJoinRequest', { status: 403, description }, 1);
    await group.asks(whale);
    expect(group.isIn(whale)).toBe(false);
    expect((await group.audit()).filter((row) => row.startsWith('admitted'))).toEqual([]);
    expect(await group.isWaiting(whale)).toBe(true);
    expect(group.told(whale)).toEqual([expect.stringContaining(gate.joinRefused)]);
    const list = (await group.say('/gate list')).replaceAll('\u2060', '');
    expect(list).toContain(gate.paused['no-community']);
    expect(list).not.toContain(gate.paused['no-role']);
    group.world.now += 1_200;
    await group.pass();
    expect(group.isIn(whale)).toBe(true);
    expect(group.told(whale).at(-1)).toContain(gate.joinAdmitted);
  });

  it.each<[string, Trouble]>([
    ['500', { status: 500 }],
    ['no word', 'drop'],
  ])('that Telegram refuses once with %s is approved all the same', async (_, trouble) => {
    const group = gated();
    await group.rule();
    const whale = await group.person(6_000);
    telegram().cause('approveChatJoinRequest', trouble, 1);
    await group.asks(whale);
    expect(group.isIn(whale)).toBe(true);
    expect(group.told(whale)).toEqual([expect.stringContaining(gate.joinAdmitted)]);
  });

  it.each(['the same process', 'the next one'])(
    'that Telegram refuses for longer is approved by %s within seconds',
    async (by) => {
      const group = gated();
      await group.rule();
      const whale = await group.person(6_000);
      telegram().cause('approveChatJoinRequest', { status: 500 }, 2);
      await group.asks(whale);
      expect(group.isIn(whale)).toBe(false);
      expect(group.told(whale)).toEqual([expect.stringContaining(gate.joinRefused)]);
      if (by === 'the next one') await group.restart();
      group.world.now += 5;
      await group.watch.poll();
      await group.watch.idle();
      expect(group.isIn(whale)).toBe(true);
      expect(group.told(whale).at(-1)).toContain(gate.joinAdmitted);
    },
  );

  it('of someone in too many groups tells them so once, and waits for them', async () => {
    const group = gated();
    await group.rule();
    const whale = await group.person(6_000);
    const description = 'Bad Request: USER_CHANNELS_TOO_MUCH';
    telegram().cause('approveChatJoinRequest', { status: 400, description });
    telegram().asksToJoin(whale, group.group);
    await telegram().until(() => group.told(whale).length > 0);
    const { 'too-many-communities': words } = gate.joinBlocked;
    expect(group.told(whale).join().replaceAll('\u2060', '')).toContain(words);
    await group.hours(3);
    expect((await group.audit()).filter((row) => row.startsWith('give-begun'))).toHaveLength(1);
    expect(group.told(whale)).toHaveLength(1);
    expect((await group.audit()).filter((row) => row.startsWith('refused'))).toHaveLength(1);
    telegram().calm();
    telegram().says(whale, '/start');
    await telegram().until(() => group.isIn(whale));
    await group.watch.idle();
    expect(group.told(whale).join()).toContain(gate.joinAdmitted);
  });

  it('that Telegram refuses with an unknown code holds up nobody else, and is shown', async () => {
    const group = gated();
    await group.rule();
    const [odd, whale] = [await group.person(6_000), await group.person(7_000)];
    const description = 'Bad Request: ODD_NEW_REASON';
    telegram().cause('approveChatJoinRequest', { status: 400, description }, 1);
    await group.asks(odd);
    await group.asks(whale);
    expect([group.isIn(odd), group.isIn(whale)]).toEqual([false, true]);
    await group.hours(3);
    expect((await group.audit()).filter((row) => row.startsWith('give-begun'))).toHaveLength(2);
    expect(await group.say('/gate log')).toContain(gate.refusedWith('400:ODD_NEW_REASON'));
    expect(group.isIn(odd)).toBe(false);
    await group.say('/gate run');
    expect(group.isIn(odd)).toBe(true);
  });

  it('whose approval got no response is found to be approved', async () => {
    const group = gated();
    await group.rule({ graceSeconds: 0 });
    const whale = await group.person(6_000);
    telegram().cause('approveChatJoinRequest', 'drop-after');
    await group.asks(whale);
    await group.pass();
    expect(group.told(whale)).toEqual([expect.stringContaining(gate.joinAdmitted)]);
    expect(telegram().made('approveChatJoinRequest')).toHaveLength(1);
    // This rule admitted them, so it may remove them.
    group.score(whale, 10);
    await group.hours(3);
    expect(group.isIn(whale)).toBe(false);
  });

  it("whose approval never arrived isn't mistaken for a member who left", async () => {
    const group = gated();
    await group.rule();
    const person = await group.person(10);
    await group.asks(person);
    group.score(person, 6_000);
    telegram().cause('approveChatJoinRequest', 'drop', 2);
    await group.pass();
    const { gating } = group.world.store;
    const rows = await gating.auditOf(group.community, String(person.user.id), 10, 0);
    expect(rows.map(({ event }) => event)).toContain('unknown');
    expect(rows.map(({ detail }) => detail)).not.toContain('left');
    expect(await group.isWaiting(person)).toBe(true);
    group.world.now += 1_200;
    await group.pass();
    expect(group.isIn(person)).toBe(true);
  });

  it('survives a restart', async () => {
    const group = gated();
    await group.rule();
    const person = await group.person(10);
    await group.asks(person);
    await group.restart();
    group.score(person, 6_000);
    await group.pass();
    expect(group.isIn(person)).toBe(true);
  });

  it('is forgotten when Telegram says that it was withdrawn', async () => {
    const group = gated();
    await group.rule();
    const person = await group.person(10);
    await group.asks(person);
    telegram().world.seats.endRequest(group.group.id, person.user.id);
    group.score(person, 6_000);
    await group.pass();
    expect(await group.isWaiting(person)).toBe(false);
    const rows = await group.audit();
    expect(rows.at(-1)).toBe(`skipped ${person.user.id}`);
    await group.pass();
    expect(await group.audit()).toEqual(rows);
  });

  it('is forgotten after a month', async () => {
    const group = gated();
    await group.rule();
    const person = await group.person(10);
    await group.asks(person);
    group.world.now += 29 * 86_400;
    await group.watch.tick();
    expect(await group.isWaiting(person)).toBe(true);
    group.world.now += 2 * 86_400;
    await group.watch.tick();
    expect(await group.isWaiting(person)).toBe(false);
  });

  it('that a moderator approves by hand is theirs: the rule never removes the member', async () => {
    const group = gated();
    await group.rule({ graceSeconds: 0 });
    const person = await group.person(10);
    await group.asks(person);
    telegram().world.seats.endRequest(group.group.id, person.user.id);
    await group.hears(() => telegram().places(person.user, group.group, MEMBER));
    expect(await group.isWaiting(person)).toBe(false);
    group.score(person, 6_000);
    await group.pass();
    group.score(person, 10);
    await group.hours(4);
    expect(group.isIn(person)).toBe(true);
  });

  it('that a moderator approves by hand is over, even without a wallet', async () => {
    const group = gated();
    await group.rule();
    const person = await group.person();
    await group.asks(person);
    telegram().world.seats.endRequest(group.group.id, person.user.id);
    await group.hears(() => telegram().places(person.user, group.group, MEMBER));
    expect(await group.isWaiting(person)).toBe(false);
  });

  it('that a moderator approved while the bot was away is theirs as well', async () => {
    const group = gated();
    await group.rule({ graceSeconds: 0 });
    const person = await group.person(10);
    await group.asks(person);
    telegram().world.seats.endRequest(group.group.id, person.user.id);
    // The bot isn't notified.
    telegram().world.seats.put(group.group.id, person.user.id, MEMBER);
    group.score(person, 6_000);
    await group.pass();
    expect(await group.isWaiting(person)).toBe(false);
    group.score(person, 10);
    await group.hours(4);
    expect(group.isIn(person)).toBe(true);
  });

  it('of a former member starts over', async () => {
    const group = gated();
    await group.rule();
    const whale = await group.member(6_000);
    // They leave while the bot is offline.
    telegram().world.seats.put(group.group.id, whale.user.id, LEFT);
    await group.asks(whale);
    await group.secondsLater();
    expect(group.isIn(whale)).toBe(true);
  });

  it('is stored as soon as the store is available again', async () => {
    const group = gated();
    await group.rule();
    const whale = await group.person(6_000);
    const { gating } = group.world.store;
    const { keepJoinRequest } = gating;
    let isRefused = false;
    Object.assign(gating, {
      keepJoinRequest: () => {
        isRefused = true;
        throw new RetryableError('The database is locked.');
      },
    });
    telegram().asksToJoin(whale, group.group);
    await telegram().until(() => isRefused);
    Object.assign(gating, { keepJoinRequest });
    expect(group.isIn(whale)).toBe(false);
    await group.watch.tick();
    expect(group.isIn(whale)).toBe(true);
  });

  it('repeated over and over is one row of the audit log', async () => {
    const group = gated();
    await group.rule();
    const person = await group.person(10);
    for (let i = 0; i < 3; i += 1) await group.asks(person);
    expect(group.told(person)).toHaveLength(3);
    expect(await group.audit()).toEqual(['rule-added', `turned-away ${person.user.id}`]);
  });
});

it('A join request is in a preview if it would be approved, and in a run if it was', async () => {
  const group = gated();
  await group.rule();
  const ada = await group.person(10, 'Ada');
  await group.asks(ada);
  group.score(ada, 6_000);
  const preview = await group.say('/gate preview');
  expect(preview).toContain(`${gate.gains}: 1`);
  expect(preview).toContain(`Ada (${ada.user.id})`);
  expect(group.isIn(ada)).toBe(false);
  const run = await group.say('/gate run');
  expect(run).toContain(`Ada (${ada.user.id})`);
  expect(group.isIn(ada)).toBe(true);
});

it('A request to join a group without a rule is left to its administrators', async () => {
  const group = gated();
  const whale = await group.person(6_000);
  await group.asks(whale);
  expect(group.isIn(whale)).toBe(false);
  expect(group.told(whale)).toEqual([]);
  expect(await group.isWaiting(whale)).toBe(false);
  expect(await group.audit()).toEqual([]);
});
