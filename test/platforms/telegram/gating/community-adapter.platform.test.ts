import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { type Card, noteCard } from '#command/cards/card';
import type { ChangeOutcome, CommunityAdapter, RuleBlocker } from '#gating/community-adapter';
import { UnreachableCommunity } from '#gating/platform';
import type { Trouble } from '../../../../bench/servers/telegram/api-server.ts';
import { ADMIN, LEFT, MEMBER, OWNER, type Seat } from '../../../../bench/servers/telegram/seats.ts';
import { BOT, type Group } from '../../../../bench/servers/telegram/world.ts';
import { answererWith } from '../../../support/ask.ts';
import { keptLog } from '../../../support/telegram/bot.ts';
import { guard, KeptGate } from '../../../support/telegram/gate.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

const { telegram, start } = useTelegram();
const CARD: Card = {
  ...noteCard('plain', 'A title', 'A sentence.'),
  actions: [[{ label: 'List', call: { command: 'guard', args: { action: 'list' } } }]],
};

/** A communityAdapter, a group that its bot is in, and someone there. */
function startKeeping({
  bot = ADMIN,
  seat = MEMBER,
  callSeconds = 60,
}: {
  bot?: Seat;
  seat?: Seat;
  callSeconds?: number;
} = {}) {
  const log = keptLog();
  const answerer = answererWith({ commands: [guard] });
  const { communityAdapter } = start({
    answerer,
    gate: new KeptGate(),
    log,
    timing: { callSeconds },
  });
  const group = telegram().world.group({ bot });
  const person = telegram().world.person({ name: 'Vera' });
  telegram().world.seats.put(group.id, person.user.id, seat);
  const account = String(person.user.id);
  return { communityAdapter, log, group, community: String(group.id), person, account };
}

type Kept = ReturnType<typeof startKeeping>;

describe('a blocker', () => {
  it.each<[string, Seat, readonly RuleBlocker[]]>([
    ['nothing', ADMIN, []],
    ['no right to invite', { ...ADMIN, can_invite_users: false }, ['no-invite-right']],
    ['no right to ban', { ...ADMIN, can_restrict_members: false }, ['no-ban-right']],
    ['that the bot is a mere member', MEMBER, ['no-invite-right', 'no-ban-right']],
    ['that the bot has left', LEFT, ['no-community']],
  ])('is %s', async (_, bot, blockers) => {
    const { communityAdapter, community } = startKeeping({ bot });
    const name = blockers.includes('no-community') ? '' : 'A group';
    expect(await communityAdapter.inspect(community, 'entry')).toEqual({ name, blockers });
  });

  it('is a missing group', async () => {
    const { communityAdapter, group, community, account } = startKeeping();
    telegram().world.left.add(group.id);
    for (const id of [community, '-100777', 'nonsense', '0', account]) {
      expect(await communityAdapter.inspect(id, 'entry')).toEqual({
        name: '',
        blockers: ['no-community'],
      });
    }
  });
});

describe('a member', () => {
  it.each<[string, Seat, boolean]>([
    ['a member', MEMBER, false],
    ['a restricted member', { status: 'restricted', is_member: true }, false],
    ['an administrator', ADMIN, true],
    ['the owner', OWNER, true],
  ])('is %s', async (_, seat, isAdmin) => {
    const { communityAdapter, community, account } = startKeeping({ seat });
    const grants = ['entry'];
    expect(await communityAdapter.member(community, account)).toEqual({
      ...{ id: account, name: 'Vera', grants, isAdmin },
    });
  });

  it.each<[string, Seat]>([
    ['left', LEFT],
    ['was banned', { status: 'kicked', until_date: 0 }],
    ['left with restrictions', { status: 'restricted', is_member: false }],
  ])('is unknown if they %s', async (_, seat) => {
    const { communityAdapter, community, account } = startKeeping({ seat });
    expect(await communityAdapter.member(community, account)).toBeUndefined();
  });

  it('is nobody if their id is none', async () => {
    const { communityAdapter, community } = startKeeping();
    for (const id of ['nonsense', ''])
      expect(await communityAdapter.member(community, id)).toBeUndefined();
  });

  it.each([
    'Bad Request: user not found',
    'Bad Request: USER_ID_INVALID',
    'Bad Request: PARTICIPANT_ID_INVALID',
    'Bad Request: ODD_THING',
    'Forbidden: ODD_THING',
  ])("isn't denied by “%s”", async (description) => {
    const { communityAdapter, community, account } = startKeeping();
    const status = description.startsWith('Forbidden') ? 403 : 400;
    telegram().cause('getChatMember', { status, description });
    await expect(communityAdapter.member(community, account)).rejects.toThrow(RetryableError);
    expect(await communityAdapter.member(community, account)).toMatchObject({ id: account });
  });

  it("isn't denied by a group that Telegram doesn't show", async () => {
    const { communityAdapter, group, community, account } = startKeeping();
    telegram().world.left.add(group.id);
    await expect(communityAdapter.member(community, account)).rejects.toThrow(UnreachableCommunity);
    telegram().world.left.delete(group.id);
    expect(await communityAdapter.member(community, account)).toMatchObject({ id: account });
  });

  it("isn't denied by a bot that isn't told about members", async () => {
    const { communityAdapter, group, community, account } = startKeeping({ bot: MEMBER });
    telegram().world.seats.hidden.add(group.id);
    await expect(communityAdapter.member(community, account)).rejects.toThrow(RetryableError);
    expect(await communityAdapter.take(community, account, 'entry', 'x')).toBe('not-allowed');
  });

  it('is never listed', () => {
    const { communityAdapter, community } = startKeeping();
    expect(communityAdapter.members(community, new AbortController().signal)).toBeUndefined();
  });
});

describe('admission', () => {
  it('approves the request', async () => {
    const { communityAdapter, group, community, person, account } = startKeeping({ seat: LEFT });
    telegram().asksToJoin(person, group);
    expect(await communityAdapter.give(community, account, 'entry', 'x')).toBe('done');
    expect(telegram().world.seats.of(group.id, person.user.id)).toEqual(MEMBER);
  });

  it.each<[string, ChangeOutcome, (kept: Kept) => void]>([
    ['who asks no more', 'no-request', ({ group, person }) => put(group, person.user.id, LEFT)],
    ['who is in already', 'no-request', () => undefined],
    ['who is nobody', 'left', ({ person }) => telegram().world.people.delete(person.user.id)],
    ['with a bot that may not', 'not-allowed', ({ group }) => put(group, BOT.id, MEMBER)],
    ['to a group that is gone', 'no-community', ({ group }) => telegram().world.left.add(group.id)],
  ])('of %s', async (_, outcome, happens) => {
    const kept = startKeeping();
    happens(kept);
    expect(await kept.communityAdapter.give(kept.community, kept.account, 'entry', 'x')).toBe(
      outcome,
    );
  });

  it.each<[string, ChangeOutcome]>([
    ['Bad Request: USER_ID_INVALID', 'left'],
    ['Bad Request: USER_KICKED', 'left'],
    ['Bad Request: PEER_ID_INVALID', 'no-community'],
    ['Forbidden: CHAT_WRITE_FORBIDDEN', 'not-allowed'],
    ['Bad Request: CHAT_ADMIN_REQUIRED', 'not-allowed'],
    ['Forbidden: bot is not a member of the supergroup chat', 'no-community'],
    ['Forbidden: the group chat was deleted', 'no-community'],
    ['Bad Request: CHANNEL_PRIVATE', 'no-community'],
    ['Forbidden: user is deactivated', 'left'],
    ['Bad Request: USER_CHANNELS_TOO_MUCH', 'too-many-communities'],
    ['Bad Request: USERS_TOO_MUCH', 'community-full'],
  ])('meets “%s”', async (description, outcome) => {
    const { communityAdapter, community, account, log } = startKeeping();
    const status = description.startsWith('Forbidden') ? 403 : 400;
    telegram().cause('approveChatJoinRequest', { status, description });
    expect(await communityAdapter.give(community, account, 'entry', 'x')).toBe(outcome);
    expect(log.lines.join()).not.toContain('unknown reason');
  });
});

it("An approval isn't repeated when its outcome is unknown", async () => {
  const { communityAdapter, group, community, person, account } = startKeeping({ seat: LEFT });
  telegram().asksToJoin(person, group);
  telegram().cause('approveChatJoinRequest', 'drop-after');
  await expect(communityAdapter.give(community, account, 'entry', 'x')).rejects.toThrow(
    RetryableError,
  );
  expect(telegram().made('approveChatJoinRequest')).toHaveLength(1);
  expect(await communityAdapter.member(community, account)).toBeDefined();
});

describe("a fault of Telegram's", () => {
  const look = (
    communityAdapter: CommunityAdapter,
    { community, account }: Kept,
  ): Promise<unknown> => communityAdapter.member(community, account);
  const calls: [string, typeof look][] = [
    ['getChat', (communityAdapter, { community }) => communityAdapter.inspect(community, 'entry')],
    ['getChatMember', look],
    [
      'approveChatJoinRequest',
      (communityAdapter, { community, account }) =>
        communityAdapter.give(community, account, 'entry', 'x'),
    ],
    [
      'banChatMember',
      (communityAdapter, { community, account }) =>
        communityAdapter.take(community, account, 'entry', 'x'),
    ],
    [
      'createChatInviteLink',
      (communityAdapter, { community }) => communityAdapter.invite(community),
    ],
    [
      'sendMessage',
      async (communityAdapter, { community, account }) =>
        await communityAdapter.notify?.(community, account, CARD),
    ],
  ];
  const faults: [string, Trouble][] = [
    ['of its own', { status: 500 }],
    ['that it asks to wait long', { status: 429, retryAfter: 60 }],
    ['that it says what nobody knows', { status: 400, description: 'Bad Request: ODD_THING' }],
  ];
  // A change that is refused for an unknown reason is refused, for that member alone.
  const changes = ['approveChatJoinRequest', 'banChatMember'];
  const cases = calls.flatMap(([method, call]) =>
    faults
      .slice(0, changes.includes(method) ? 2 : 3)
      .map(([name, fault]): [string, string, Trouble, typeof look] => [name, method, fault, call]),
  );
  cases.push(['that it hangs', 'getChatMember', 'hang', look]);

  it.each(cases)('%s can be retried: %s', async (_, method, fault, call) => {
    const kept = startKeeping({ callSeconds: fault === 'hang' ? 0.5 : 60 });
    telegram().cause(method, fault, 3);
    const failed = call(kept.communityAdapter, kept);
    await expect(failed).rejects.toThrow(RetryableError);
    await expect(failed).rejects.not.toThrow(telegram().token);
    const { retryAfter = 5 } = typeof fault === 'object' ? fault : {};
    await expect(failed).rejects.toMatchObject({ retryAfter });
    const isOdd = typeof fault === 'object' && fault.status === 400;
    expect(kept.log.lines.some((line) => line.includes('unknown reason'))).toBe(isOdd);
    telegram().calm();
    await call(kept.communityAdapter, kept);
  });

  it('that asks for a short wait is waited out', async () => {
    const { communityAdapter, community, account } = startKeeping();
    telegram().cause('getChatMember', { status: 429, retryAfter: 0.05 }, 2);
    expect(await communityAdapter.member(community, account)).toMatchObject({ id: account });
  });
});

describe('a notification', () => {
  it('goes to the private chat, with buttons that know the group', async () => {
    const { communityAdapter, community, person, account } = startKeeping();
    expect(await communityAdapter.notify?.(community, account, CARD)).toBe(true);
    const sent = telegram().lastIn(person.user);
    expect(sent.text).toContain('A sentence.');
    expect(sent.keyboard?.inline_keyboard).toMatchObject([
      [{ callback_data: `@${community}j!list` }],
    ]);
  });

  it.each<[string, (kept: Kept) => void]>([
    ['who never pressed Start', ({ person }) => (person.started = false)],
    ['who has blocked the bot', ({ person }) => (person.blocked = true)],
    ['whom Telegram does not know', ({ person }) => telegram().world.chats.delete(person.user.id)],
  ])("says that %s couldn't get it", async (_, happens) => {
    const kept = startKeeping({ seat: OWNER });
    happens(kept);
    expect(await kept.communityAdapter.notify?.(kept.community, kept.account, CARD)).toBe(false);
    expect(await kept.communityAdapter.report(kept.community, kept.account, CARD)).toBe(
      'private-closed',
    );
  });

  it('never goes to a group', async () => {
    const { communityAdapter, group, community } = startKeeping();
    expect(await communityAdapter.notify?.(community, String(group.id), CARD)).toBe(false);
    expect(await communityAdapter.report(community, String(group.id), CARD)).not.toBe(true);
    expect(telegram().made('sendMessage')).toHaveLength(0);
  });
});

describe('a report', () => {
  it('has its file', async () => {
    const { communityAdapter, community, person, account } = startKeeping({ seat: OWNER });
    const file = { name: 'run.csv', text: 'account\n1\n' };
    expect(await communityAdapter.report(community, account, { ...CARD, file })).toBe(true);
    expect(telegram().lastIn(person.user).text).toContain('A title');
    expect(telegram().filesIn(person.user)).toMatchObject([file]);
  });

  it('says which group it is about, whatever its name contains', async () => {
    const { communityAdapter, group, community, person, account } = startKeeping({ seat: OWNER });
    telegram().renames(group, 'Whales of example.com', false);
    expect(await communityAdapter.canPost?.(community, account)).toBe(true);
    expect(await communityAdapter.report(community, account, CARD)).toBe(true);
    const { text } = telegram().lastIn(person.user);
    expect(text).toContain('Whales of');
    expect(text).not.toContain('example.com');
  });

  it("doesn't go to a former moderator", async () => {
    const { communityAdapter, community, account } = startKeeping({ seat: MEMBER });
    expect(await communityAdapter.report(community, account, CARD)).toBe('not-in-charge');
    expect(await communityAdapter.canPost?.(community, account)).toBe('not-in-charge');
    expect(telegram().made('sendMessage')).toHaveLength(0);
  });
});

describe('an invite link', () => {
  it('creates join requests, and is made once per group', async () => {
    const { communityAdapter, community } = startKeeping();
    const link = await communityAdapter.invite(community);
    expect(link).toMatch(/^https:\/\/t\.me\/\+/);
    expect(await communityAdapter.invite(community, link)).toBe(link);
    expect(telegram().made('createChatInviteLink')).toEqual([
      { chat_id: Number(community), name: 'Fathom', creates_join_request: true },
    ]);
    const other = telegram().world.group({ bot: ADMIN });
    expect(await communityAdapter.invite(String(other.id), link)).not.toBe(link);
  });

  it('is made again once it was revoked, and revoking it twice does no harm', async () => {
    const { communityAdapter, community } = startKeeping();
    const link = (await communityAdapter.invite(community)) as string;
    await communityAdapter.revokeInvite?.(community, link);
    await communityAdapter.revokeInvite?.(community, link);
    expect(await communityAdapter.invite(community, link)).not.toBe(link);
  });

  it("isn't given up while Telegram doesn't answer", async () => {
    const { communityAdapter, community } = startKeeping();
    const link = await communityAdapter.invite(community);
    telegram().cause('editChatInviteLink', { status: 500 }, 9);
    await expect(communityAdapter.invite(community, link)).rejects.toThrow(RetryableError);
    expect(telegram().made('createChatInviteLink')).toHaveLength(1);
  });

  it("doesn't exist if the bot may not create one", async () => {
    const { communityAdapter, group, community } = startKeeping({ bot: MEMBER });
    expect(await communityAdapter.invite(community)).toBeUndefined();
    put(group, BOT.id, ADMIN);
    expect(await communityAdapter.invite(community)).toMatch(/^https/);
  });
});

function put(group: Group, user: number, seat: Seat): void {
  telegram().world.seats.put(group.id, user, seat);
}

it('A refusal that nobody knows is logged once by its code, however many members it meets', async () => {
  const { communityAdapter, log, community } = startKeeping();
  const lines = () => log.lines.filter((line) => line.includes('unknown reason'));
  for (const word of ['ODD_THING', 'OTHER_THING']) {
    const description = `Bad Request: ${word}`;
    const people = [1, 2, 3].map(() => String(telegram().world.person().user.id));
    telegram().cause('approveChatJoinRequest', { status: 400, description }, 3);
    for (const each of people) await communityAdapter.give(community, each, 'entry', 'x');
    telegram().cause('getChatMember', { status: 400, description }, 3);
    for (const each of people) {
      await expect(communityAdapter.member(community, each)).rejects.toThrow(RetryableError);
    }
    telegram().calm();
  }
  expect(lines().map((line) => /[A-Z]+_THING/.exec(line)?.[0])).toEqual([
    ...['ODD_THING', 'ODD_THING', 'OTHER_THING', 'OTHER_THING'],
  ]);
});
