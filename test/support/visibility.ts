import fc from 'fast-check';
import { createBoards } from '#app/members/gating';
import type { WalletLinking } from '#app/members/linking';
import type { Account, Caller } from '#command/account';
import type { MemberBoards } from '#gating/boards/member-boards';
import type { Privacy } from '#linking/link-records';
import { GatedCommunity, GUILD } from './gated-community.ts';
import { walletOf } from './import-lines.ts';
import { linkingWith } from './linking.ts';

/** The histories of visibility: what members of a community do that decides who may be shown there. */

export const PEOPLE = [8101, 8102, 8103, 8104];
const ELSEWHERE = '701';

/** Something that a member does; `place` is where they choose who sees their wallets. */
export type Deed =
  | {
      readonly kind: 'link' | 'unlink' | 'erase' | 'leave' | 'return' | 'rise';
      readonly who: number;
    }
  | {
      readonly kind: 'choose';
      readonly who: number;
      readonly privacy: Privacy;
      readonly place: 'here' | 'elsewhere';
    }
  /** Somebody looks, so that what was shown is remembered. */
  | { readonly kind: 'look' }
  /** They want to be announced where they show themselves, or not. */
  | { readonly kind: 'announced'; readonly who: number; readonly isOn: boolean }
  | { readonly kind: 'wait'; readonly seconds: number };

export const deeds: fc.Arbitrary<Deed[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom('link', 'unlink', 'erase', 'leave', 'return', 'rise'),
      who: fc.constantFrom(...PEOPLE),
    }) as fc.Arbitrary<Deed>,
    fc.record({
      kind: fc.constant('choose' as const),
      who: fc.constantFrom(...PEOPLE),
      privacy: fc.constantFrom('hidden', 'community', 'public') as fc.Arbitrary<Privacy>,
      place: fc.constantFrom('here' as const, 'elsewhere' as const),
    }),
    fc.record({
      kind: fc.constant('announced' as const),
      who: fc.constantFrom(...PEOPLE),
      isOn: fc.boolean(),
    }),
    fc.constant({ kind: 'look' as const }),
    fc.record({ kind: fc.constant('wait' as const), seconds: fc.constantFrom(1, 61) }),
  ),
  { maxLength: 20 },
);

/** What counts at once, wherever somebody looks: a choice, and the end of a link. */
export type QuickDeed = Extract<Deed, { readonly who: number }>;

export const quickDeed = fc.oneof(
  fc.record({
    kind: fc.constantFrom('unlink' as const, 'erase' as const),
    who: fc.constantFrom(...PEOPLE),
  }),
  fc.record({
    kind: fc.constant('choose' as const),
    who: fc.constantFrom(...PEOPLE),
    privacy: fc.constantFrom('hidden' as const, 'community' as const),
    place: fc.constant('elsewhere' as const),
  }),
  fc.record({
    kind: fc.constant('announced' as const),
    who: fc.constantFrom(...PEOPLE),
    isOn: fc.boolean(),
  }),
) as fc.Arbitrary<QuickDeed>;

/**
 * A community, and what may be shown of its members by what they did: the truth that every surface is
 * compared with. A surface's process may or may not hear of a change, as with several replicas.
 */
export class VisibilityWorld {
  readonly guild = new GatedCommunity(GUILD);
  readonly linking: WalletLinking;
  /** Of the process where all changes are made, and of another one. */
  readonly boards: MemberBoards;
  readonly otherBoards: MemberBoards;
  /** Milliseconds. */
  monotonic = 0;
  /** Of the source's data. */
  revision = 0;
  readonly #listeners: ((account: Account) => void)[] = [];
  readonly #members = new Set<number>();
  readonly #linked = new Set<number>();
  readonly #unannounced = new Set<number>();
  readonly #choices = new Map<number, 'hidden' | 'here' | 'elsewhere' | 'both' | 'public'>();

  constructor() {
    const { store } = this.guild;
    this.linking = linkingWith({
      store: store.links,
      clock: () => this.guild.now * 1000,
      onChange: (account) => {
        for (const each of this.#listeners) each(account);
      },
    });
    const open = () =>
      createBoards({
        store: store.gating,
        adapterOf: () => this.guild.adapter,
        shownAmong: (...asked) => this.linking.shownAmong(...asked),
        monotonic: () => this.monotonic,
      });
    this.boards = open();
    this.otherBoards = open();
    this.onChange((account) => this.boards.changed(account));
  }

  onChange(listener: (account: Account) => void): void {
    this.#listeners.push(listener);
  }

  callerOf(who: number, community: string = GUILD.id): Caller {
    return { platform: GUILD.platform, id: String(who), community };
  }

  /** Whose wallets others in the community may look up, now: they needn't be members. */
  lookedUp(): number[] {
    return PEOPLE.filter(
      (who) =>
        this.#linked.has(who) &&
        ['here', 'both', 'public'].includes(this.#choices.get(who) ?? 'hidden'),
    );
  }

  /** Who may be shown in the community, now. */
  visible(): number[] {
    return this.lookedUp().filter((who) => this.#members.has(who));
  }

  /** Whom the community may be told of when they rise, now. */
  announced(): number[] {
    return this.visible().filter((who) => !this.#unannounced.has(who));
  }

  /** Members with wallets that mustn't be shown. */
  hidden(): number[] {
    const visible = new Set(this.visible());
    return PEOPLE.filter(
      (who) => this.#members.has(who) && this.#linked.has(who) && !visible.has(who),
    );
  }

  async do(deed: Exclude<Deed, { readonly kind: 'look' }>): Promise<void> {
    const { guild, linking } = this;
    if (deed.kind === 'wait') {
      this.monotonic += deed.seconds * 1000;
      guild.now += deed.seconds;
      return;
    }
    const { who } = deed;
    const account = { platform: GUILD.platform, id: String(who) };
    const links = linking.of(this.callerOf(who));
    switch (deed.kind) {
      case 'link':
        this.score(who, 1_000);
        await guild.link(account.id, walletOf(who));
        // Signed on the page, which tells.
        for (const each of this.#listeners) each(account);
        this.#linked.add(who);
        return;
      case 'unlink':
        if (this.#linked.delete(who)) await links.unlink(walletOf(who));
        return;
      case 'erase':
        await links.erase();
        // Of the community, the account is unknown until it's met again.
        this.#members.delete(who);
        this.#linked.delete(who);
        this.#choices.delete(who);
        this.#unannounced.delete(who);
        return;
      case 'rise':
        this.score(who, 6_000);
        return;
      case 'announced':
        await links.chooseAnnounced(deed.isOn);
        if (deed.isOn) this.#unannounced.delete(who);
        else this.#unannounced.add(who);
        return;
      case 'leave':
        // Nobody who keeps members in memory hears of it.
        await guild.store.gating.forgetMember(guild.community, account.id);
        guild.adapter.roles.delete(account.id);
        this.#members.delete(who);
        return;
      case 'return':
        await guild.store.gating.noteMembers(guild.community, [account.id]);
        guild.adapter.join(account.id);
        this.#members.add(who);
        return;
      case 'choose':
        await this.#choose(who, deed.privacy, deed.place);
    }
  }

  /** The source has newer data, in which their wallet has about so many points. */
  score(who: number, score: number): void {
    this.guild.source.scores.set(walletOf(who).address, score + who - (PEOPLE[0] ?? 0));
    this.revision += 1;
  }

  async #choose(who: number, privacy: Privacy, place: 'here' | 'elsewhere'): Promise<void> {
    const caller = this.callerOf(who, place === 'here' ? GUILD.id : ELSEWHERE);
    await this.linking.of(caller).choose(privacy);
    const before = this.#choices.get(who);
    const isAdded = before === 'both' || before === (place === 'here' ? 'elsewhere' : 'here');
    this.#choices.set(who, privacy === 'community' ? (isAdded ? 'both' : place) : privacy);
  }
}
