import type { Card } from '#command/cards/card';
import { commands } from '#commands/index';
import type { GateEvents } from '#gating/events';
import { ENTRY, type Rule } from '#gating/rules/rule';
import type { Telegram, TelegramOptions } from '#platforms/telegram/bot';
import { ADMIN, LEFT, MEMBER, OWNER } from '../../../bench/servers/telegram/seats.ts';
import type { TelegramStandIn } from '../../../bench/servers/telegram/stand-in.ts';
import type { Group, Kept, Person } from '../../../bench/servers/telegram/world.ts';
import { answererWith } from '../ask.ts';
import { GatedCommunity } from '../gated-community.ts';
import { walletOf } from '../import-lines.ts';
import { linkingWith } from '../linking.ts';
import { NO_LIMITS } from './bot.ts';

/** A Telegram group with an owner, the real bot in `polling` mode, and the real gating behind it. */
export class GatedGroup {
  readonly telegram: TelegramStandIn;
  readonly world: GatedCommunity;
  readonly owner: Person;
  group: Group;
  bot!: Telegram;
  #heard = 0;
  readonly #answered: (Card | undefined)[] = [];
  readonly #start: (changes?: Partial<TelegramOptions>) => Telegram;

  constructor(
    telegram: TelegramStandIn,
    start: (changes?: Partial<TelegramOptions>) => Telegram,
    { basic = false }: { basic?: boolean } = {},
  ) {
    this.telegram = telegram;
    this.#start = start;
    this.group = telegram.world.group({ bot: ADMIN, basic });
    this.owner = telegram.world.person({ name: 'Olga' });
    telegram.world.seats.put(this.group.id, this.owner.user.id, OWNER);
    this.world = new GatedCommunity({ platform: 'telegram', id: String(this.group.id) });
    this.#run();
  }

  #run(): void {
    const { world } = this;
    world.gated = world.open({ adapterOf: () => this.bot.communityAdapter });
    const { gating, watch } = world.gated;
    const linking = linkingWith({ store: world.links, clock: () => world.now * 1000 });
    const answerer = answererWith({
      commands,
      gating,
      source: world.source,
      linksOf: (each) => linking.of(each),
      onSeen: (caller) => watch.seen(caller),
      clock: () => world.now * 1000,
    });
    this.bot = this.#start({
      answerer,
      gate: this.#heardBy(watch),
      limits: NO_LIMITS,
      usernames: world.store.gating,
      clock: Date.now,
    });
  }

  /** Records what the bot has passed on. */
  #heardBy(gate: GateEvents): GateEvents {
    const heard = <A extends unknown[]>(tell: (...about: A) => void) => {
      return (...about: A) => {
        tell(...about);
        this.#heard += 1;
      };
    };
    return {
      joined: heard((...about) => gate.joined(...about)),
      left: heard((...about) => gate.left(...about)),
      removed: (...about) => gate.removed(...about),
      given: (...about) => gate.given(...about),
      handChanged: (...about) => gate.handChanged(...about),
      missed: (...about) => gate.missed(...about),
      changed: (...about) => gate.changed(...about),
      moved: heard((...about) => gate.moved(...about)),
      grantChanged: (...about) => gate.grantChanged(...about),
      renamed: heard((...about) => gate.renamed(...about)),
      standingChanged: heard((...about) => gate.standingChanged(...about)),
      requested: async (...about) => {
        const card = await gate.requested(...about);
        this.#answered.push(card);
        return card;
      },
    };
  }

  /** Something happens that the bot passes on; waits until it's been handled. */
  async hears(happens: () => unknown): Promise<void> {
    const before = this.#heard;
    await happens();
    await this.telegram.until(() => this.#heard > before);
    await this.watch.idle();
  }

  get community() {
    return { platform: 'telegram', id: String(this.group.id) } as const;
  }

  get watch() {
    return this.world.gated.watch;
  }

  /** The process ends, and another one starts. @param until it learns what it has missed only after this */
  async restart(until: Promise<void> = Promise.resolve()): Promise<void> {
    await this.world.gated.stop();
    await this.bot.stop();
    this.#run();
    const { communityAdapter } = this.bot;
    const catchUp = communityAdapter.catchUp?.bind(communityAdapter);
    Object.assign(communityAdapter, {
      catchUp: async (communities: readonly string[]) => {
        await until;
        await catchUp?.(communities);
      },
    });
    await this.watch.begin();
  }

  /** A rule as a moderator makes it: Whale or higher, two hours of grace. */
  async rule(change: Partial<Rule> = {}): Promise<Rule> {
    const { gating } = this.world.gated;
    const { rule } = await gating.add(
      this.community,
      {
        grant: ENTRY,
        requirements: [{ kind: 'tier', tier: 'Whale' }],
        match: 'all',
        chain: undefined,
        exclusive: false,
        graceSeconds: 7_200,
        ...change,
      },
      `telegram:${this.owner.user.id}`,
    );
    if (rule === undefined) throw new Error('the rule was refused');
    await this.watch.idle();
    return rule;
  }

  /** Someone outside the group, with a linked wallet if a score is given. */
  async person(score?: number, name?: string): Promise<Person> {
    const person = this.telegram.world.person(name === undefined ? {} : { name });
    if (score !== undefined) await this.links(person, score);
    return person;
  }

  /** Links a wallet of this score, and notifies everyone concerned. */
  async links({ user: { id } }: Person, score: number): Promise<void> {
    this.world.score(id, score);
    await this.world.link(String(id), walletOf(id));
    this.watch.linksChanged({ platform: 'telegram', id: String(id) });
    await this.watch.idle();
  }

  score({ user: { id } }: Person, score: number): void {
    this.world.score(id, score);
  }

  /** Someone who was admitted by the rules. */
  async member(score: number, name?: string): Promise<Person> {
    const person = await this.person(score, name);
    // Telegram reports admitted members, too.
    await this.hears(() => this.asks(person));
    if (!this.isIn(person)) throw new Error('they were not let in');
    return person;
  }

  /** Someone asks to join, and the bot has handled it. */
  async asks(person: Person, group: Group = this.group): Promise<void> {
    const [answers, messages] = [this.#answered.length, this.told(person).length];
    this.telegram.asksToJoin(person, group);
    await this.telegram.until(() => this.#answered.length > answers);
    if (this.#answered.at(-1) === undefined) return;
    await this.telegram.until(() => this.told(person).length > messages);
  }

  isIn({ user }: Person): boolean {
    const { status } = this.telegram.world.seats.of(this.group.id, user.id);
    return status === MEMBER.status;
  }

  leaves({ user }: Person): void {
    this.telegram.places(user, this.group, LEFT);
  }

  async isWaiting({ user }: Person): Promise<boolean> {
    const { gating } = this.world.store;
    return (await gating.joinRequestOf(this.community, String(user.id))) !== undefined;
  }

  /** What the bot wrote to a person, oldest first. */
  told({ user }: Person): string[] {
    return this.telegram.sentTo(user).map(({ text }) => text);
  }

  /** The answer to a moderator in their private chat. @param replyTo what they reply to */
  async say(text: string, replyTo?: Kept): Promise<string> {
    const before = this.telegram.sentTo(this.owner.user).length;
    this.telegram.says(this.owner, text, { in: this.group, ...(replyTo && { replyTo }) });
    await this.telegram.until(() => this.telegram.sentTo(this.owner.user).length > before);
    return this.told(this.owner)[before] as string;
  }

  async pass(): Promise<void> {
    await this.world.gated.gating.sweep(this.community);
  }

  /** What failed a moment ago is tried again. */
  async secondsLater(): Promise<void> {
    this.world.now += 10;
    await this.watch.poll();
    await this.watch.idle();
  }

  /** Runs a pass every half hour for this long. */
  async hours(count: number): Promise<void> {
    for (let i = 0; i < count * 2; i += 1) {
      this.world.now += 1_800;
      await this.pass();
    }
  }

  /** Audit rows as short texts, oldest first. */
  async audit(community = this.community): Promise<string[]> {
    const rows = await this.world.store.gating.auditOf(community, undefined, 10_000, 0);
    return rows.toReversed().map(({ event, account }) => `${event} ${account ?? ''}`.trim());
  }

  /** Calls of a method about one group, successful or not. */
  callsAbout(method: string, group: Group = this.group): unknown[] {
    return this.telegram.calls.filter(
      (each) => each.method === method && each.payload.chat_id === group.id,
    );
  }
}

/** Without what keeps Telegram from making links and numbers of words. */
export function plain(text = ''): string {
  return text.replaceAll('\u2060', '');
}
