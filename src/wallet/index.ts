/** Addresses, and what a chain is. */

export { keccak256 } from './keccak.ts';
export { addressesIn, addressOf, pastedAddress, withoutCommand } from './pasted-address.ts';
export {
  ADDRESS_TEXT_MAX,
  CHAIN_CODES,
  CHAINS,
  type Chain,
  type ChainCode,
  chainOfCode,
  codeOfChain,
  createWalletParser,
  requireChain,
  shortAddress,
  type Wallet,
  type WalletParser,
} from './wallet.ts';
