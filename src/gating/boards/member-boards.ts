import { BoundedMap, Recent, RetryableError, UserError } from '#base';
import type { Account } from '#command';
import type { CommunityAdapter } from '#gating/community-adapter';
import type { WalletCounting } from '#gating/decide/counted-wallets';
import { type Community, communityKey, ENTRY } from '#gating/rules/rule';
import type { GateStore } from '#gating/store';
import { type Page, type PeriodDays, pageOf, type Reading } from '#reputation';
import type { Wallet } from '#wallet';
import {
  BoardMembers,
  type BoardMembersOptions,
  type MemberStanding,
  memberGain,
  memberStanding,
} from './board-members.ts';

/** Communities whose members are kept in memory. */
const COMMUNITIES_KEPT = 32;
/** Members whose wallets are read between two yields. */
const MEMBERS_AT_ONCE = 1_000;
/** How often a page is made again as somebody on it has just changed something. */
const TRIES = 3;
/** Seconds after which to look again while gains are worked out. */
const COUNTED_IN = 3;
/** Milliseconds after which figures are read again from a source that doesn't tell of every change. */
const FIGURES_FOR = 60_000;
/** Milliseconds for which somebody whom the platform has named as a member is believed to be one, where passes ask too. */
const HERE_FOR = 60_000;
/** Members of whom that is remembered. */
const HERE_KEPT = 10_000;

export interface MemberBoardsOptions extends BoardMembersOptions {
  readonly store: Pick<
    GateStore,
    'membersAfter' | 'member' | 'rulesOf' | 'noteMembers' | 'forgetMember'
  >;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
}

/** What members are ranked by, and which of their wallets count how. */
export interface BoardMeasure extends WalletCounting {
  /** Points gained in that many days; undefined: the score. */
  readonly days: PeriodDays | undefined;
}

export interface PageAsked {
  readonly page: number | undefined;
  readonly size: number;
}

export interface MemberRow extends MemberStanding {
  readonly rank: number;
  readonly account: string;
}

export interface MemberBoardPage {
  readonly rows: readonly MemberRow[];
  /** The asker's, on whichever page, if they show themselves. */
  readonly own: MemberRow | undefined;
  readonly page: Page;
  /** How many members are on all pages. */
  readonly total: number;
  /** How many have linked wallets, but don't show themselves here. */
  readonly hidden: number;
  /** Whether everybody who has linked a wallet is known as a member. */
  readonly knowsAll: boolean;
  /** How many of this page the platform said nothing about: they may have left, so they aren't shown. */
  readonly unsure: number;
  /** Whether an empty board is empty: the platform names members, so that they can be known. */
  readonly tells: boolean;
}

/** Where a member is, or would be if they showed themselves. */
export interface MemberPlace {
  readonly rank: number;
  readonly points: number;
  /** How many others are on the board. */
  readonly others: number;
  readonly isShown: boolean;
  /** Whether there are no others if none are known. */
  readonly tells: boolean;
}

/** What a member has with these wallets. */
interface RankedMember {
  readonly wallets: readonly Wallet[];
  readonly standing: MemberStanding | undefined;
}

/** Members by what they have, best first. */
interface Ranked {
  readonly rows: readonly MemberRow[];
  readonly members: ReadonlyMap<string, RankedMember>;
  readonly version: number;
  readonly revision: string;
  readonly readAt: number;
}

interface KeptBoard {
  readonly community: Community;
  readonly members: BoardMembers;
  readonly ranked: Map<string, Ranked>;
}

/**
 * Boards of communities' members. Only those who show themselves there are ranked, so that neither a row nor
 * a gap tells of anybody else; and members who are shown have been checked in the store a moment before.
 */
export class MemberBoards {
  readonly #options: MemberBoardsOptions;
  readonly #kept = new BoundedMap<string, KeptBoard>(COMMUNITIES_KEPT);
  readonly #here: Recent<true>;

  constructor(options: MemberBoardsOptions) {
    this.#options = options;
    this.#here = new Recent(HERE_FOR, HERE_KEPT, options.monotonic);
  }

  /** Something about an account may have changed: its wallets, its choices, where it's a member. */
  changed(account: Account): void {
    for (const [, { members }] of this.#kept.entries()) members.changed(account);
  }

  /** A community has got to know these members. */
  noted(community: Community, accounts: readonly string[]): void {
    const members = this.#kept.get(communityKey(community))?.members;
    for (const id of accounts) members?.changed({ platform: community.platform, id });
  }

  /**
   * @param account who asks
   * @throws RetryableError, UserError `route-not-found` if the source can't tell what was gained
   */
  async page(
    account: Account,
    community: Community,
    measure: BoardMeasure,
    reading: Reading,
    asked: PageAsked,
  ): Promise<MemberBoardPage> {
    const board = this.#boardOf(community);
    const { members } = board;
    await this.#noteAsker(community, account.id);
    // They may have changed something a moment ago.
    members.changed(account);
    const rules = await this.#options.store.rulesOf(community);
    const knowsAll = rules.some(({ grant }) => grant !== ENTRY);
    for (let tries = 1; ; tries++) {
      const { rows } = await this.#ranked(board, measure, reading);
      const page = pageOf(asked.page, rows.length, asked.size);
      const wanted = rows.slice(page.offset, page.offset + asked.size);
      const accounts = wanted.map((row) => row.account);
      const own = rows.find((row) => row.account === account.id);
      // Not every platform tells of all who leave, and passes may take hours to ask about everybody.
      const [here, unsure] = await this.#stillHere(
        board,
        accounts,
        rules.length > 0 ? HERE_FOR : 0,
      );
      const gone = accounts.length - here.size - unsure.size;
      // Last, as asking takes a while, in which somebody may hide.
      const named = new Set(own === undefined ? accounts : [...accounts, own.account]);
      const right = await members.checked([...named]);
      if ((right.size === named.size && gone === 0) || tries === TRIES) {
        const shown = wanted.filter(({ account }) => here.has(account) && right.has(account));
        return {
          ...{
            rows: shown,
            own: own && right.has(own.account) ? own : undefined,
            page,
            total: rows.length,
            hidden: members.hidden,
            knowsAll,
          },
          unsure: [...unsure].filter((each) => right.has(each)).length,
          tells: rows.length > 0 || (await this.#tells(community, account.id)),
        };
      }
    }
  }

  /** For the member alone. @returns undefined if no wallet of theirs has anything by that measure */
  async placeOf(
    { platform, id }: Account,
    community: string,
    wallets: readonly Wallet[],
    measure: BoardMeasure,
    reading: Reading,
  ): Promise<MemberPlace | undefined> {
    const board = this.#boardOf({ platform, id: community });
    await this.#noteAsker(board.community, id);
    // They may have changed something a moment ago.
    board.members.changed({ platform, id });
    // First, as the revision then tells what was counted as well.
    const { rows } = await this.#ranked(board, measure, reading);
    const own = (await standingsOf([wallets], measure, reading))[0];
    if (own === undefined) return undefined;
    const { points } = own;
    const others = rows.filter(({ account }) => account !== id);
    return {
      rank: 1 + others.filter((row) => row.points > points).length,
      points,
      others: others.length,
      isShown: board.members.shown.has(id),
      tells: others.length > 0 || (await this.#tells(board.community, id)),
    };
  }

  /** Members who show themselves are on the board that they ask for, also if it's the first that they do there. */
  async #noteAsker(community: Community, account: string): Promise<void> {
    const { store, shownAmong, adapterOf } = this.#options;
    if ((await store.member(community, account)) !== undefined) return;
    if (!(await shownAmong(community.platform, [account], community.id)).has(account)) return;
    try {
      const here = await adapterOf(community.platform)?.member(community.id, account);
      if (here !== undefined) await store.noteMembers(community, [account]);
    } catch (error) {
      // The board says whom it can't know of.
      if (!(error instanceof RetryableError)) throw error;
    }
  }

  /** Whether the platform says whether the asker is a member: if not, nobody else is known either. */
  async #tells({ platform, id }: Community, asker: string): Promise<boolean> {
    const adapter = this.#options.adapterOf(platform);
    try {
      await adapter?.member(id, asker);
      return adapter !== undefined;
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      return false;
    }
  }

  /**
   * Asks the platform; members it doesn't know about aren't shown.
   * @param believed milliseconds for which its last answer is
   * @returns them, and those about whom it doesn't answer
   */
  async #stillHere(
    { community, members }: KeptBoard,
    accounts: readonly string[],
    believed: number,
  ): Promise<readonly [here: ReadonlySet<string>, unsure: ReadonlySet<string>]> {
    const { adapterOf, store } = this.#options;
    const adapter = adapterOf(community.platform);
    const here = new Set<string>();
    const unsure = new Set<string>();
    const one = async (account: string): Promise<void> => {
      const key = `${communityKey(community)} ${account}`;
      try {
        if (this.#here.get(key, believed) === true) here.add(account);
        else if ((await adapter?.member(community.id, account)) !== undefined) {
          this.#here.set(key, true);
          here.add(account);
        } else if (adapter === undefined) unsure.add(account);
        else {
          await store.forgetMember(community, account);
          members.changed({ platform: community.platform, id: account });
        }
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        unsure.add(account);
      }
    };
    await Promise.all(accounts.map(one));
    return [here, unsure];
  }

  #boardOf(community: Community): KeptBoard {
    const key = communityKey(community);
    const kept = this.#kept.get(key) ?? {
      community,
      members: new BoardMembers(this.#options, community),
      ranked: new Map<string, Ranked>(),
    };
    // Set again, so that it's the least recently used one that is evicted.
    this.#kept.set(key, kept);
    return kept;
  }

  async #ranked(
    { members, ranked }: KeptBoard,
    measure: BoardMeasure,
    reading: Reading,
  ): Promise<Ranked> {
    await members.refresh();
    const key = `${measure.chain ?? 'all'} ${measure.days ?? ''} ${measure.mode}`;
    const now = this.#options.monotonic();
    const { version } = members;
    const { revision } = reading;
    const before = ranked.get(key);
    const isFresh = before?.revision === revision && now - before.readAt < FIGURES_FOR;
    const kept = isFresh ? before : undefined;
    if (kept?.version === version) return kept;
    const known = new Map<string, RankedMember>();
    const unread: (readonly [string, readonly Wallet[]])[] = [];
    for (const [account, wallets] of members.shown) {
      const own = kept?.members.get(account);
      if (own?.wallets === wallets) known.set(account, own);
      else unread.push([account, wallets]);
    }
    const standings = await this.#standingsOf(unread, measure, reading);
    for (const [i, [account, wallets]] of unread.entries()) {
      known.set(account, { wallets, standing: standings[i] });
    }
    // Those that were kept were read then.
    const readAt = kept?.readAt ?? now;
    const made = { rows: rank(known), members: known, version, revision, readAt };
    ranked.set(key, made);
    return made;
  }

  async #standingsOf(
    shown: readonly (readonly [string, readonly Wallet[]])[],
    measure: BoardMeasure,
    reading: Reading,
  ): Promise<readonly (MemberStanding | undefined)[]> {
    const all: (MemberStanding | undefined)[] = [];
    for (let from = 0; from < shown.length; from += MEMBERS_AT_ONCE) {
      const part = shown.slice(from, from + MEMBERS_AT_ONCE).map(([, wallets]) => wallets);
      all.push(...(await standingsOf(part, measure, reading)));
      await this.#options.yieldToEventLoop();
    }
    return all;
  }
}

/** What each of several members has. */
async function standingsOf(
  members: readonly (readonly Wallet[])[],
  { days, ...counting }: BoardMeasure,
  reading: Reading,
): Promise<readonly (MemberStanding | undefined)[]> {
  const { chain, mode } = counting;
  const counted = members.map((wallets) =>
    wallets.filter((wallet) => chain === undefined || wallet.chain === chain),
  );
  const wallets = counted.flat();
  let from = 0;
  const each = <T>(figures: readonly T[], use: (own: readonly T[]) => MemberStanding | undefined) =>
    counted.map(({ length }) => {
      from += length;
      return use(figures.slice(from - length, from));
    });
  if (days !== undefined) {
    return each(await gainsOf(wallets, days, reading), (gains) => memberGain(gains, mode));
  }
  const records = await reading.reputations(wallets);
  const figures = wallets.map((wallet, i) => ({ wallet, record: records[i] }));
  return each(figures, (own) => memberStanding(own, counting));
}

async function gainsOf(
  wallets: readonly Wallet[],
  days: PeriodDays,
  reading: Reading,
): Promise<readonly number[]> {
  if (reading.gains === undefined) {
    throw new UserError('route-not-found', "This source can't tell what was gained.");
  }
  const gains = await reading.gains(wallets, days);
  if (gains === undefined) {
    throw new RetryableError('Gains are being worked out.', { retryAfter: COUNTED_IN });
  }
  return gains;
}

/** Standard competition ranks; equal ones in the order of the accounts. */
function rank(members: ReadonlyMap<string, RankedMember>): readonly MemberRow[] {
  const rows = [...members].flatMap(([account, { standing }]) =>
    standing === undefined ? [] : [{ account, ...standing }],
  );
  rows.sort((a, b) => b.points - a.points || (a.account < b.account ? -1 : 1));
  let rank = 0;
  return rows.map((row, i) => {
    if (row.points !== rows[i - 1]?.points) rank = i + 1;
    return { ...row, rank };
  });
}
