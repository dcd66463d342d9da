/** Addresses, and what a chain is. */

export { keccak256 } from './keccak.ts';
export {
  ADDRESS_TEXT_MAX,
  addressesIn,
  addressOf,
  CHAIN_CODES,
  CHAINS,
  type Chain,
  type ChainCode,
  chainOfCode,
  codeOfChain,
  createWalletParser,
  pastedAddress,
  requireChain,
  shortAddress,
  type Wallet,
  type WalletParser,
  withoutCommand,
  withPrefixes,
} from './wallet.ts';
