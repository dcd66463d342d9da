import { expect, it } from 'vitest';
import { LEFT, MEMBER, type Seat } from '../../../../bench/servers/telegram/seats.ts';
import { GatedGroup } from '../../../support/telegram/gated-group.ts';
import { useTelegram } from '../../../support/telegram/use.ts';

/* A webhook's updates may come in another order than they happened in. */

const { telegram, start } = useTelegram();
const WEBHOOK = { url: 'https://bot.example.org/telegram', secret: 'a-secret_of_ours' };
const BANNED: Seat = { status: 'kicked', until_date: 0 };

/** A member of a group with a webhook, whose updates may be held back. */
async function scene() {
  const byWebhook = { mode: 'webhook', webhook: WEBHOOK } as const;
  const group = new GatedGroup(telegram(), (changes) => start({ ...changes, ...byWebhook }));
  const { webhook } = telegram();
  const deliver = async (update: unknown) =>
    (await group.bot.handleWebhook?.(update, WEBHOOK.secret)) ?? 404;
  webhook.deliver = deliver;
  await telegram().until(() => group.bot.status().ok);
  await group.rule();
  const vera = await group.member(6_000, 'Vera');
  /** @returns what lets the updates come, last first */
  const held = (happens: () => void) => {
    const updates: unknown[] = [];
    webhook.deliver = async (update) => {
      updates.push(update);
      return 200;
    };
    happens();
    webhook.deliver = deliver;
    return async () => {
      for (const update of updates.toReversed()) expect(await deliver(update)).toBe(200);
      await group.watch.idle();
    };
  };
  return { group, vera, held };
}

/** A member about whom updates come last first. @param seats where the group's owner puts them, one after the other */
async function reversed(seats: readonly Seat[]) {
  const { group, vera, held } = await scene();
  const come = held(() => {
    for (const seat of seats) telegram().places(vera.user, group.group, seat, group.owner.user);
  });
  await come();
  const { gating } = group.world.store;
  const bars = await gating.barsOf(group.community, [String(vera.user.id)]);
  return { isKnown: (await gating.membersAfter(group.community, '', 9)).length > 0, bars };
}

it('Who was banned and then let in by hand isn’t barred, though the ban comes last', async () => {
  const { isKnown, bars } = await reversed([BANNED, LEFT, MEMBER]);
  expect(bars).toEqual([]);
  expect(isKnown).toBe(true);
});

it('Who was banned stays barred, though the end of the ban comes first', async () => {
  expect((await reversed([BANNED, LEFT])).bars).toHaveLength(1);
});

it('Who was let in by hand and then banned stays barred, though that comes first', async () => {
  expect((await reversed([BANNED, LEFT, MEMBER, BANNED])).bars).toHaveLength(1);
});

it('Who was removed and asks to join is not let in, though the request comes first', async () => {
  const { group, vera, held } = await scene();
  const come = held(() => {
    for (const seat of [BANNED, LEFT]) {
      telegram().places(vera.user, group.group, seat, group.owner.user);
    }
  });
  await group.asks(vera);
  expect(group.isIn(vera)).toBe(false);
  await come();
  await group.secondsLater();
  await group.pass();
  expect(group.isIn(vera)).toBe(false);
});
