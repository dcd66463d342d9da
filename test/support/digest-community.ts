import type { CommunityGatingOptions } from '#app/members/gating';
import type { Wallet } from '#wallet/wallet';
import { AnnouncingCommunity, CHANNEL } from './announcing.ts';
import { GROUP, MODERATOR } from './gated-community.ts';
import { walletOf } from './import-lines.ts';

export const DAY = 86_400;
/** 2026-07-06, 8:00 UTC. */
export const MONDAY = Date.UTC(2026, 6, 6, 8) / 1000;
const WEEK = 7 * DAY;

/** A community with a source that tells what was gained when. */
export class DigestCommunity extends AnnouncingCommunity {
  /** By wallet: UTC days with the score at their end. */
  readonly days = new Map<string, readonly { readonly day: string; readonly score: number }[]>();
  tellsGains = true;

  override process(changes: Partial<CommunityGatingOptions> = {}) {
    const reading = () => {
      const fixed = this.source.reading();
      const of = ({ address }: Wallet) => this.days.get(address) ?? [];
      const gains = (wallets: readonly Wallet[]) =>
        wallets.map((wallet) => (of(wallet).at(-1)?.score ?? 0) - (of(wallet)[0]?.score ?? 0));
      return Object.assign(fixed, {
        ...(this.tellsGains && { gains }),
        history: (wallet: Wallet) => ({ address: wallet.address, days: [...of(wallet)] }),
      });
    };
    const source = { reading, recognise: () => undefined };
    return super.process({ source, ...changes });
  }

  /** A member who gained points in the week before MONDAY, and some on that day. */
  async riser(id: number, gained: number, today = 0): Promise<void> {
    await this.member(id, 2_000 + gained + today);
    this.days.set(walletOf(id).address, [
      { day: '2026-06-20', score: 2_000 },
      { day: '2026-06-29', score: 2_000 + Math.floor(gained / 2) },
      { day: '2026-07-05', score: 2_000 + gained },
      { day: '2026-07-06', score: 2_000 + gained + today },
    ]);
  }

  async turnOnWeekly(): Promise<void> {
    await this.turnOn({ channel: this.community === GROUP ? GROUP.id : CHANNEL });
    await this.gated.gating.announcing.setWeekly(this.community, true, MODERATOR);
  }

  async monday(weeks = 0): Promise<void> {
    this.now = MONDAY + weeks * WEEK - 60;
    await this.minutes(1);
  }
}
