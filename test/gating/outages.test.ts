import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { ENTRY } from '#gating/rules/rule';
import { GatedCommunity, GROUP, GUILD, ROLE } from '../support/gated-community.ts';
import { walletOf } from '../support/import-lines.ts';
import { silentLog } from '../support/log.ts';

let world: GatedCommunity;
let warned: string[] = [];
let isAway = false;

async function seconds(count: number): Promise<void> {
  world.now += count;
  await world.gated.watch.poll();
  await world.gated.watch.idle();
}

describe.each([
  ['a role', GUILD, ROLE],
  ['entry', GROUP, ENTRY],
])('an outage of the platform where rules grant %s', (_, community, grant) => {
  beforeEach(async () => {
    warned = [];
    isAway = false;
    world = new GatedCommunity(community);
    const warn = (_fields: object, message: string) => void warned.push(message);
    world.gated = world.open({ log: { ...silentLog, warn } });
    world.adapter.before = (call) => {
      if (isAway && call.startsWith('give')) throw new RetryableError('500');
    };
    await world.rule({ grant });
    await world.gated.watch.idle();
    await world.gated.watch.tick();
  });

  /** What leads to a check of somebody who meets the rule. */
  async function asks(id: number): Promise<void> {
    world.score(id, 6_000);
    await world.link(String(id), walletOf(id));
    if (grant === ENTRY) {
      world.adapter.requests.add(String(id));
      await world.gated.watch.requested(community, String(id), 'en');
    } else {
      world.adapter.join(String(id));
      await world.store.gating.noteMembers(community, [String(id)]);
      world.gated.watch.linksChanged({ platform: community.platform, id: String(id) });
    }
    await world.gated.watch.idle();
  }

  it('is in the log once, however many members wait, and once more when it comes back', async () => {
    isAway = true;
    for (let id = 1; id <= 12; id += 1) await asks(id);
    for (let i = 0; i < 20; i += 1) await seconds(30);
    const said = [...warned];
    expect(said.length).toBeGreaterThan(0);
    expect(said).toEqual([...new Set(said)]);
    isAway = false;
    await world.pass();
    for (let i = 0; i < 30; i += 1) await seconds(30);
    isAway = true;
    for (let id = 21; id <= 23; id += 1) await asks(id);
    const again = warned.slice(said.length);
    expect(again.length).toBeGreaterThan(0);
    expect(again).toEqual([...new Set(again)]);
  });

  it('writes each state of a change into the audit log once', async () => {
    isAway = true;
    await asks(1);
    for (let i = 0; i < 60; i += 1) await seconds(30);
    const states = ['rule-added', 'give-begun 1', 'unknown 1', 'skipped 1'];
    expect(await world.audit()).toEqual(states);
    isAway = false;
    await world.pass();
    expect(await world.audit()).toEqual([...states, grant === ENTRY ? 'admitted 1' : 'given 1']);
  });

  it('leaves each of a member’s later changes its own rows', async () => {
    isAway = true;
    await asks(1);
    isAway = false;
    await world.pass();
    await asks(2);
    const rows = (await world.audit()).filter((row) => row.startsWith('give-begun'));
    expect(rows).toEqual(['give-begun 1', 'give-begun 2']);
  });
});

it('A pass that the platform let fail is made again within two minutes', async () => {
  world = new GatedCommunity(GROUP);
  await world.rule({ grant: ENTRY });
  await world.gated.watch.idle();
  await world.gated.watch.tick();
  world.score(1, 10);
  await world.link('1', walletOf(1));
  world.adapter.requests.add('1');
  await world.gated.watch.requested(GROUP, '1', 'en');
  world.score(1, 6_000);
  const inspect = world.adapter.inspect.bind(world.adapter);
  world.adapter.inspect = async () => {
    throw new RetryableError('500');
  };
  await seconds(1_200);
  world.adapter.inspect = inspect;
  expect(world.adapter.roles.has('1')).toBe(false);
  for (let i = 0; i < 2; i += 1) await seconds(60);
  expect(world.adapter.roles.has('1')).toBe(true);
});
