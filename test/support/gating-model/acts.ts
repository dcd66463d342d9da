import fc from 'fast-check';
import { expect } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { ALL_GRANTS } from '#gating/members/bars/member-bars';
import { keyOf, LADDER } from './model.ts';
import { MEMBERS, MODERATOR, ROLES, SCORES, secondOf, type World } from './world.ts';

/** Something that happens in a community. */
interface Act {
  readonly name: string;
  run(world: World): Promise<void>;
}

const account = fc.integer({ min: 1, max: MEMBERS }).map(String);
const role = fc.constantFrom(...ROLES);
/** Those that rules give for points. */
const scored = fc.constantFrom(...ROLES.filter((each) => !LADDER.includes(each)));
const which = fc.nat({ max: 5 });
const mostly = fc.constantFrom(true, true, true, true, false);
const rarely = mostly.map((is) => !is);

/** Members, and what others do to them. */
const life = [
  fc.tuple(account, fc.constantFrom(...SCORES)).map(([who, score]) => ({
    name: `score ${who} ${score}`,
    async run(world: World) {
      world.guild.score(Number(who), score);
      world.person(who).score = score;
    },
  })),
  fc.tuple(fc.uniqueArray(account), fc.constantFrom(...SCORES)).map(([all, score]) => ({
    name: `scores ${all} ${score}`,
    async run(world: World) {
      for (const who of all) {
        world.guild.score(Number(who), score);
        world.person(who).score = score;
      }
    },
  })),
  fc.tuple(account, mostly).map(([who, isLinked]) => ({
    name: `${isLinked ? 'link' : 'unlink'} ${who}`,
    run: (world: World) => world.link(who, isLinked),
  })),
  fc.tuple(account, mostly).map(([who, stays]) => ({
    name: `${stays ? 'join' : 'leave'} ${who}`,
    async run(world: World) {
      if (stays) world.join(who);
      else if (!(await world.isUnsettled(who))) world.leave(who);
    },
  })),
  fc.tuple(fc.constantFrom('give', 'take'), account, role).map(([step, who, what]) => ({
    name: `by hand ${step} ${who} ${what}`,
    async run(world: World) {
      if (!(await world.isUnsettled(who))) world.byHand(step, who, what);
    },
  })),
  fc.tuple(account, role, which).map(([who, what, number]) => ({
    name: `another bot gives ${who} ${what}, or what is barred`,
    async run(world: World) {
      // Of what it gives, that matters most.
      const [key = keyOf(who, what)] = [...world.model.bars].slice(number);
      const [member = who, its = what] = key.split(' ');
      if (its !== ALL_GRANTS && !(await world.isUnsettled(member))) await world.byBot(member, its);
    },
  })),
  fc.tuple(account, rarely).map(([who, isAdmin]) => ({
    name: `${isAdmin ? 'admin' : 'no admin'} ${who}`,
    async run(world: World) {
      world.person(who).isAdmin = isAdmin;
      if (isAdmin) world.platform.admins.add(who);
      else world.platform.admins.delete(who);
    },
  })),
  rarely.map((isStale) => ({
    name: isStale ? 'doubt' : 'no doubt',
    async run(world: World) {
      world.guild.source.isStale = isStale;
      world.model.isDoubtful = isStale;
    },
  })),
  rarely.map((isPartial) => ({
    name: isPartial ? 'partial' : 'complete',
    async run(world: World) {
      world.guild.source.isPartial = isPartial;
      world.model.isPartial = isPartial;
    },
  })),
  fc.constantFrom(-1_800, 60, 1_800, 3_600, 18_000, 90_000).map((seconds) => ({
    name: `clock ${seconds}`,
    run: async (world: World) => world.pass(seconds),
  })),
];

/** What becomes of members' second wallets, and how they count. */
const seconds = [
  fc.tuple(account, fc.constantFrom(...SCORES)).map(([who, score]) => ({
    name: `second score ${who} ${score}`,
    async run(world: World) {
      world.guild.score(secondOf(Number(who)), score);
      world.person(who).second.score = score;
    },
  })),
  fc.tuple(fc.uniqueArray(account, { minLength: 3 }), mostly).map(([all, isLinked]) => ({
    name: `${isLinked ? 'link' : 'unlink'} second of ${all}`,
    async run(world: World) {
      for (const who of all) {
        world.guild.score(secondOf(Number(who)), SCORES[1]);
        world.person(who).second.score = SCORES[1];
        await world.linkSecond(who, isLinked);
      }
    },
  })),
  fc.tuple(account, fc.boolean()).map(([who, isUnread]) => ({
    name: `second of ${who} ${isUnread ? 'unread' : 'read'}`,
    async run(world: World) {
      world.person(who).second.isUnread = isUnread;
    },
  })),
  fc.boolean().map((isSum) => ({
    name: isSum ? 'sum' : 'best',
    async run(world: World) {
      const { gating } = world.desk;
      await gating.choices.setWalletMode(world.guild.community, isSum ? 'sum' : 'best', MODERATOR);
      world.model.countAnew(isSum);
    },
  })),
];

/** What moderators do to rules and members. */
const moderation = [
  fc
    .record({
      grant: scored,
      exclusive: fc.boolean(),
      hours: fc.nat({ max: 1 }),
      least: which,
      isBounded: rarely,
    })
    .map(({ grant, exclusive, hours, least, isBounded }) => ({
      name: `add a rule for ${grant} ${exclusive} ${hours}h ${least} ${isBounded}`,
      async run(world: World) {
        const rules = await world.learnRules();
        if (rules.filter((rule) => !LADDER.includes(rule.grant)).length >= 4) return;
        const requirements = [{ kind: 'score', least: 1_000 + 1_000 * least }] as const;
        const most = { kind: 'most', score: 2_500 + 1_000 * least } as const;
        const bounds = isBounded ? [most] : [];
        const graceSeconds = hours * 3_600;
        await world.guild.rule({ grant, exclusive, graceSeconds, requirements, bounds });
        await world.learnRules();
      },
    })),
  fc
    .tuple(fc.constantFrom('remove', 'pause', 'resume', 'resume', 'resume', 'edit'), which)
    .map(([what, at]) => ({
      name: `${what} rule ${at}`,
      async run(world: World) {
        const id = (await world.learnRules())[at]?.id;
        if (id === undefined) return;
        const { gated, community } = world.guild;
        const { gating } = gated;
        if (what === 'remove') await gating.remove(community, id, MODERATOR);
        else if (what === 'edit') {
          const requirements = [{ kind: 'score', least: 2_000 + at * 500 }] as const;
          // It may exclude what the rule's bound allows.
          await gating.edit(community, id, { requirements }, MODERATOR).catch(refused);
        } else {
          if (what === 'pause') await gating.pause(community, id, MODERATOR);
          else await gating.unpause(community, id, MODERATOR);
        }
        await world.learnRules();
      },
    })),
  fc.tuple(account, rarely).map(([who, on]) => ({
    name: `${on ? 'protect' : 'unprotect'} ${who}`,
    async run(world: World) {
      const { gating } = world.desk;
      const done = gating.protect(world.guild.community, who, on, MODERATOR).then(() => true);
      // A member who has left, or can't be looked up, isn't protected.
      if (await done.catch(() => false)) world.person(who).isProtected = on;
    },
  })),
];

/** What they do to the ladder of tier roles. */
const ladder = [
  fc.tuple(mostly, fc.nat({ max: 1 })).map(([isOn, hours]) => ({
    name: `ladder ${isOn ? 'on' : 'off'} ${hours}h`,
    async run(world: World) {
      const rules = await world.learnRules();
      for (const [at, tier] of (['Whale', 'Shark'] as const).entries()) {
        const grant = LADDER[at] ?? '';
        if (rules.some((rule) => rule.grant === grant)) continue;
        const requirements = [{ kind: 'tier', tier }] as const;
        await world.guild.rule({ grant, graceSeconds: hours * 3_600, requirements });
      }
      await world.desk.gating.setLadder(world.guild.community, isOn, MODERATOR);
      world.model.isLadder = isOn;
      await world.learnRules();
    },
  })),
];

/** What moderators decide about members for good. */
const bars = [
  fc.tuple(account, fc.constantFrom(...ROLES, undefined), mostly).map(([who, what, on]) => ({
    name: `${on ? 'bar' : 'unbar'} ${who} ${what ?? 'from all'}`,
    async run(world: World) {
      const { community } = world.guild;
      const { barring } = world.desk.gating;
      if (on) {
        await barring.bar(community, who, what, MODERATOR, world.platform.clock());
        // Nothing that was given before ends it, however late the log tells.
        world.model.bars.add(keyOf(who, what ?? ALL_GRANTS));
        return;
      }
      // Who took what can't be read just now: the moderator is asked to try again.
      const mayFail = !world.platform.isConnected || world.platform.faults.size > 0;
      const lifted = await barring.unbar(community, who, what, MODERATOR).catch((error) => {
        if (!(mayFail && error instanceof RetryableError)) return refused(error);
      });
      for (const { grant } of lifted ?? []) {
        world.model.bars.delete(keyOf(who, grant));
        world.model.barred.delete(keyOf(who, grant));
      }
    },
  })),
];

/** What the bot does, on its own or on request. */
const runs = [
  fc.constantFrom('sweep', 'run', 'poll', 'preview', 'stop').map((what) => ({
    name: what,
    async run(world: World) {
      const { community } = world.guild;
      const before = world.platform.effects.length;
      await world.act(async ({ gating, watch }) => {
        if (what === 'poll') await watch.poll();
        else if (what === 'preview') await gating.preview(community);
        else if (what === 'stop') await gating.stop(community, MODERATOR);
        else if (what === 'sweep') await gating.sweep(community);
        else await gating.run(community, MODERATOR);
      });
      if (what === 'preview') expect(world.platform.effects).toHaveLength(before);
    },
  })),
  account.map((who) => ({
    name: `look ${who}`,
    async run(world: World) {
      if (!world.person(who).isHere) return;
      await world.store.noteMembers(world.guild.community, [who]);
      const isSure = (await world.isCalm()) && world.platform.faults.size === 0;
      await world.act(({ gating }) => gating.check(world.guild.community, who));
      if (isSure) world.model.wasRead([who], ROLES, true);
    },
  })),
  fc.constant({
    name: 'undo',
    async run(world: World) {
      await world.act(async ({ gating }) => {
        const { community } = world.guild;
        const undone = await gating.undo(community, MODERATOR);
        if (typeof undone !== 'object' || !('asksAbout' in undone)) return;
        await gating.undo(community, MODERATOR, undone.asksAbout.id);
      });
    },
  }),
  fc.nat({ max: 12 }).map((at) => ({
    name: `undo the run ${at} before the last`,
    async run(world: World) {
      const runs = await world.store.runsOf(world.guild.community, 20);
      const id = runs[at]?.id;
      if (id === undefined) return;
      await world.act(({ gating }) => gating.undo(world.guild.community, MODERATOR, id));
    },
  })),
  fc.constant({
    name: 'confirm',
    async run(world: World) {
      const runs = await world.store.runsOf(world.guild.community, 20);
      const held = runs.find(({ status }) => status === 'held');
      if (held === undefined) return;
      await world.act(async ({ gating }) => {
        await gating.confirm(world.guild.community, held.id, MODERATOR).catch(refused);
      });
    },
  }),
  fc.constant({ name: 'run, then undo', run: runAndUndo }),
];

/** Time passes, as it mostly does. */
const time = [
  fc.integer({ min: 2, max: 6 }).map((halves) => ({
    name: `sweeps over ${halves} half hours`,
    async run(world: World) {
      for (let i = 0; i < halves; i++) {
        world.pass(1_800);
        await world.act(({ gating }) => gating.sweep(world.guild.community));
      }
    },
  })),
];

/** Faults. */
const faults = [
  fc
    .tuple(
      fc.nat({ max: 12 }),
      fc.constantFrom('lost', 'lost', 'lost', 'lost', 'failed', 'failed', 'refused'),
    )
    .map(([calls, fault]) => ({
      name: `${fault} in ${calls}`,
      async run(world: World) {
        world.platform.faults.set(calls, fault);
      },
    })),
  mostly.map((isConnected) => ({
    name: isConnected ? 'connect' : 'disconnect',
    async run(world: World) {
      world.platform.isConnected = isConnected;
    },
  })),
  fc.tuple(fc.nat({ max: 60 }), fc.boolean()).map(([calls, isDone]) => ({
    name: `killed in ${calls} ${isDone}`,
    async run(world: World) {
      world.killIn(calls, isDone);
    },
  })),
  fc.constant({ name: 'restart', run: (world: World) => world.stop() }),
];

/** A run that is undone at once leaves everything as it was, except for protected and barred members. */
async function runAndUndo(world: World): Promise<void> {
  const { community } = world.guild;
  if (!(await world.isCalm())) return;
  world.platform.faults.clear();
  const rolesOf = () =>
    Object.fromEntries(
      world.accounts
        .filter((each) => !world.person(each).isAdmin && !world.person(each).isProtected)
        .map((each) => [
          each,
          ROLES.filter((role) => {
            return world.platform.roles.get(each)?.has(role) && !world.model.isBarred(each, role);
          }),
        ]),
    );
  const before = rolesOf();
  const result = await world.act(({ gating }) => gating.run(community, MODERATOR));
  if (typeof result !== 'object') return;
  const { id, status, counts } = result.run;
  if (status === 'running' || counts.given + counts.taken === 0) return;
  const resume = async () => {
    for (const rule of await world.learnRules()) {
      if (rule.paused === 'undo') {
        await world.desk.gating.unpause(community, rule.id, MODERATOR);
      }
    }
  };
  const undone = await world.act(({ gating }) => gating.undo(community, MODERATOR, id));
  if (typeof undone !== 'object' || 'asksAbout' in undone || undone.run.status !== 'finished')
    return;
  expect(rolesOf()).toEqual(before);
  await resume();
}

function refused(error: unknown): undefined {
  if (!(error instanceof UserError)) throw error;
}

/** Acts in a realistic mixture, as many in each history: how much is tried must not depend on the seed. */
export function actsOf(length: number): fc.Arbitrary<Act[]> {
  const acts = [
    ...life,
    ...seconds,
    ...moderation,
    ...ladder,
    ...ladder,
    ...bars,
    ...runs,
    ...faults,
    ...Array.from({ length: 8 }, () => time).flat(),
  ];
  const act = fc.oneof(...(acts as fc.Arbitrary<Act>[])).map(({ name, run }) => ({
    name,
    run,
    [fc.toStringMethod]: () => name,
  }));
  return fc.array(act, { minLength: length, maxLength: length });
}
