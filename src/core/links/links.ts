import type { Elapsed } from '#core/clock';
import { messageOf } from '#core/errors';
import type { Account } from '#core/links/account';
import type {
  AccountRecord,
  Claim,
  Link,
  LinkEvent,
  Privacy,
  PrivacyChoice,
} from '#core/links/records';
import type { LinkRequest } from '#core/links/requests';
import { decideDueClaim, decideUnlink, HOLD_WAIT, isLinkedBy } from '#core/links/rules';
import type { LinkStore } from '#core/links/store';
import type { Logger } from '#core/logger';
import type { Wallet } from '#core/wallet';

/** Nobody else sees anything until its owner says so. */
const DEFAULT_CHOICE: PrivacyChoice = { privacy: 'hidden', communities: [] };
/** Communities that one account may name; the one named longest ago is dropped. */
const COMMUNITIES_MAX = 50;
const DUE_AT_ONCE = 50;
/** Seconds for which a loss is told. */
const TOLD_FOR = 30 * 86_400;

/** A wallet that has signed: what it signed is being checked, or waits for its code. */
export interface PendingLink {
  readonly wallet: Wallet;
  readonly step: 'checking' | 'code';
}

/** What an account is told of its wallets. */
export interface AccountLinks {
  readonly links: readonly Link[];
  /** Others that proved one of them: it goes to them unless it is proved again. */
  readonly against: readonly Claim[];
  /** What this account waits for. */
  readonly waiting: readonly Claim[];
  /** What its wallets have signed and is not done with. */
  readonly underway: readonly PendingLink[];
  /** What it lost lately without having asked for it. */
  readonly losses: readonly LinkEvent[];
}

export interface LinksOptions {
  readonly store: LinkStore;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly elapsed: Elapsed;
  /** Told of every account whose linked wallets, or who may see them, have changed. */
  readonly onChange: (account: Account) => void;
  /** Asked to let go of an account that is to be erased; what it throws keeps it from being so. */
  readonly beforeErase: (account: Account) => Promise<void>;
}

/** What accounts have linked, who may see it, and what becomes of it as time goes by. */
export class Links {
  readonly #store: LinkStore;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #elapsed: Elapsed;
  readonly #onChange: (account: Account) => void;
  readonly #beforeErase: (account: Account) => Promise<void>;

  constructor({ store, log, now, elapsed, onChange, beforeErase }: LinksOptions) {
    this.#store = store;
    this.#log = log;
    this.#now = now;
    this.#elapsed = elapsed;
    this.#onChange = onChange;
    this.#beforeErase = beforeErase;
  }

  /** Moves the wallets whose wait is over. A fault leaves them for the next time. */
  async settle(): Promise<void> {
    const now = this.#now();
    try {
      for (const claim of await this.#store.dueClaims(now, DUE_AT_ONCE)) {
        // The clock may have been set forward to its end.
        if (this.#elapsed(claim.claimedAt, now) < claim.dueAt - claim.claimedAt) continue;
        await this.#store.change(claim.wallet, claim.account, (situation) =>
          decideDueClaim(situation, claim, now),
        );
        this.#onChange(claim.account);
      }
    } catch (error) {
      this.#log.warn({ error: messageOf(error) }, 'wallet claims are waiting for the store');
    }
  }

  async walletsOf(account: Account): Promise<readonly Wallet[]> {
    await this.settle();
    return (await this.#store.linksOf(account)).map(({ wallet }) => wallet);
  }

  async of(account: Account): Promise<AccountLinks> {
    await this.settle();
    const now = this.#now();
    const since = now - TOLD_FOR;
    const requests = [
      await this.#store.findRequest({ account, way: 'page' }, now),
      await this.#store.findRequest({ account, way: 'chat' }, now),
    ];
    const { events } = await this.#store.recordOf(account);
    return {
      links: await this.#store.linksOf(account),
      against: await this.#store.claimsAgainst(account),
      waiting: await this.#store.claimsBy(account),
      underway: requests.flatMap((each) => underwayOf(each, now)),
      losses: events.filter(
        ({ event, at }) => at >= since && (event === 'lost' || event === 'lapsed'),
      ),
    };
  }

  /** Whether others have proved a wallet of the account, and it should hear of it. */
  async isContested(account: Account): Promise<boolean> {
    return (await this.#store.claimsAgainst(account)).length > 0;
  }

  async choiceOf(account: Account): Promise<PrivacyChoice> {
    return (await this.#store.choiceOf(account)) ?? DEFAULT_CHOICE;
  }

  /** Whether an account lets its wallets be seen in a community, or where there is none. */
  async isShown(account: Account, community: string | undefined): Promise<boolean> {
    const { privacy, communities } = await this.choiceOf(account);
    switch (privacy) {
      case 'hidden':
        return false;
      case 'community':
        return community !== undefined && communities.includes(community);
      case 'public':
        return true;
    }
  }

  /** @param community the one in which it is chosen; `community` adds it to those chosen before */
  async choose(
    account: Account,
    privacy: Privacy,
    community: string | undefined,
  ): Promise<PrivacyChoice> {
    const before = await this.choiceOf(account);
    const others = before.communities.filter((each) => each !== community);
    const communities =
      privacy !== 'community'
        ? []
        : [...others, ...(community === undefined ? [] : [community])].slice(-COMMUNITIES_MAX);
    const choice = { privacy, communities };
    await this.#store.setChoice(account, choice, this.#now());
    this.#onChange(account);
    return choice;
  }

  /** @throws UserError `wallet-not-linked` */
  async unlink(account: Account, wallet: Wallet): Promise<void> {
    await this.settle();
    const now = this.#now();
    await this.#store.change(wallet, account, (situation) => decideUnlink(situation, account, now));
    this.#onChange(account);
    // Another's claim may have come due by it.
    await this.settle();
  }

  async recordOf(account: Account): Promise<AccountRecord> {
    await this.settle();
    return this.#store.recordOf(account);
  }

  /** @throws RetryableError when something that depends on it can't be let go of now */
  async erase(account: Account): Promise<void> {
    await this.#beforeErase(account);
    const now = this.#now();
    // Those who claim one of its wallets wait no longer than if it had been unlinked.
    for (const { wallet } of await this.#store.claimsAgainst(account)) {
      await this.#store.change(wallet, account, (situation) =>
        isLinkedBy(situation, account) ? decideUnlink(situation, account, now) : { events: [] },
      );
    }
    await this.#store.erase(account, now + HOLD_WAIT);
    this.#onChange(account);
    await this.settle();
  }
}

function underwayOf(request: LinkRequest | undefined, now: number): readonly PendingLink[] {
  const { proved, checked, pending } = request ?? {};
  if (proved !== undefined && proved.expiresAt > now) {
    return [{ wallet: proved.proof.wallet, step: 'code' }];
  }
  if (checked !== undefined && checked.until > now) {
    return [{ wallet: checked.proof.wallet, step: 'code' }];
  }
  const isChecking = pending !== undefined && pending.until > now;
  return isChecking ? [{ wallet: pending.wallet, step: 'checking' }] : [];
}
