import { base58 } from '@scure/base';
import { verifierOf } from '#linking/proofs';
import type { SolanaAccounts } from './accounts.ts';
import { isOnCurve } from './address.ts';
import {
  domainAddress,
  isTokenized,
  mintAddress,
  nftRecordAddress,
  type Registry,
  readRegistry,
  readSolRecordV1,
  readSolRecordV2,
  readTokenOwner,
  solRecordV1Address,
  solRecordV2Address,
  tokenAddress,
} from './layout.ts';

/** The owner of a name, and the wallet that it leads to. */
export interface Resolution {
  readonly owner: string;
  readonly wallet: string | undefined;
}

/**
 * Resolves a name: to the holder of its token, or else to the wallet that its owner recorded, or else to its
 * owner. https://github.com/Bonfida/sns-ip/blob/master/proposals/sns-ip-5.md
 * @param labels without the ending
 * @param candidate if given, only this wallet is checked as the holder of the token
 * @returns undefined if the name isn't registered
 * @throws as `SolanaAccounts`
 */
export async function resolve(
  accounts: SolanaAccounts,
  labels: readonly string[],
  candidate?: string,
): Promise<Resolution | undefined> {
  const domain = domainAddress(labels);
  const v1Address = solRecordV1Address(domain);
  const [registryAccount, nft, v1, v2] = await Promise.all([
    accounts.get(domain),
    accounts.get(nftRecordAddress(domain)),
    accounts.get(v1Address),
    accounts.get(solRecordV2Address(domain)),
  ]);
  const registry = readRegistry(registryAccount);
  if (registry === undefined) return undefined;
  if (isTokenized(nft)) {
    const holder = await tokenHolder(accounts, domain, candidate);
    return holder === undefined ? undefined : { owner: holder, wallet: holder };
  }
  const { owner } = registry;
  const recordV2 = readSolRecordV2(v2);
  if (recordV2 === 'invalid') return { owner, wallet: undefined };
  if (recordV2?.signedBy === owner) return { owner, wallet: recordV2.wallet };
  const recorded = walletOfV1(registry, readSolRecordV1(v1), v1Address);
  if (recorded !== undefined) return { owner, wallet: recorded };
  return { owner, wallet: isOnCurve(base58.decode(owner)) ? owner : undefined };
}

async function tokenHolder(
  accounts: SolanaAccounts,
  domain: string,
  candidate: string | undefined,
): Promise<string | undefined> {
  const mint = mintAddress(domain);
  const address =
    candidate === undefined
      ? await accounts.largestTokenAccount(mint)
      : tokenAddress(candidate, mint);
  return address === undefined ? undefined : readTokenOwner(await accounts.get(address), mint);
}

/** A version 1 record, if the name's owner signed it. */
function walletOfV1(
  { owner }: Registry,
  record: ReturnType<typeof readSolRecordV1>,
  address: string,
): string | undefined {
  if (record === undefined) return undefined;
  const { wallet, signature } = record;
  const signed = Buffer.concat([wallet, base58.decode(address)]).toString('hex');
  const isSigned = verifierOf(base58.decode(owner))(signature, Buffer.from(signed));
  return isSigned ? base58.encode(wallet) : undefined;
}
