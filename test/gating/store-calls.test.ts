import { expect, it } from 'vitest';
import { GatedCommunity, GUILD, ROLE, walletOf } from '../support/gated-community.ts';

/** Notes which of an object's methods are called. */
function noting<T extends object>(target: T, calls: string[]): T {
  return new Proxy(target, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(value, of, given);
      };
    },
  });
}

it('A role given to one member takes at most 25 calls of the store, and reads the rules twice', async () => {
  const world = new GatedCommunity(GUILD);
  const calls: string[] = [];
  await world.gated.stop();
  world.gated = world.open({
    store: noting(world.store.gating, calls),
    async walletsOf(account) {
      calls.push('walletsOf');
      return (await world.links.linksOf(account)).map(({ wallet }) => wallet);
    },
  });
  await world.rule({ grant: ROLE });
  await world.gated.watch.idle();
  // The first check finds out how large the source is.
  for (const id of ['1', '2']) {
    world.score(Number(id), 6_000);
    await world.link(id, walletOf(Number(id)));
    world.keeper.join(id);
    await world.store.gating.noteMembers(world.community, [id]);
    calls.length = 0;
    world.gated.watch.linksChanged({ platform: world.community.platform, id });
    await world.gated.watch.idle();
    expect(world.keeper.roles.get(id)?.has(ROLE)).toBe(true);
  }
  expect(calls.filter((call) => call === 'rulesOf')).toHaveLength(2);
  expect(calls.length, calls.join(' ')).toBeLessThanOrEqual(25);
});

it('A run reads the rules again only after the platform was asked, and before a change', async () => {
  const world = new GatedCommunity(GUILD);
  const calls: string[] = [];
  await world.gated.stop();
  world.gated = world.open({ store: noting(world.store.gating, calls) });
  await world.rule({ grant: ROLE });
  await world.gated.watch.idle();
  await world.member(1, 6_000);
  calls.length = 0;
  await world.pass();
  await world.gated.watch.idle();
  expect(world.keeper.roles.get('1')?.has(ROLE)).toBe(true);
  // For what prevents them, what is left of that, the list of members, the plan, the change, and the report.
  expect(calls.filter((call) => call === 'rulesOf')).toHaveLength(6);
});
