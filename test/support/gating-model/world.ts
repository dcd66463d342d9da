import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { expect } from 'vitest';
import type { CommunityGating } from '#app/members/gating';
import { RetryableError } from '#base/errors';
import { ALL_GRANTS } from '#gating/members/bars/member-bars';
import type { Rule } from '#gating/rules/rule';
import type { Store } from '#storage/store';
import { GatedCommunity, MODERATOR } from '../gated-community.ts';
import { gatingWith } from '../gating.ts';
import { walletOf } from '../import-lines.ts';
import { Life } from '../mortal.ts';
import { type Doing, keyOf, LADDER, Model, type Person } from './model.ts';
import { FaultyPlatform } from './platform.ts';

export const ROLES: readonly string[] = ['900', '901', ...LADDER];
export const MEMBERS = 9;
/** Points of members who meet all rules of the model, some, and none. */
export const SCORES = [6_000, 3_000, 10] as const;

/** The number of a member's second wallet. */
export function secondOf(id: number): number {
  return 100 + id;
}

/** A real community with a faulty platform, next to its model. */
export class World {
  readonly model = new Model();
  readonly platform = new FaultyPlatform();
  readonly guild = new GatedCommunity();
  gated: CommunityGating;
  /** A process that is never killed, for moderators' changes to rules. */
  readonly desk: CommunityGating;
  /** Roles by rule, including removed rules. */
  readonly roleOf = new Map<string, string>();
  readonly seen: Record<string, number> = {};
  #life = new Life();
  #joined = 0;

  private constructor() {
    this.gated = this.#open();
    this.desk = this.#open();
    this.model.rolesOf = (account) => this.platform.roles.get(account) ?? new Set();
    this.platform.onEffect = (effect) => {
      const doing = this.#doing();
      // As of this moment: a run may pause and resume them.
      this.model.rules = this.store.rulesOf(this.guild.community) as readonly Rule[];
      const kind = `${effect.step} by ${doing}`;
      this.seen[kind] = (this.seen[kind] ?? 0) + 1;
      const isRise = effect.step === 'take' && this.model.isRise(effect.account, effect.role);
      if (isRise && doing !== 'undo') this.seen.rise = (this.seen.rise ?? 0) + 1;
      const { step, account, role } = effect;
      if (step === 'give' && doing === 'pass' && this.model.meetsBySum(account, role)) {
        this.seen['by sum'] = (this.seen['by sum'] ?? 0) + 1;
      }
      this.model.check(effect, doing);
    };
    this.guild.adapter.inspect = this.platform.inspect.bind(this.platform);
    this.platform.onTold = (...told) => {
      this.model.told(...told);
      this.seen.told = (this.seen.told ?? 0) + 1;
    };
    // A source is checked by its highest ones, which aren't those that can't be read.
    for (let id = 1; id <= 5; id++) this.guild.score(1_000 + id, 500_000);
    for (let id = 1; id <= MEMBERS; id++) {
      this.guild.score(id, SCORES[0]);
      this.guild.score(secondOf(id), SCORES[2]);
      const person = { isHere: false, isAdmin: false, isProtected: false };
      const second = { score: SCORES[2], isLinked: false, isUnread: false };
      this.model.people.set(String(id), { ...person, score: SCORES[0], isLinked: false, second });
    }
    this.guild.source.before = (address) => {
      const isUnread = this.accounts.some(
        (each) =>
          this.person(each).second.isUnread && walletOf(secondOf(Number(each))).address === address,
      );
      if (isUnread) throw new RetryableError('The source did not answer.');
    };
  }

  /**
   * Everyone is there, with a linked wallet; there's no rule yet.
   * @param keepsLog whether the platform tells who gives and takes
   */
  static async open(keepsLog: boolean): Promise<World> {
    const world = new World();
    if (keepsLog) world.platform.keepLog();
    world.pass(0);
    for (const account of world.accounts) {
      world.join(account);
      await world.link(account, true);
    }
    return world;
  }

  get store(): Store['gating'] {
    return this.guild.store.gating;
  }

  get accounts(): string[] {
    return [...this.model.people.keys()];
  }

  person(account: string): Person {
    return this.model.people.get(account) as Person;
  }

  join(account: string): void {
    const person = this.person(account);
    if (person.isHere) return;
    person.isHere = true;
    this.#joined += 1;
    this.platform.join(account);
    this.platform.joinedAt.set(account, this.#joined);
  }

  leave(account: string): void {
    this.person(account).isHere = false;
    this.platform.roles.delete(account);
    this.model.left(account);
  }

  byHand(step: 'give' | 'take', account: string, role: string): void {
    const before = this.platform.effects.length;
    this.platform.byHand(step, account, role, 'person');
    if (this.platform.effects.length > before) this.model.byHand(step, account, role);
  }

  /** Another bot gives a role, or gives it back. */
  async byBot(account: string, role: string): Promise<void> {
    const before = this.platform.effects.length;
    this.platform.byHand('give', account, role, 'bot');
    if (this.platform.effects.length === before) return;
    const { auditCursor } = await this.store.settingsOf(this.guild.community);
    if (auditCursor === undefined) {
      this.model.byHand('give', account, role);
      return;
    }
    if (this.model.bars.has(keyOf(account, role))) {
      this.seen['bot on bar'] = (this.seen['bot on bar'] ?? 0) + 1;
    }
    this.model.byBot(account, role);
  }

  async link(account: string, isLinked: boolean): Promise<void> {
    const wallet = walletOf(Number(account));
    if (isLinked) await this.guild.link(account, wallet);
    else await this.guild.unlink(account, wallet);
    this.person(account).isLinked = isLinked;
  }

  async linkSecond(account: string, isLinked: boolean): Promise<void> {
    const wallet = walletOf(secondOf(Number(account)));
    if (isLinked) await this.guild.link(account, wallet);
    else await this.guild.unlink(account, wallet);
    this.person(account).second.isLinked = isLinked;
  }

  pass(seconds: number): void {
    if (seconds > 0) this.platform.clock(seconds);
    this.guild.now += seconds;
    this.model.now = this.guild.now;
  }

  /** Something that may read members and change something, begun in a process that may be killed. */
  async act<T>(work: (gated: CommunityGating) => Promise<T>): Promise<T | undefined> {
    await this.learnRules();
    this.model.mayRead(this.accounts, ROLES);
    try {
      const done = await this.#untilKilled(work(this.gated));
      await this.learnRules();
      await this.#learnBars();
      return done;
    } catch (error) {
      if (error instanceof Error && error.name === 'RetryableError') return undefined;
      throw error;
    }
  }

  /** Kills the process at one of its next calls to the platform or the store. */
  killIn(calls: number, isDone: boolean): void {
    this.#life = new Life(calls, isDone);
    this.gated = this.#open();
  }

  async stop(): Promise<void> {
    await this.gated.stop();
    this.gated = this.#open();
  }

  /** Goes on with what is left until everything is settled. */
  async calmDown(): Promise<void> {
    this.platform.isConnected = true;
    this.platform.faults.clear();
    this.#life = new Life();
    this.gated = this.#open();
    for (let i = 0; i < 5; i++) await this.act(({ watch }) => watch.poll());
    await this.act(({ gating }) => gating.sweep(this.guild.community));
    expect(await this.store.openRuns()).toEqual([]);
    expect(await this.store.unsettledOf(this.guild.community, undefined)).toEqual([]);
  }

  async isCalm(): Promise<boolean> {
    const open = await this.store.openRuns();
    const unsettled = await this.store.unsettledOf(this.guild.community, undefined);
    return open.length === 0 && unsettled.length === 0 && this.platform.isConnected;
  }

  /** Whether a change of theirs is under way: others' changes can't be told from it then. */
  async isUnsettled(account: string): Promise<boolean> {
    return (await this.store.unsettledOf(this.guild.community, account)).length > 0;
  }

  /** What the store has of bars, the model has from now on, until somebody lifts them. */
  async #learnBars(): Promise<void> {
    for (const { account, grant } of await this.store.barsIn(this.guild.community, 1_000)) {
      const key = keyOf(account, grant);
      if (!this.model.lifted.has(key)) this.model.bars.add(key);
    }
  }

  /** A bar ends only when somebody lifts it or gives the role by hand, not a bot. */
  async checkBars(): Promise<void> {
    const bars = await this.store.barsIn(this.guild.community, 1_000);
    const kept = new Set(bars.map(({ account, grant }) => keyOf(account, grant)));
    expect([...kept]).toEqual(expect.arrayContaining([...this.model.bars]));
  }

  async learnRules(): Promise<readonly Rule[]> {
    this.model.learn(await this.store.rulesOf(this.guild.community));
    for (const { id, grant } of this.model.rules) this.roleOf.set(id, grant);
    return this.model.rules;
  }

  /** The audit log and the platform agree about what the bot did. */
  async checkAudit(): Promise<void> {
    const rows = await this.store.auditOf(this.guild.community, undefined, 1_000_000, 0);
    const told = count(
      rows.filter(({ event }) => event === 'given' || event === 'taken'),
      ({ event, account, rule }) => `${event} ${account} ${this.roleOf.get(rule ?? '')}`,
    );
    const seen = count(
      this.platform.effects.filter(({ by }) => by === 'us'),
      ({ step, account, role }) => `${step === 'give' ? 'given' : 'taken'} ${account} ${role}`,
    );
    expect(told).toEqual(seen);
  }

  /** Every member who is looked at and meets a rule has its role. */
  async checkGiven(): Promise<void> {
    this.model.isDoubtful = false;
    this.guild.source.isStale = false;
    await this.calmDown();
    for (const account of this.accounts) {
      if (!this.person(account).isHere) continue;
      await this.store.noteMembers(this.guild.community, [account]);
      await this.act(({ gating }) => gating.check(this.guild.community, account));
      const bars = await this.store.barsOf(this.guild.community, [account]);
      for (const role of ROLES) {
        const isDenied = bars.some(({ grant }) => [role, ALL_GRANTS].includes(grant));
        if (isDenied || this.model.barred.has(keyOf(account, role))) continue;
        if (!this.model.meetsForSure(account, role)) continue;
        const has = [...(this.platform.roles.get(account) ?? [])];
        if (this.model.isLadder && isPassed(role, has)) continue;
        expect(has, `of ${account}`).toContain(role);
      }
    }
  }

  async close(): Promise<void> {
    await this.gated.stop();
    await this.desk.stop();
    await this.guild.store.close();
  }

  #open(): CommunityGating {
    const { guild } = this;
    const life = this.#life;
    return gatingWith({
      store: life.of(guild.store.gating),
      source: guild.source,
      adapterOf: () => life.of(this.platform),
      walletsOf: async (account) =>
        (await guild.store.links.linksOf(account)).map(({ wallet }) => wallet),
      clock: () => guild.now * 1000,
    });
  }

  async #untilKilled<T>(work: Promise<T>): Promise<T | undefined> {
    const life = this.#life;
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    work.then(end, end);
    while (!isDone && !life.isOver) await yieldToEventLoop();
    if (!life.isOver) return await work;
    // What it requested in its last moment may still happen.
    await yieldToEventLoop();
    this.#life = new Life();
    this.gated = this.#open();
    return undefined;
  }

  /** What the current run is doing, according to the store. */
  #doing(): Doing {
    const [run] = this.store.openRuns() as Awaited<ReturnType<Store['gating']['openRuns']>>;
    if (run === undefined) return 'look';
    if (run.cause === 'undo') return 'undo';
    return run.confirmedBy === undefined ? 'pass' : 'confirmed';
  }
}

/** Whether they have a higher role of the ladder instead. */
function isPassed(role: string, has: readonly string[]): boolean {
  return LADDER.slice(0, Math.max(0, LADDER.indexOf(role))).some((each) => has.includes(each));
}

function count<T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}

export { MODERATOR };
