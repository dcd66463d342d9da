import { describe, expect, it, onTestFinished } from 'vitest';
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

describe('while another moderator edits a rule', () => {
  const WANTED = [{ kind: 'score', least: 7 }] as const;

  /** Somebody else acts between a moderator's first look at a rule and the change. */
  async function edited(meanwhile: (guild: GatedCommunity, id: string) => unknown) {
    const guild = new GatedCommunity();
    const { id } = await guild.rule({});
    const { gating: store } = guild.store;
    const rulesOf = store.rulesOf.bind(store);
    store.rulesOf = async (community) => {
      const seen = await rulesOf(community);
      store.rulesOf = rulesOf;
      await meanwhile(guild, id);
      return seen;
    };
    const { gating } = guild.gated;
    const ask = (what: 'remove' | 'pause' | 'unpause') =>
      gating[what](guild.community, id, MODERATOR);
    return { guild, ask };
  }
  const edit = ({ store, community }: GatedCommunity, id: string) =>
    store.gating.changeRule(community, id, (rule) => ({ ...rule, requirements: WANTED }));

  it('its removal answers and logs what was removed', async () => {
    const { guild, ask } = await edited(edit);
    expect(await ask('remove')).toMatchObject({ requirements: WANTED });
    const [row] = await guild.store.gating.auditOf(guild.community, undefined, 1, 0);
    expect(row?.event).toBe('rule-removed');
    expect(JSON.parse(row?.detail ?? '')).toMatchObject({ requirements: WANTED });
  });

  it('its pause answers what is paused', async () => {
    const { ask } = await edited(edit);
    expect(await ask('pause')).toMatchObject({ requirements: WANTED, paused: 'moderator' });
  });

  it.each(['remove', 'pause'] as const)(
    'a %s of what is removed then is no second one',
    async (what) => {
      const { guild, ask } = await edited(({ gated, community }, id) =>
        gated.gating.remove(community, id, MODERATOR),
      );
      expect(await ask(what).catch((error: unknown) => error)).toMatchObject({
        code: 'gate-unknown-rule',
      });
      const rows = await guild.store.gating.auditOf(guild.community, undefined, 9, 0);
      expect(rows.map(({ event }) => event).filter((each) => each !== 'rule-added')).toEqual([
        'rule-removed',
      ]);
    },
  );
});
