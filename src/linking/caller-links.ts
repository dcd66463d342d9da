import { UserError, type UserErrorCode } from '#base';
import type { Account, Caller } from '#command';
import type { Wallet } from '#wallet';
import type { Challenger } from './challenge/challenger.ts';
import type { ExpectedCode } from './challenge/expected-code.ts';
import type { Applicant } from './challenge/requests.ts';
import type { JustLinked } from './just-linked.ts';
import type { LateOutcome, LateOutcomes } from './late-outcomes.ts';
import type { AccountRecord, Privacy, PrivacyChoice } from './link-records.ts';
import type { HandChallenge, Linked, Linking } from './linking.ts';
import type { AccountLinks, Links } from './links.ts';
import type { Vault } from './vaults.ts';

/** Why what was handed in already is refused. */
const USED: readonly UserErrorCode[] = ['code-unexpected', 'link-nothing'];

/** Linked wallets for one caller: commands can do and see no more than their caller may. */
export class CallerLinks {
  readonly #linking: Linking;
  readonly #links: Links;
  readonly #caller: Caller;
  readonly #challenger: Pick<Challenger, 'isSecret'>;
  readonly #just: JustLinked;
  readonly #late: LateOutcomes;
  readonly #locale: string | undefined;

  constructor(
    linking: Linking,
    links: Links,
    parts: {
      readonly challenger: Pick<Challenger, 'isSecret'>;
      readonly just: JustLinked;
      readonly late: LateOutcomes;
      /** In which they read, if it's known. */
      readonly locale: string | undefined;
    },
    caller: Caller,
  ) {
    this.#linking = linking;
    this.#links = links;
    this.#challenger = parts.challenger;
    this.#just = parts.just;
    this.#late = parts.late;
    this.#locale = parts.locale;
    this.#caller = caller;
  }

  /** The only address of the link page. */
  get pageHost(): string {
    return this.#linking.pageHost;
  }

  /** Whether the page opens only on this machine. */
  get isPageLocal(): boolean {
    return this.#linking.isPageLocal;
  }

  /**
   * Whether a text is a seed phrase or a private key.
   * @param expected as of `looksSecret`
   */
  isSecret(text: string, expected?: ReadonlySet<string>): Promise<boolean> {
    return this.#challenger.isSecret(text, expected);
  }

  /** @param isAnew start over even if a code is expected */
  begin(isAnew = false): Promise<{ readonly url: string; readonly expiresAt: number }> {
    return this.#linking.begin(this.#applicant(), isAnew);
  }

  async codeExpected(): Promise<ExpectedCode | undefined> {
    await this.#late.take(this.#caller);
    return await this.#linking.codeExpected(this.#caller);
  }

  beginByHand({ address }: Wallet): Promise<HandChallenge> {
    return this.#linking.beginByHand(this.#applicant(), address);
  }

  handIn(signature: string): Promise<Linked> {
    return this.#once(signature, () => this.#linking.handIn(this.#caller, signature));
  }

  /** Whether their latest text can still be signed. */
  awaitsSignature(): Promise<boolean> {
    return this.#linking.awaitsSignature(this.#caller);
  }

  /** Whether the operator's node can look vaults up. */
  get readsVaults(): boolean {
    return this.#linking.readsVaults;
  }

  /** @throws as `Vaults.find` */
  findVaults(): Promise<readonly Vault[]> {
    return this.#linking.vaults.find(this.#caller);
  }

  /** @throws as `Vaults.link` */
  linkVault(wallet: Wallet): Promise<Linked> {
    return this.#linking.vaults.link(this.#caller, wallet);
  }

  /** How a signature went that was checked after its answer, if they haven't been told: once. */
  lateOutcome(): Promise<LateOutcome | undefined> {
    return this.#late.take(this.#caller);
  }

  async resume(): Promise<Linked | undefined> {
    await this.#late.take(this.#caller);
    return await this.#linking.resume(this.#caller);
  }

  confirm(code: string): Promise<Linked> {
    return this.#once(code, () => this.#linking.confirm(this.#caller, code));
  }

  #applicant(): Applicant {
    return { ...this.#caller, locale: this.#locale };
  }

  /** The same answer to the same, if it comes twice and still holds. */
  async #once(given: string, handIn: () => Promise<Linked>): Promise<Linked> {
    try {
      const linked = await handIn();
      await this.#just.keep(this.#caller, given, linked);
      return linked;
    } catch (error) {
      const isUsed = error instanceof UserError && USED.includes(error.code);
      const linked = isUsed ? await this.#just.find(this.#caller, given) : undefined;
      if (linked === undefined) throw error;
      const isStill = (await this.wallets()).some((each) => each.address === linked.wallet.address);
      if (!isStill && linked.outcome.kind !== 'claimed') throw error;
      return linked;
    }
  }

  /** The caller's own wallets, in link order. */
  wallets(): Promise<readonly Wallet[]> {
    return this.#links.walletsOf(this.#caller);
  }

  /** Wallets of a member of the caller's community, as far as that member shows them there. */
  async walletsOf(member: string): Promise<readonly Wallet[]> {
    const { platform, id, community } = this.#caller;
    if (member === id) return this.wallets();
    const account: Account = { platform, id: member };
    return (await this.#links.isShown(account, community)) ? this.#links.walletsOf(account) : [];
  }

  /** Whether the caller's wallets may be shown to everyone who sees the answer. */
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

  /** See `Links.chooseAnnounced`. */
  chooseAnnounced(isOn: boolean): Promise<void> {
    return this.#links.chooseAnnounced(this.#caller, isOn);
  }

  record(): Promise<AccountRecord> {
    return this.#links.recordOf(this.#caller);
  }

  erase(): Promise<void> {
    return this.#links.erase(this.#caller);
  }
}
