import type { DroppedAward } from '#storage/corrections';
import { ChangePacker, type ChangePart } from './packed-changes.ts';

/** What the live rules grant the wallets of a commit. */
export interface GrantedByRules {
  /** By wallet. */
  readonly sums: ReadonlyMap<number, { readonly points: number; readonly activities: number }>;
  /** `WALLET BADGE`, for the badges that the commit earns, too. */
  readonly badges: ReadonlySet<string>;
}

/** If no rules are live. */
export const NO_RULES: GrantedByRules = { sums: new Map(), badges: new Set() };

const NONE: readonly never[] = [];

/** Packs how an import's commit changes what is shown. */
export class ImportPacker {
  readonly #packer = new ChangePacker();
  readonly #granted: GrantedByRules;
  readonly #dropped: ReadonlyMap<number, readonly DroppedAward[]>;
  readonly #isPlain: boolean;

  /** @param dropped awards lost through the commit's corrections */
  constructor(granted: GrantedByRules, dropped: readonly DroppedAward[]) {
    this.#granted = granted;
    this.#dropped = Map.groupBy(dropped, ({ wallet }) => wallet);
    this.#isPlain = granted === NO_RULES && dropped.length === 0;
  }

  /**
   * Adds a wallet, in the order of their numbers.
   * @param points its sum of imported points after the commit
   * @param gain what the commit adds to it
   * @param activities how many had been imported before the commit
   * @param earned numbers of the badges that no earlier import had earned
   */
  add(
    wallet: number,
    points: number,
    gain: number,
    activities: number,
    earned: readonly number[] = NONE,
  ): void {
    // The common case: nearly every line of an import.
    if (this.#isPlain) {
      this.#packer.add(wallet, activities > 0 ? points - gain : undefined, points, earned);
      return;
    }
    const { sums, badges } = this.#granted;
    const own = sums.get(wallet);
    const all = points + (own?.points ?? 0);
    const wasSeen = activities + (own?.activities ?? 0) > 0;
    const drops = this.#dropped.get(wallet) ?? NONE;
    const isShown = (badge: number) =>
      !drops.some((drop) => drop.badge === badge) && !badges.has(`${wallet} ${badge}`);
    // A badge that the same commit earns and drops was never shown.
    const hasLost = drops.some(({ badge, isLost }) => isLost && !earned.includes(badge));
    const before = wasSeen ? all - gain : undefined;
    this.#packer.add(wallet, before, all, earned.filter(isShown), hasLost ? 'badges' : undefined);
  }

  end(): readonly ChangePart[] {
    return this.#packer.end();
  }
}
