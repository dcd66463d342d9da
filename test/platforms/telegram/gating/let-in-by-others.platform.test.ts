import type { User } from 'grammy/types';
import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { ADMIN, LEFT, MEMBER, type Seat } from '../../../../bench/servers/telegram/seats.ts';
import { walletOf } from '../../../support/import-lines.ts';

import { KeptGate } from '../../../support/telegram/gate.ts';
import { GatedGroup } from '../../../support/telegram/gated-group.ts';
import { TestInbox } from '../../../support/telegram/inbox.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

/* Whom an administrator removed stays barred until a person lets them in, whichever way they come back. */

const { telegram, start } = useTelegram();
const { events } = textsFor('en').gate;

/** A group whose owner has removed a member, and another bot that is an administrator there. */
async function scene({ basic = false } = {}) {
  const group = new GatedGroup(telegram(), start, { basic });
  await group.rule();
  const vera = await group.member(6_000, 'Vera');
  const bot = await group.person(undefined, 'Doorkeeper');
  bot.user.is_bot = true;
  telegram().world.seats.put(group.group.id, bot.user.id, ADMIN);
  const moves = async (seat: typeof MEMBER | typeof LEFT, by = vera) =>
    await group.hears(() => telegram().places(vera.user, group.group, seat, by.user));
  await moves(LEFT, group.owner);
  return {
    ...{ group, vera, bot, moves },
    barred: async () => {
      const { gating } = group.world.store;
      return (await gating.barsOf(group.community, [String(vera.user.id)])).map(({ by }) => by);
    },
    /** Every way in which the bot looks at them. */
    looks: async () => {
      await group.links(vera, 7_000);
      await group.pass();
      await group.watch.idle();
    },
  };
}

it('By another link nobody gives them anything: the bar stands', async () => {
  const { group, vera, moves, barred, looks } = await scene();
  await moves(MEMBER);
  await looks();
  expect(await barred()).toEqual([`telegram:${group.owner.user.id}`]);
  expect(group.isIn(vera)).toBe(true);
  await moves(LEFT);
  await group.asks(vera);
  expect(group.isIn(vera)).toBe(false);
});

it('What another bot approves ends no bar, and the log says so', async () => {
  const { group, vera, bot, moves, barred, looks } = await scene();
  await moves(MEMBER, bot);
  await looks();
  expect(await barred()).toEqual([`telegram:${group.owner.user.id}`]);
  const log = await group.world.store.gating.logOf(group.community, String(vera.user.id), 100, 0);
  const kept = log.filter(({ event }) => event === 'bar-kept').map(({ by }) => by);
  expect(kept).toEqual([`telegram:${bot.user.id}`]);
  expect(await group.say('/gate log')).toContain(events['bar-kept']);
});

it('A person in charge who lets them in ends it, under their name or anonymously', async () => {
  const { group, moves, barred } = await scene();
  await moves(MEMBER, group.owner);
  expect(await barred()).toEqual([]);
  await moves(LEFT, group.owner);
  const anonymous = {
    ...group.owner,
    user: { ...group.owner.user, id: 1_087_968_824, is_bot: true },
  };
  await moves(MEMBER, anonymous);
  expect(await barred()).toEqual([]);
});

it('Whom an anonymous administrator removed is barred by words in place of a number', async () => {
  const { group, moves, barred } = await scene();
  await moves(MEMBER, group.owner);
  const id = 1_087_968_824;
  await moves(LEFT, { ...group.owner, user: { ...group.owner.user, id, is_bot: true } });
  expect(await barred()).toEqual([`telegram:${id}`]);
  for (const command of ['/gate list', '/gate log']) {
    const shown = await group.say(command);
    expect(shown).toContain(textsFor('en').chat.standIns.anonymous);
    expect(shown).not.toContain(String(id));
  }
});

it.each([
  ['a person in charge', true],
  ['a member', false],
])('While Telegram is silent about %s who lets them in, it is asked again', async (_, mayDoSo) => {
  const { group, vera, barred } = await scene();
  const friend = mayDoSo ? group.owner : await group.person(undefined, 'Max');
  telegram().cause('getChatMember', { status: 500 }, 1_000);
  const asked = () =>
    telegram().calls.filter(({ method, ok }) => method === 'getChatMember' && !ok).length;
  telegram().places(vera.user, group.group, MEMBER, friend.user);
  await telegram().until(() => asked() > 0);
  await group.watch.idle();
  const before = await barred();
  expect(before).toHaveLength(1);
  telegram().calm();
  group.world.now += 60;
  // Only then does what comes of it begin.
  await group.hears(() => group.watch.poll());
  await group.watch.idle();
  expect(await barred()).toEqual(mayDoSo ? [] : before);
});

it('Whom they removed from a group that lost its rules stays barred though it changes its id unheard', async () => {
  const { group, vera } = await scene({ basic: true });
  const { gating } = group.world.gated;
  for (const { id } of await gating.rulesOf(group.community)) {
    await gating.remove(group.community, id, `telegram:${group.owner.user.id}`);
  }
  group.group = telegram().migrates(group.group, []);
  await group.restart();
  await group.rule();
  await group.asks(vera);
  expect(group.isIn(vera)).toBe(false);
});

it('Whom Telegram bans is unbarred only by whoever may ban', async () => {
  const { group, vera, barred } = await scene();
  const { gating } = group.world.gated;
  const banned = { status: 'kicked', until_date: 0 } as const;
  telegram().world.seats.put(group.group.id, vera.user.id, banned);
  const doorman = await group.person(undefined, 'Doorman');
  const unbar = async (seat: Seat) => {
    telegram().world.seats.put(group.group.id, doorman.user.id, seat);
    const by = `telegram:${doorman.user.id}`;
    await gating.barring.unbar(group.community, String(vera.user.id), undefined, by);
  };
  const lifting = unbar({ ...ADMIN, can_restrict_members: false });
  await expect(lifting).rejects.toMatchObject({ code: 'gate-banned' });
  expect(await barred()).toHaveLength(1);
  await unbar(ADMIN);
  expect(await barred()).toEqual([]);
});

it('Whom an administrator bans while they wait isn’t let in, though Telegram has yet to report it', async () => {
  const group = new GatedGroup(telegram(), start);
  await group.rule();
  const vera = await group.person(10, 'Vera');
  await group.asks(vera);
  const banned = { status: 'kicked', until_date: 0 } as const;
  telegram().world.seats.put(group.group.id, vera.user.id, banned);
  await group.links(vera, 7_000);
  await group.pass();
  expect(group.callsAbout('approveChatJoinRequest')).toEqual([]);
  telegram().places(vera.user, group.group, LEFT, group.owner.user);
  await group.watch.idle();
  expect(await group.isWaiting(vera)).toBe(false);
});

it('Whom an administrator bans stays out while Telegram leaves the approval of somebody else unanswered', async () => {
  const group = new GatedGroup(telegram(), start);
  await group.rule();
  const vera = await group.member(6_000, 'Vera');
  const slow = await group.person(undefined, 'Slow');
  await group.asks(slow);
  telegram().cause('approveChatJoinRequest', 'hang');
  const approvals = () => group.callsAbout('approveChatJoinRequest').length;
  const before = telegram().calls.length;
  group.score(slow, 7_000);
  await group.world.link(String(slow.user.id), walletOf(slow.user.id));
  group.watch.linksChanged({ platform: 'telegram', id: String(slow.user.id) });
  await telegram().until(() =>
    telegram()
      .calls.slice(before)
      .some(({ method }) => method === 'approveChatJoinRequest'),
  );
  telegram().places(vera.user, group.group, { status: 'kicked', until_date: 0 }, group.owner.user);
  telegram().places(vera.user, group.group, LEFT, group.owner.user);
  await group.asks(vera);
  expect(group.isIn(vera)).toBe(false);
  expect(approvals()).toBe(1);
});

it("An administrator's removal is kept until it's recorded, and what the member does next waits", async () => {
  const inbox = new TestInbox();
  const recorded = Promise.withResolvers<void>();
  const gate = Object.assign(new KeptGate(), { removed: () => recorded.promise });
  start({ gate, inbox, replica: 'a', clock: Date.now });
  await telegram().until(() => telegram().updates.isWaited);
  const group = telegram().world.group({ bot: ADMIN });
  const { user } = telegram().world.person();
  const person = telegram().world.people.get(user.id);
  if (person === undefined) throw new Error('nobody is there');
  telegram().world.seats.put(group.id, user.id, MEMBER);
  telegram().places(user, group, LEFT, telegram().world.person().user);
  telegram().asksToJoin(person, group);
  await telegram().until(() => inbox.unsettled === 2);
  expect(gate.requests).toEqual([]);
  recorded.resolve();
  await telegram().until(() => inbox.unsettled === 0);
  expect(gate.requests).toHaveLength(1);
});

it.each<readonly [string, (user: User, by: User) => readonly [User, User], boolean]>([
  ['waits for their removal', (user, by) => [user, by], true],
  ['waits for nobody else, nor for who left', (user, by) => [by, user], false],
])('The approval of a member %s that another replica has yet to record', async (_, who, waits) => {
  const inbox = new TestInbox();
  const group = new GatedGroup(telegram(), (changes) => start({ ...changes, inbox, replica: 'b' }));
  await group.rule();
  const vera = await group.person(6_000, 'Vera');
  const [removed, by] = who(vera.user, group.owner.user);
  const left = [
    removalOf(removed, by, group.group.id),
    removalOf(vera.user, vera.user, group.group.id),
    removalOf(vera.user, group.owner.user, 2 * group.group.id),
  ];
  for (const [i, chat_member] of left.entries()) {
    const update = { update_id: 5_000_000 + i, chat_member };
    const body = JSON.stringify(update);
    await inbox.receive({ platform: 'telegram', id: String(update.update_id), body }, 'a');
  }
  await group.asks(vera);
  expect(group.isIn(vera)).toBe(!waits);
  if (!waits) return;
  inbox.bury('a');
  await telegram().until(() => inbox.unsettled === 0);
  await group.pass();
  expect(group.isIn(vera)).toBe(false);
  const bars = await group.world.store.gating.barsOf(group.community, [String(vera.user.id)]);
  expect(bars.map((bar) => bar.by)).toEqual([`telegram:${by.id}`]);
});

/** As Telegram reports it. */
function removalOf(user: User, from: User, group: number) {
  const chat = { id: group, type: 'supergroup', title: 'Whales' };
  const [before, after] = [{ status: 'member' }, { status: 'kicked', until_date: 0 }];
  return {
    ...{ chat, from, date: 1_800_000_000 },
    old_chat_member: { ...before, user },
    new_chat_member: { ...after, user },
  };
}

it.each([
  ['en', /admitting them by hand doesn’t\.$/m],
  ['es', /admitirlo a mano no lo levanta\.$/m],
])(
  'A bar by command outlasts being let in by hand, as its answer says in %s',
  async (language, says) => {
    const { group, vera, moves } = await scene();
    await moves(MEMBER, group.owner);
    Object.assign(group.owner.user, { language_code: language });
    const replyTo = telegram().says(vera, 'Hi', { in: group.group }).kept;
    const before = group.told(group.owner).length;
    telegram().says(group.owner, '/gate bar', { in: group.group, replyTo });
    await telegram().until(() => group.told(group.owner).length > before);
    expect(group.told(group.owner).at(-1)).toMatch(says);
    await moves(LEFT);
    await moves(MEMBER, group.owner);
    const bars = await group.world.store.gating.barsOf(group.community, [String(vera.user.id)]);
    expect(bars).toHaveLength(1);
  },
);
