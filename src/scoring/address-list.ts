import type { Wallet } from '#wallet';

/** A list that rules name, see `addressListSteps`. */
export interface AddressList {
  /** In file order, without duplicates. */
  readonly wallets: readonly Wallet[];
  /** The first few records without an address, by their lines. */
  readonly faults: readonly { readonly line: number; readonly message: string }[];
}
