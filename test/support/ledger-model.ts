import { formatTime } from '#base/time/time';
import type { LedgerBatch } from '#import/ledger-writer';
import { ADJUSTMENT, type LedgerActivity, type LedgerCorrection } from '#reputation/activity';
import type { BadgeDefinition } from '#reputation/badge';
import type { Reading } from '#reputation/reputation-source';
import { shortAddress, type Wallet } from '#wallet/wallet';

/** A ledger, plainly: everything that was committed; answers are computed from scratch each time. */
export class LedgerModel {
  readonly #wallets: readonly Wallet[];
  readonly #activities: LedgerActivity[] = [];
  /** What activities are by now, by wallet and id. */
  readonly #corrected = new Map<string, LedgerCorrection>();
  readonly #badges = new Map<string, BadgeDefinition>();
  readonly #names = new Map<string, string>();

  /** @param wallets all that there will ever be */
  constructor(wallets: readonly Wallet[]) {
    this.#wallets = wallets;
  }

  commit({ badges, names, activities }: LedgerBatch): void {
    for (const badge of badges) this.#badges.set(badge.id, badge);
    for (const { wallet, displayName } of names) this.#names.set(wallet.address, displayName);
    this.#activities.push(...activities);
  }

  /** All activities that can be corrected. */
  get activities(): readonly LedgerActivity[] {
    return this.#activities.filter(({ type }) => type !== ADJUSTMENT);
  }

  /** @param corrections of known activities */
  correct(corrections: readonly LedgerCorrection[]): void {
    for (const correction of corrections) {
      const { id, wallet, corrects, description, points, timestamp } = correction;
      const key = `${wallet.address} ${corrects}`;
      const before =
        this.#corrected.get(key) ??
        (this.#of(wallet).find((each) => each.id === corrects) as LedgerActivity);
      const row = { id, wallet, description, timestamp, points: points - before.points };
      this.#activities.push({ ...row, type: ADJUSTMENT, badge: undefined });
      this.#corrected.set(key, correction);
    }
  }

  knows(badge: string): boolean {
    return this.#badges.has(badge);
  }

  /** As `answersOf` does. */
  answers(): unknown {
    const users = this.#wallets.filter((wallet) => this.#of(wallet).length > 0);
    const scores = users.map((wallet) => this.#score(wallet));
    const ranked = users.toSorted(
      (a, b) => this.#score(b) - this.#score(a) || (a.address < b.address ? -1 : 1),
    );
    const rank = (wallet: Wallet) =>
      1 + scores.filter((score) => score > this.#score(wallet)).length;
    return {
      users: users.length,
      badges: users.reduce((sum, wallet) => sum + this.#earned(wallet).length, 0),
      leaderboard: ranked.map((wallet) => [
        rank(wallet),
        wallet.address,
        this.#names.get(wallet.address) ?? shortAddress(wallet.address),
        this.#score(wallet),
        this.#earned(wallet).length,
      ]),
      wallets: this.#wallets.map((wallet) => {
        if (!users.includes(wallet)) return [];
        return [
          this.#score(wallet),
          rank(wallet),
          this.#earned(wallet),
          this.#of(wallet)
            .toSorted((a, b) => b.timestamp - a.timestamp || (a.id < b.id ? -1 : 1))
            .map(({ id, points }) => [`act_${id}`, points]),
        ];
      }),
    };
  }

  #of(wallet: Wallet): LedgerActivity[] {
    return this.#activities.filter((each) => each.wallet.address === wallet.address);
  }

  #score(wallet: Wallet): number {
    return Math.max(
      0,
      this.#of(wallet).reduce((sum, { points }) => sum + points, 0),
    );
  }

  /** Ids, texts and times. */
  #earned(wallet: Wallet): [string, string, string][] {
    const times = new Map<string, number>();
    for (const activity of this.#of(wallet)) {
      const { badge, timestamp } =
        this.#corrected.get(`${wallet.address} ${activity.id}`) ?? activity;
      if (badge !== undefined) times.set(badge, Math.min(times.get(badge) ?? timestamp, timestamp));
    }
    return [...times]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, time]) => [id, this.#badges.get(id)?.name ?? '', formatTime(time)]);
  }
}

/** Everything a source returns about some wallets, without where each part came from. */
export async function answersOf(reading: () => Reading, all: readonly Wallet[]): Promise<unknown> {
  const { totalUsers, totalBadgesIssued } = await reading().stats();
  const { leaderboard } = await reading().leaderboard({ chain: 'all', limit: 500, offset: 0 });
  const wallets: unknown[] = [];
  for (const wallet of all) {
    const record = await reading().reputation(wallet);
    const list = await reading().badges(wallet);
    const activity = await reading().activity(wallet, 200);
    wallets.push(
      record === undefined
        ? []
        : [
            record.score,
            record.rank,
            list?.badges.map(({ id, name, earnedAt }) => [id, name, earnedAt]),
            activity?.activities.map(({ id, points }) => [id, points]),
          ],
    );
  }
  return {
    users: totalUsers,
    badges: totalBadgesIssued,
    leaderboard: leaderboard.map((each) => [
      each.rank,
      each.address,
      each.displayName,
      each.score,
      each.badges,
    ]),
    wallets,
  };
}
