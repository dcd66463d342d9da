/** Verified names of wallets: which may stand for an address, and how long we believe them. */

export { withVerifiedNames } from './named-source.ts';
export { Names, type NamesStatus } from './names.ts';
export {
  looksLatin,
  NAME_SERVICES,
  NO_NAMES,
  skeletonOf,
  type VerifiedNames,
} from './verified-names.ts';
