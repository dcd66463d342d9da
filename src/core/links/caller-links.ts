import type { Caller } from '#core/caller';
import type { Account } from '#core/links/account';
import type { ExpectedCode, HandChallenge, Linked, Linking } from '#core/links/linking';
import type { AccountLinks, Links } from '#core/links/links';
import type { AccountRecord, Privacy, PrivacyChoice } from '#core/links/records';
import type { Wallet } from '#core/wallet';

/** Linked wallets from one caller's side: a command gets no more than its caller may do and see. */
export class CallerLinks {
  readonly #linking: Linking;
  readonly #links: Links;
  readonly #caller: Caller;

  constructor(linking: Linking, links: Links, caller: Caller) {
    this.#linking = linking;
    this.#links = links;
    this.#caller = caller;
  }

  /** Where the page is, and nowhere else. */
  get pageHost(): string {
    return this.#linking.pageHost;
  }

  /** Whether the page opens on this machine alone. */
  get isPageLocal(): boolean {
    return this.#linking.isPageLocal;
  }

  /** Whether a text is a seed phrase or a private key. */
  isSecret(text: string): Promise<boolean> {
    return this.#linking.isSecret(text);
  }

  /** @param isAnew though a code is waited for */
  begin(isAnew = false): Promise<{ readonly url: string; readonly expiresAt: number }> {
    return this.#linking.begin(this.#caller, isAnew);
  }

  codeExpected(): Promise<ExpectedCode | undefined> {
    return this.#linking.codeExpected(this.#caller);
  }

  beginByHand({ address }: Wallet): Promise<HandChallenge> {
    return this.#linking.beginByHand(this.#caller, address);
  }

  handIn(signature: string): Promise<Linked> {
    return this.#linking.handIn(this.#caller, signature);
  }

  resume(): Promise<Linked | undefined> {
    return this.#linking.resume(this.#caller);
  }

  confirm(code: string): Promise<Linked> {
    return this.#linking.confirm(this.#caller, code);
  }

  /** The caller's own, in the order in which they were linked. */
  wallets(): Promise<readonly Wallet[]> {
    return this.#links.walletsOf(this.#caller);
  }

  /** Of a member of the caller's community: what that one lets be seen there. */
  async walletsOf(member: string): Promise<readonly Wallet[]> {
    const { platform, id, community } = this.#caller;
    if (member === id) return this.wallets();
    const account: Account = { platform, id: member };
    return (await this.#links.isShown(account, community)) ? this.#links.walletsOf(account) : [];
  }

  /** Whether the caller's own wallets may be shown to all who see the answer. */
  areShown(): Promise<boolean> {
    return this.#links.isShown(this.#caller, this.#caller.community);
  }

  all(): Promise<AccountLinks> {
    return this.#links.of(this.#caller);
  }

  isContested(): Promise<boolean> {
    return this.#links.isContested(this.#caller);
  }

  /** @throws UserError `wallet-not-linked` */
  unlink(wallet: Wallet): Promise<void> {
    return this.#links.unlink(this.#caller, wallet);
  }

  choice(): Promise<PrivacyChoice> {
    return this.#links.choiceOf(this.#caller);
  }

  choose(privacy: Privacy): Promise<PrivacyChoice> {
    return this.#links.choose(this.#caller, privacy, this.#caller.community);
  }

  record(): Promise<AccountRecord> {
    return this.#links.recordOf(this.#caller);
  }

  erase(): Promise<void> {
    return this.#links.erase(this.#caller);
  }
}
