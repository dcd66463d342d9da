import type { MaybePromise } from '#base';
import type { Chain, Wallet } from '#wallet';

/** What a wallet's owner is asked to sign. */
export interface Challenge {
  readonly wallet: Wallet;
  /** CAIP-122 text: printable ASCII, lines joined by `\n`. Everything signed is derived from it. */
  readonly text: string;
}

/** How a signature was made, for chains that have several ways. */
export const SIGNATURE_FORMS = ['message', 'arc60', 'transaction'] as const;
export type SignatureForm = (typeof SIGNATURE_FORMS)[number];

/** What a wallet returned, through the page or by hand. All of it is untrusted. */
export interface Submission {
  /** Undefined if submitted by hand: we then try every form it fits. */
  readonly form: SignatureForm | undefined;
  /** Hex with `0x`, base58 or base64, as wallets and command lines print it. */
  readonly signature: string;
  /** ARC-60 alone: base64. */
  readonly authenticatorData?: string;
}

/** Proof that a wallet's owner signed a challenge. */
export interface Proof {
  readonly wallet: Wallet;
  /**
   * `key`: by the address's own key. `other-key`: by the key it was rekeyed to. `contract`: the
   * wallet's own code said so. `delegation`: nothing was signed, the wallet delegated to a linked one.
   */
  readonly by: 'key' | 'other-key' | 'contract' | 'delegation';
  /** CAIP-2 id of the network that was checked, such as `eip155:1`. */
  readonly network: string;
  /** Needed to recheck: the other key's address, the signature the contract accepted, the delegate. */
  readonly evidence: string | undefined;
}

/** A stored proof, for rechecking. */
export interface StoredProof extends Proof {
  /** The text that was signed; of a delegation, which was read when. */
  readonly text: string;
}

/** What this instance can't see on a chain: whether an account was rekeyed. */
export type ProofCaveat = 'rekeying-unseen';

/** Proofs on one chain. */
export interface WalletProver {
  readonly chain: Chain;
  /** The name in CAIP-122: `Ethereum`. */
  readonly accountName: string;
  /** The `Chain ID` that the chain's wallets use: `1`, `mainnet`. */
  readonly chainId: string;
  /** A caveat to show when linking; undefined if everything can be seen. */
  readonly caveat?: ProofCaveat | undefined;
  /** @throws UserError `wallet-unusable` for burn and system addresses */
  requireUsable(address: string): void;
  /**
   * The unsigned transaction that contains the text and can't be submitted; undefined if there is
   * none.
   */
  transaction(challenge: Challenge): Uint8Array | undefined;
  /**
   * Whether a contract is at the address, which several people may have to sign for; false if that's
   * unknown.
   */
  isContract?(address: string): Promise<boolean>;
  /** What ARC-60 signs instead of the text; Algorand only. */
  arc60?(challenge: Challenge): { readonly data: string; readonly authenticatorData: Uint8Array };
  /** Whether a text has a private key of this chain that looks like a signature. */
  hasSecret?(text: string): boolean;
  /**
   * @throws UserError `signature-malformed`, `signature-other-wallet`, `signature-wrong`,
   *   `contract-unsupported`; RetryableError if a required service doesn't respond
   */
  check(challenge: Challenge, submission: Submission): MaybePromise<Proof>;
  /**
   * The wallets that have delegated everything to this one; undefined on chains without delegations.
   * @throws RetryableError; UserError `contract-wrong-network`
   */
  vaultsOf?(delegate: Wallet): Promise<readonly Wallet[]>;
  /**
   * Whether one wallet has delegated everything to the other.
   * @throws as `vaultsOf`
   */
  delegates?(vault: Wallet, delegate: Wallet): Promise<boolean>;
  /**
   * Whether the proof is still valid.
   * @returns false only if a complete, fresh response says so
   * @throws RetryableError if that's unknown now
   */
  stillHolds(kept: StoredProof): MaybePromise<boolean>;
}
