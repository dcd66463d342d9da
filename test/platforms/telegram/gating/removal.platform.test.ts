import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import type { ChangeOutcome } from '#gating/community-adapter';
import type { TelegramOptions } from '#platforms/telegram/bot';
import { ADMIN, LEFT, MEMBER, OWNER, type Seat } from '../../../../bench/servers/telegram/seats.ts';
import { BOT } from '../../../../bench/servers/telegram/world.ts';
import { KeptGate } from '../../../support/telegram/gate.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();

interface Setting extends Partial<TelegramOptions> {
  readonly seat?: Seat;
  readonly basic?: boolean;
}

/** A bot in a group, and someone to remove. */
function startRemoving({ seat = MEMBER, basic = false, ...changes }: Setting = {}) {
  const bot = start({ gate: new KeptGate(), clock: Date.now, ...changes });
  const group = telegram().world.group({ bot: ADMIN, basic });
  const { user } = telegram().world.person();
  telegram().world.seats.put(group.id, user.id, seat);
  const take = () => bot.communityAdapter.take(String(group.id), String(user.id), 'entry', 'x');
  return { bot, group, user, take, seatNow: () => telegram().world.seats.of(group.id, user.id) };
}

/** How often it was called, successfully or not. */
const times = (method: string) => telegram().calls.filter((each) => each.method === method).length;

describe('a removal', () => {
  it('bans nobody for more than a moment', async () => {
    const { take, seatNow } = startRemoving();
    expect(await take()).toBe('done');
    expect(seatNow()).toEqual(LEFT);
    expect([times('banChatMember'), times('unbanChatMember')]).toEqual([1, 1]);
  });

  it('would end on its own if nobody ended it', async () => {
    const { take, seatNow } = startRemoving();
    telegram().cause('unbanChatMember', { status: 500 }, 3);
    await expect(take()).rejects.toThrow(RetryableError);
    const seat = seatNow();
    const until = seat.status === 'kicked' ? seat.until_date : 0;
    const minutes = (until - Date.now() / 1000) / 60;
    // Zero would mean forever.
    expect(minutes).toBeGreaterThan(10);
    expect(minutes).toBeLessThan(24 * 60);
  });

  it('works in a group without bans', async () => {
    const { take, seatNow } = startRemoving({ basic: true });
    expect(await take()).toBe('done');
    expect(seatNow()).toEqual(LEFT);
  });

  it.each<[string, Seat, ChangeOutcome]>([
    ['an administrator', ADMIN, 'spared'],
    ['the owner', OWNER, 'spared'],
    ['who has left', LEFT, 'left'],
    ['who has left with restrictions', { status: 'restricted', is_member: false }, 'left'],
    // Banned by someone else; the ban stays.
    ['who was banned', { status: 'kicked', until_date: 0 }, 'left'],
  ])("isn't made for %s", async (_, seat, outcome) => {
    const { take, seatNow } = startRemoving({ seat });
    expect(await take()).toBe(outcome);
    expect(seatNow()).toEqual(seat);
    expect([times('banChatMember'), times('unbanChatMember')]).toEqual([0, 0]);
  });

  it('is made for restricted members', async () => {
    const { take, seatNow } = startRemoving({ seat: { status: 'restricted', is_member: true } });
    expect(await take()).toBe('done');
    expect(seatNow()).toEqual(LEFT);
  });

  it.each<[string, ChangeOutcome]>([
    ['Bad Request: user is an administrator of the chat', 'spared'],
    ["Bad Request: can't remove chat owner", 'spared'],
    ['Bad Request: member not found', 'left'],
    ['Bad Request: not enough rights to restrict/unrestrict chat member', 'not-allowed'],
    ['Bad Request: chat not found', 'no-community'],
    ['Bad Request: ODD_THING', 'refused 400:ODD_THING'],
  ])('that meets “%s” changes nothing', async (description, outcome) => {
    const { take, seatNow } = startRemoving();
    telegram().cause('banChatMember', { status: 400, description });
    expect(await take()).toBe(outcome);
    expect(seatNow()).toEqual(MEMBER);
    expect(times('unbanChatMember')).toBe(0);
  });

  it('is refused to a bot without the permission, and in a deleted group', async () => {
    const { group, take } = startRemoving();
    const seat = { ...ADMIN, can_restrict_members: false };
    telegram().world.seats.put(group.id, BOT.id, seat);
    expect(await take()).toBe('not-allowed');
    telegram().world.left.add(group.id);
    expect(await take()).toBe('no-community');
  });
});

describe('an interrupted removal', () => {
  it('is completed by the next attempt', async () => {
    const { take, seatNow } = startRemoving();
    telegram().cause('unbanChatMember', { status: 500 }, 3);
    await expect(take()).rejects.toThrow(RetryableError);
    expect(await take()).toBe('done');
    expect(seatNow()).toEqual(LEFT);
    expect(times('banChatMember')).toBe(1);
    expect(await take()).toBe('left');
  });

  it('is retried even if the permission was lost meanwhile', async () => {
    const { take } = startRemoving();
    const description = 'Bad Request: not enough rights to restrict/unrestrict chat member';
    telegram().cause('unbanChatMember', { status: 400, description });
    await expect(take()).rejects.toThrow(RetryableError);
    expect(await take()).toBe('done');
  });

  it("is completed by the next attempt although the ban's response was lost", async () => {
    const { take, seatNow } = startRemoving();
    telegram().cause('banChatMember', 'drop-after', 3);
    await expect(take()).rejects.toThrow(RetryableError);
    expect(seatNow().status).toBe('kicked');
    expect(await take()).toBe('done');
    expect(seatNow()).toEqual(LEFT);
  });

  it('starts over with the next attempt if the ban was never made', async () => {
    const { take, seatNow } = startRemoving();
    telegram().cause('banChatMember', 'drop', 3);
    await expect(take()).rejects.toThrow(RetryableError);
    expect(seatNow()).toEqual(MEMBER);
    expect(await take()).toBe('done');
    expect(seatNow()).toEqual(LEFT);
  });

  it('leaves nothing to complete if the ban was refused', async () => {
    const { group, user, take } = startRemoving();
    const description = 'Bad Request: not enough rights to restrict/unrestrict chat member';
    telegram().cause('banChatMember', { status: 400, description });
    expect(await take()).toBe('not-allowed');
    telegram().world.seats.put(group.id, user.id, { status: 'kicked', until_date: 0 });
    expect(await take()).toBe('left');
    expect(times('unbanChatMember')).toBe(0);
  });

  it('is completed within the same attempt after a passing fault', async () => {
    const { take, seatNow } = startRemoving();
    telegram().cause('unbanChatMember', { status: 429, retryAfter: 0.05 }, 2);
    telegram().cause('unbanChatMember', { status: 500 }, 1);
    expect(await take()).toBe('done');
    expect(seatNow()).toEqual(LEFT);
  });
});

describe('a removal by a process killed between its halves', () => {
  const seconds = () => Math.floor(Date.now() / 1000);

  it('is completed by whoever settles it', async () => {
    const seat: Seat = { status: 'kicked', until_date: seconds() + 3_590 };
    const { bot, group, user, seatNow } = startRemoving({ seat });
    await bot.communityAdapter.finishTake?.(String(group.id), String(user.id));
    expect(seatNow()).toEqual(LEFT);
  });

  it.each<[string, Seat]>([
    ['a ban for ever', { status: 'kicked', until_date: 0 }],
    ['a ban of a day', { status: 'kicked', until_date: seconds() + 86_400 }],
    ['a member', MEMBER],
  ])('leaves %s alone', async (_, seat) => {
    const { bot, group, user, seatNow } = startRemoving({ seat });
    await bot.communityAdapter.finishTake?.(String(group.id), String(user.id));
    expect(seatNow()).toEqual(seat);
    expect(times('unbanChatMember')).toBe(0);
  });
});

describe('a shutdown', () => {
  it('waits for a removal to complete', async () => {
    const { bot, take, seatNow } = startRemoving();
    telegram().cause('unbanChatMember', { status: 500 }, 1);
    const taken = take();
    await telegram().nth('banChatMember', 1);
    await bot.stop();
    expect(seatNow()).toEqual(LEFT);
    expect(await taken).toBe('done');
  });

  it("that can't wait that long doesn't stop it either", async () => {
    const { bot, take, seatNow } = startRemoving({ timing: { stopMs: 10 } });
    telegram().cause('unbanChatMember', { status: 500 }, 2);
    const taken = take();
    await telegram().nth('banChatMember', 1);
    await bot.stop();
    expect(await taken).toBe('done');
    expect(seatNow()).toEqual(LEFT);
  });

  it('lets none begin', async () => {
    const { bot, take, seatNow } = startRemoving();
    await bot.stop();
    await expect(take()).rejects.toThrow(RetryableError);
    expect(seatNow()).toEqual(MEMBER);
  });
});
