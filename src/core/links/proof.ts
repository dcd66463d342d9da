import type { Chain } from '#core/chain';
import type { MaybePromise } from '#core/maybe-promise';
import type { Wallet } from '#core/wallet';

/** What the owner of a wallet is asked to sign. */
export interface Challenge {
  readonly wallet: Wallet;
  /** CAIP-122 text: printable ASCII, lines joined by `\n`. What is signed is built from it alone. */
  readonly text: string;
}

/** How a signature was made, for chains that have several ways. */
export const SIGNATURE_FORMS = ['message', 'arc60', 'transaction'] as const;
export type SignatureForm = (typeof SIGNATURE_FORMS)[number];

/** What a wallet gave back, through a page or by hand. All of it is hostile. */
export interface Submission {
  /** Undefined when it came by hand: the signature tells it, and every form that it fits is tried. */
  readonly form: SignatureForm | undefined;
  /** Hex with `0x`, base58 or base64, as wallets and command lines print it. */
  readonly signature: string;
  /** ARC-60 alone: base64. */
  readonly authenticatorData?: string;
}

/** That a wallet's owner signed a challenge. */
export interface Proof {
  readonly wallet: Wallet;
  /** `key`: by the address's own key. `other-key`: by the key it was rekeyed to. `contract`: the wallet's own code said so. */
  readonly by: 'key' | 'other-key' | 'contract';
  /** CAIP-2 id of the network on which it was checked, such as `eip155:1`. */
  readonly network: string;
  /** What checking again needs: the address of the other key, the signature that the contract took. */
  readonly evidence: string | undefined;
}

/** What was kept of a proof, to be checked again. */
export interface KeptProof extends Proof {
  /** The text that was signed. */
  readonly text: string;
}

/** What this instance can't see of a chain: whether an account's key was rekeyed away. */
export type ProofCaveat = 'rekeying-unseen';

/** What a chain knows about proofs. */
export interface WalletProver {
  readonly chain: Chain;
  /** As CAIP-122 writes it: `Ethereum`. */
  readonly accountName: string;
  /** As the chain's wallets write it in `Chain ID`: `1`, `mainnet`. */
  readonly chainId: string;
  /** To be said to whoever links; undefined where everything is seen. */
  readonly caveat?: ProofCaveat | undefined;
  /**
   * @throws UserError `wallet-unusable` for an address that is nobody's: burn and system addresses
   */
  requireUsable(address: string): void;
  /** The unsigned transaction that carries the text and can't be submitted; undefined where there is none. */
  transaction(challenge: Challenge): Uint8Array | undefined;
  /** What ARC-60 has signed in place of the text; on Algorand alone. */
  arc60?(challenge: Challenge): { readonly data: string; readonly authenticatorData: Uint8Array };
  /** Whether what was given for a signature is a private key of this chain. */
  isSecret?(signature: string): boolean;
  /**
   * @throws UserError `signature-malformed`, `signature-other-wallet`, `signature-wrong`,
   *   `contract-unsupported`; RetryableError when somebody who must be asked doesn't answer
   */
  check(challenge: Challenge, submission: Submission): MaybePromise<Proof>;
  /**
   * Whether what was proved still holds.
   * @returns false only when a complete and fresh answer says so
   * @throws RetryableError when that can't be told now
   */
  stillHolds(kept: KeptProof): MaybePromise<boolean>;
}
