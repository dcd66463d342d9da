import { expect, it, onTestFinished } from 'vitest';
import { UserError } from '#base/errors';
import { MemoryWork } from '#cluster/memory-work';
import { Replica } from '#cluster/replica';
import { GatedCommunity, MODERATOR, ROLE } from '../support/gated-community.ts';
import { silentLog } from '../support/log.ts';

const DRAFT = {
  grant: ROLE,
  requirements: [{ kind: 'tier', tier: 'Whale' }],
  match: 'all',
  chain: undefined,
  exclusive: false,
  graceSeconds: 86_400,
} as const;

it.each([
  ['one replica', 1],
  ['two replicas', 2],
])('A rule that two moderators add at once, by %s, is made once', async (_, count) => {
  const guild = new GatedCommunity();
  const work = new MemoryWork(Date.now);
  const met = Promise.withResolvers<void>();
  let asked = 0;
  let second: Promise<unknown> | undefined;
  const replicas = Array.from({ length: count }, (__, i) => {
    const replica = new Replica({ id: `r${i}`, store: work, log: silentLog });
    const during = replica.during.bind(replica);
    replica.during = async (claim, doing) => {
      const done = await during(claim, doing);
      // The second one is told to wait.
      if (done === undefined) met.resolve();
      return done;
    };
    return replica;
  });
  onTestFinished(async () => {
    for (const replica of replicas) await replica.stop();
  });
  for (const replica of replicas) await replica.begin();
  const [one, other = one] = replicas.map((replica) => guild.open({ replica }).gating);
  const add = async (gating = one) => await gating?.add(guild.community, DRAFT, MODERATOR);

  // Between the first one's look at the rules and its write.
  const inspect = guild.adapter.inspect.bind(guild.adapter);
  guild.adapter.inspect = async (...given) => {
    asked += 1;
    if (asked === 1) {
      second = add(other).catch((error: unknown) => error);
      await met.promise;
    } else met.resolve();
    return await inspect(...given);
  };
  const first = await add();
  const refused = await second;
  expect(refused).toBeInstanceOf(UserError);
  expect(refused).toMatchObject({ code: 'gate-same-rule', values: [first?.rule?.id] });
  expect(await guild.gated.gating.rulesOf(guild.community)).toHaveLength(1);
});
