import { type Elapsed, type Logger, messageOf, ProblemLog } from '#base';
import type { Account } from '#command';
import type { Wallet } from '#wallet';
import type { LinkRequest } from './challenge/requests.ts';
import type {
  AccountRecord,
  Claim,
  Link,
  LinkEvent,
  Privacy,
  PrivacyChoice,
} from './link-records.ts';
import { decideDueClaim, decideUnlink, HOLD_WAIT, isLinkedBy } from './rules.ts';
import type { LinkStore } from './store.ts';

/** Hidden from everyone until the owner decides otherwise. */
const DEFAULT_CHOICE: PrivacyChoice = { privacy: 'hidden', communities: [] };
/** Communities per account; the oldest one is dropped. */
const COMMUNITIES_MAX = 50;
const DUE_AT_ONCE = 50;
/** Seconds during which we report a lost wallet. */
const TOLD_FOR = 30 * 86_400;

/** A wallet that signed: its signature is checked, its owners' approval awaited, or its code expected. */
export interface PendingLink {
  /** Undefined for the page: until its code is entered, it may be somebody else's. */
  readonly wallet: Wallet | undefined;
  readonly step: 'checking' | 'owners' | 'code';
}

/** What an account sees of its wallets. */
export interface AccountLinks {
  readonly links: readonly Link[];
  /** Other accounts' claims on its wallets: successful unless it proves the wallet again. */
  readonly against: readonly Claim[];
  /** The wallets it has claimed. */
  readonly waiting: readonly Claim[];
  /** Its pending links. */
  readonly underway: readonly PendingLink[];
  /** What it recently lost without asking for it. */
  readonly losses: readonly LinkEvent[];
}

export interface LinksOptions {
  readonly store: LinkStore;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly elapsed: Elapsed;
  /** Called for every account whose linked wallets, or their visibility, changed. */
  readonly onChange: (account: Account) => void;
  /** Called before an account is erased; throwing prevents the erasure. */
  readonly beforeErase: (account: Account) => Promise<void>;
}

/** Linked wallets, who may see them, and their changes over time. */
export class Links {
  readonly #store: LinkStore;
  readonly #trouble: ProblemLog;
  readonly #now: () => number;
  readonly #elapsed: Elapsed;
  readonly #onChange: (account: Account) => void;
  readonly #beforeErase: (account: Account) => Promise<void>;

  constructor({ store, log, now, elapsed, onChange, beforeErase }: LinksOptions) {
    this.#store = store;
    this.#trouble = new ProblemLog(log);
    this.#now = now;
    this.#elapsed = elapsed;
    this.#onChange = onChange;
    this.#beforeErase = beforeErase;
  }

  /** Settles due claims. Failed ones stay for the next time. */
  async settle(): Promise<void> {
    const now = this.#now();
    try {
      for (const claim of await this.#store.dueClaims(now, DUE_AT_ONCE)) {
        // The clock may have been set forward to the end of a claim.
        if (this.#elapsed(claim.claimedAt, now) < claim.dueAt - claim.claimedAt) continue;
        await this.#store.change(claim.wallet, claim.account, (situation) =>
          decideDueClaim(situation, claim, now),
        );
        this.#onChange(claim.account);
      }
      this.#trouble.resolve();
    } catch (error) {
      // Each command of a member gets here.
      const fields = { error: messageOf(error) };
      this.#trouble.report('waiting', 'warn', fields, 'wallet claims are waiting for the store');
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

  /** Whether others have claimed a wallet of the account, and it should be told. */
  async isContested(account: Account): Promise<boolean> {
    return (await this.#store.claimsAgainst(account)).length > 0;
  }

  async choiceOf(account: Account): Promise<PrivacyChoice> {
    return (await this.#store.choiceOf(account)) ?? DEFAULT_CHOICE;
  }

  /** Whether an account shows its wallets in a community, or elsewhere. */
  async isShown(account: Account, community: string | undefined): Promise<boolean> {
    return shows(await this.choiceOf(account), community);
  }

  /** Which of these accounts show their wallets in a community. */
  async shownAmong(
    platform: Account['platform'],
    accounts: readonly string[],
    community: string,
  ): Promise<ReadonlySet<string>> {
    await this.settle();
    const choices = await this.#store.choicesOf(platform, accounts);
    const shown = [...choices].filter(([, choice]) => shows(choice, community));
    return new Set(shown.map(([account]) => account));
  }

  /** @param community where the choice is made; `community` adds it to those chosen before */
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
    const choice = { ...before, privacy, communities };
    await this.#store.setChoice(account, choice, this.#now());
    this.#onChange(account);
    return choice;
  }

  /** Which of these accounts a community may name: they show themselves there, and haven't declined. */
  async announcedAmong(
    platform: Account['platform'],
    accounts: readonly string[],
    community: string,
  ): Promise<ReadonlySet<string>> {
    const choices = await this.#store.choicesOf(platform, accounts);
    const announced = [...choices].filter(
      ([, choice]) => choice.isUnannounced !== true && shows(choice, community),
    );
    return new Set(announced.map(([account]) => account));
  }

  /** @param isOn whether communities may announce what the account achieves, where it shows itself */
  async chooseAnnounced(account: Account, isOn: boolean): Promise<void> {
    const { isUnannounced: _, ...before } = await this.choiceOf(account);
    const choice = { ...before, ...(!isOn && { isUnannounced: true }) };
    await this.#store.setChoice(account, choice, this.#now());
  }

  /** @throws UserError `wallet-not-linked` */
  async unlink(account: Account, wallet: Wallet): Promise<void> {
    await this.settle();
    const now = this.#now();
    await this.#store.change(wallet, account, (situation) => decideUnlink(situation, account, now));
    this.#onChange(account);
    // Unlinking may have made another account's claim due.
    await this.settle();
  }

  async recordOf(account: Account): Promise<AccountRecord> {
    await this.settle();
    return this.#store.recordOf(account);
  }

  /** @throws RetryableError if something that depends on the account can't be removed now */
  async erase(account: Account): Promise<void> {
    await this.#beforeErase(account);
    const now = this.#now();
    // Claims on its wallets become due as if they had been unlinked.
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

function shows({ privacy, communities }: PrivacyChoice, community: string | undefined): boolean {
  switch (privacy) {
    case 'hidden':
      return false;
    case 'community':
      return community !== undefined && communities.includes(community);
    case 'public':
      return true;
  }
}

function underwayOf(request: LinkRequest | undefined, now: number): readonly PendingLink[] {
  const { proved, checked, pending, way } = request ?? {};
  if (proved !== undefined && proved.expiresAt > now) {
    return [{ wallet: undefined, step: 'code' }];
  }
  if (checked !== undefined && checked.until > now) {
    return [{ wallet: undefined, step: 'code' }];
  }
  const isChecking = pending !== undefined && pending.until > now;
  const wallet = way === 'chat' ? pending?.wallet : undefined;
  return isChecking ? [{ wallet, step: pending.awaits ?? 'checking' }] : [];
}
