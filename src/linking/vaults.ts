import { formatTime, UserError } from '#base';
import type { Account } from '#command';
import { shortAddress, type Wallet } from '#wallet';
import type { Challenger } from './challenge/challenger.ts';
import type { Link } from './link-records.ts';
import { decideDelegation, type LinkOutcome, type WalletState } from './rules.ts';
import type { LinkStore } from './store.ts';

const NETWORK = 'eip155:1';

/** A wallet that has delegated everything to one that its account has linked. */
export interface Vault {
  readonly wallet: Wallet;
  readonly delegate: Wallet;
}

export interface VaultsOptions {
  readonly store: LinkStore;
  readonly challenger: Challenger;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Counts an attempt. @throws UserError `link-tries` */
  readonly count: (account: Account) => Promise<void>;
  /** Called for every account whose linked wallets changed. */
  readonly onChange: (account: Account) => void;
}

/**
 * Vaults: cold wallets that sign nothing for us, because they have delegated to a linked one in
 * delegate.xyz's registry.
 */
export class Vaults {
  readonly #options: VaultsOptions;

  constructor(options: VaultsOptions) {
    this.#options = options;
  }

  /**
   * The vaults of an account's wallets that it hasn't linked yet, each once.
   * @throws UserError `link-tries`, `vaults-unsupported`, `contract-wrong-network`; RetryableError
   *   if one of its wallets couldn't be looked up
   */
  async find(account: Account): Promise<readonly Vault[]> {
    const { store, challenger, count } = this.#options;
    await count(account);
    const links = await store.linksOf(account);
    const prover = await challenger.proverOf({ chain: 'ethereum' });
    if (prover.vaultsOf === undefined) throw vaultsUnsupported();
    const lookups = delegatesAmong(links).map(async (delegate) => ({
      delegate,
      vaults: (await prover.vaultsOf?.(delegate)) ?? [],
    }));
    const found = new Map<string, Vault>();
    for (const { delegate, vaults } of await Promise.all(lookups)) {
      for (const wallet of vaults) {
        const isLinked = links.some((link) => link.wallet.address === wallet.address);
        if (!isLinked && !found.has(wallet.address))
          found.set(wallet.address, { wallet, delegate });
      }
    }
    return [...found.values()];
  }

  /**
   * Links a vault, if it delegates to one of the account's wallets now.
   * @throws as `find` and `decideDelegation`; UserError `wallet-unusable`, `vault-not-delegated`
   */
  async link(
    account: Account,
    wallet: Wallet,
  ): Promise<{ readonly wallet: Wallet; readonly outcome: LinkOutcome }> {
    const { store, challenger, now, count, onChange } = this.#options;
    await count(account);
    const prover = await challenger.proverOf(wallet);
    prover.requireUsable(wallet.address);
    if (prover.delegates === undefined) throw vaultsUnsupported();
    const delegate = await this.#delegateOf(wallet, delegatesAmong(await store.linksOf(account)));
    const evidence = delegate.address;
    const text = `delegated to ${evidence}, read ${formatTime(now())}`;
    const proof = { wallet, by: 'delegation', network: NETWORK, evidence, text } as const;
    let outcome: LinkOutcome | undefined;
    const decide = (situation: WalletState) => {
      const decision = decideDelegation(situation, account, proof, now());
      outcome = decision.outcome;
      return decision.changes;
    };
    await store.change(wallet, account, decide, delegate);
    if (outcome === undefined) throw new Error('bug: the store made no decision');
    onChange(account);
    return { wallet, outcome };
  }

  async #delegateOf(wallet: Wallet, delegates: readonly Wallet[]): Promise<Wallet> {
    const prover = await this.#options.challenger.proverOf(wallet);
    const answers = await Promise.all(
      delegates.map(async (each) => (await prover.delegates?.(wallet, each)) === true),
    );
    const delegate = delegates[answers.indexOf(true)];
    if (delegate === undefined) {
      const shown = shortAddress(wallet.address);
      throw new UserError(
        'vault-not-delegated',
        `${shown} hasn't delegated everything to a wallet that you've linked with a signature. Delegate the whole wallet in delegate.xyz's registry (v2) on Ethereum, not one contract or token.`,
        [],
        { values: [shown] },
      );
    }
    return delegate;
  }
}

/** Those that can be delegated to: linked with a signature. */
function delegatesAmong(links: readonly Link[]): readonly Wallet[] {
  return links
    .filter(({ wallet, proof }) => wallet.chain === 'ethereum' && proof.by !== 'delegation')
    .map(({ wallet }) => wallet);
}

/** Whether the wallet that it was delegated to is still linked with a signature. */
export async function isDelegateLinked(
  store: LinkStore,
  { account, proof }: Link,
): Promise<boolean> {
  const delegates = delegatesAmong(await store.linksOf(account));
  return delegates.some(({ address }) => address === proof.evidence);
}

function vaultsUnsupported(): UserError {
  return new UserError(
    'vaults-unsupported',
    "Delegations can't be read: only Ethereum has them, and the operator needs a node for it.",
  );
}
