import type { Account } from '#command';
import {
  type LinkedFigures,
  standingOf,
  type WalletCounting,
  type WalletMode,
} from '#gating/decide/counted-wallets';
import type { Community } from '#gating/rules/rule';
import type { GateStore, KnownMember } from '#gating/store';
import type { Tier } from '#reputation';
import type { Wallet } from '#wallet';

/** Members between two yields. */
const AT_ONCE = 1_000;
/** Milliseconds after which what other processes have changed counts. */
const CURRENT_FOR = 60_000;

export interface BoardMembersOptions {
  readonly store: Pick<GateStore, 'membersAfter' | 'member' | 'rulesOf'>;
  /** Which of these accounts show themselves in a community, by their owners' choices now. */
  readonly shownAmong: (
    platform: Community['platform'],
    accounts: readonly string[],
    community: string,
  ) => Promise<ReadonlySet<string>>;
  /** Milliseconds. */
  readonly monotonic: () => number;
  readonly yieldToEventLoop: () => Promise<void>;
}

/**
 * The members of one community who have linked wallets, in memory. It may be behind what other processes
 * do, so the code that shows a member checks them first (`checked`).
 */
export class BoardMembers {
  readonly #options: BoardMembersOptions;
  readonly #community: Community;
  readonly #shown = new Map<string, readonly Wallet[]>();
  /** Who has linked wallets, but doesn't show them here. */
  readonly #hidden = new Set<string>();
  readonly #changed = new Set<string>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  /** Counts the changes of what is in memory. */
  version = 0;

  constructor(options: BoardMembersOptions, community: Community) {
    this.#options = options;
    this.#community = community;
  }

  /** Those who show themselves, with their wallets. */
  get shown(): ReadonlyMap<string, readonly Wallet[]> {
    return this.#shown;
  }

  /** How many have linked wallets and don't show them here. */
  get hidden(): number {
    return this.#hidden.size;
  }

  /** Something about an account may have changed. */
  changed({ platform, id }: Account): void {
    if (platform === this.#community.platform) this.#changed.add(id);
  }

  /** Reads what may have changed until now. @throws RetryableError */
  async refresh(): Promise<void> {
    // What began before may have read what has changed since: it isn't the answer, and may fail.
    await this.#reading?.catch(() => undefined);
    this.#reading ??= this.#refresh().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  /**
   * Those of these accounts who are members, show themselves and have the wallets that are in memory, by the
   * store now. The others are read again by the next `refresh`.
   */
  async checked(accounts: readonly string[]): Promise<ReadonlySet<string>> {
    const right = new Set<string>();
    for (const { account, wallets, isShown } of await this.#read(accounts)) {
      if (isShown && isSame(this.#shown.get(account), wallets)) right.add(account);
    }
    for (const account of accounts) if (!right.has(account)) this.#changed.add(account);
    return right;
  }

  async #refresh(): Promise<void> {
    const { monotonic } = this.#options;
    const now = monotonic();
    // One by one, more than a page of them would take longer than all.
    if (now - this.#readAt > CURRENT_FOR || this.#changed.size > AT_ONCE) {
      this.#changed.clear();
      await this.#readAll();
      this.#readAt = now;
    }
    const changed = [...this.#changed];
    if (changed.length === 0) return;
    for (const account of changed) this.#changed.delete(account);
    try {
      const members = byAccount(await this.#read(changed));
      for (const account of changed) this.#keep(account, members.get(account));
    } catch (error) {
      for (const account of changed) this.#changed.add(account);
      throw error;
    }
  }

  async #readAll(): Promise<void> {
    const { store, yieldToEventLoop } = this.#options;
    const all: BoardMember[] = [];
    for (let after = ''; ; ) {
      const page = await store.membersAfter(this.#community, after, AT_ONCE);
      all.push(...(await this.#withChoices(page)));
      if (page.length < AT_ONCE) break;
      after = page.at(-1)?.account ?? after;
      await yieldToEventLoop();
    }
    const members = byAccount(all);
    for (const account of [...this.#shown.keys(), ...this.#hidden, ...members.keys()]) {
      this.#keep(account, members.get(account));
    }
  }

  async #read(accounts: readonly string[]): Promise<readonly BoardMember[]> {
    const { store } = this.#options;
    const found = await Promise.all(accounts.map((id) => store.member(this.#community, id)));
    return await this.#withChoices(found.filter((member) => member !== undefined));
  }

  async #withChoices(members: readonly KnownMember[]): Promise<readonly BoardMember[]> {
    const linked = members.filter(({ wallets }) => wallets.length > 0);
    const { platform, id } = this.#community;
    const accounts = linked.map(({ account }) => account);
    const shown = await this.#options.shownAmong(platform, accounts, id);
    return linked.map((each) => ({ ...each, isShown: shown.has(each.account) }));
  }

  /** @param now undefined if it's no member, or has no wallets */
  #keep(account: string, now: BoardMember | undefined): void {
    const shown = this.#shown.get(account);
    const wallets = now?.isShown === true ? now.wallets : undefined;
    const isHidden = now?.isShown === false;
    if (isHidden === this.#hidden.has(account) && isSame(shown, wallets)) return;
    if (wallets === undefined) this.#shown.delete(account);
    else this.#shown.set(account, wallets);
    if (isHidden) this.#hidden.add(account);
    else this.#hidden.delete(account);
    this.version += 1;
  }
}

interface BoardMember extends Pick<KnownMember, 'account' | 'wallets'> {
  readonly isShown: boolean;
}

function byAccount(members: readonly BoardMember[]): ReadonlyMap<string, BoardMember> {
  return new Map(members.map((member) => [member.account, member]));
}

function isSame(one: readonly Wallet[] | undefined, other: readonly Wallet[] | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (
    one.length === other.length && one.every(({ address }, i) => address === other[i]?.address)
  );
}

/** What a member has on a board. */
export interface MemberStanding {
  readonly points: number;
  /** Undefined for what was gained in some days, and where nobody knows it. */
  readonly tier: Tier | undefined;
}

/** By score; undefined without a wallet that counts and was ever seen. */
export function memberStanding(
  wallets: readonly LinkedFigures[],
  counting: WalletCounting,
): MemberStanding | undefined {
  const standing = standingOf(wallets, counting);
  return standing && { points: standing.score, tier: standing.tier };
}

/** By what their wallets that count have gained; undefined if that's nothing. */
export function memberGain(gains: readonly number[], mode: WalletMode): MemberStanding | undefined {
  const sum = gains.reduce((all, gain) => all + gain, 0);
  const points = mode === 'sum' ? sum : Math.max(0, ...gains);
  return points > 0 ? { points, tier: undefined } : undefined;
}
