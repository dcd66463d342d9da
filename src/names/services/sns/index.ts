import { base58 } from '@scure/base';
import { truncate, UserError, wallSeconds } from '#base';
import { verifierOf } from '#linking/proofs';
import { type NameService, namesOfEach, normalizeEns } from '#names/services/service';
import {
  BYTES_READ,
  domainAddress,
  favouriteAddress,
  isOnCurve,
  isTokenized,
  mintAddress,
  nftRecordAddress,
  type Registry,
  ROOT,
  readFavourite,
  readRecordOwner,
  readRegistry,
  readReverse,
  readSolRecordV1,
  readSolRecordV2,
  readTokenOwner,
  recordServiceAddress,
  reverseAddress,
  SolanaAccounts,
  solRecordV1Address,
  solRecordV2Address,
  tokenAddress,
} from './accounts.ts';

/**
 * From this slot on, names in this registry end in `.sns`, and `.sol` belongs to another service.
 * https://docs.sns.id/dev: "At slot 452825395, resolution for .sol domains will be paused"
 */
const SOL_ENDS_AT = 452_825_395;
const LABELS_MAX = 2;
/** How much of a name to repeat in a message. */
const SHOWN = 60;
const TIMEOUT_MS = 5_000;

/** Names of the Solana Name Service, read from its accounts. https://docs.sns.id */
export class Sns implements NameService {
  readonly chain = 'solana';
  readonly endings = ['.sol', '.sns'];
  readonly takesOthers = false;
  readonly leadsBack = true;
  /** Deriving a wallet's addresses takes about a millisecond of CPU. */
  readonly batchSize = 30;
  readonly pauseMs = 300;
  readonly #accounts: SolanaAccounts;

  /**
   * @param url JSON-RPC URL of a Solana mainnet node
   * @param timeoutMs per request
   * @throws UserError `wrong-configuration`
   */
  constructor(url: string, timeoutMs = TIMEOUT_MS) {
    this.#accounts = new SolanaAccounts(url, BYTES_READ, timeoutMs);
  }

  async normalize(name: string): Promise<string | undefined> {
    const normal = await normalizeEns(name);
    return normal !== undefined && labelsOf(normal).length <= LABELS_MAX ? normal : undefined;
  }

  namesOf(addresses: readonly string[]): Promise<ReadonlyMap<string, string | undefined>> {
    return namesOfEach(addresses, (address) => this.#nameOf(address));
  }

  async walletOf(name: string): Promise<string | undefined> {
    const labels = labelsOf(name);
    const resolution = await resolve(this.#accounts, labels);
    const isSol = name.endsWith('.sol');
    if (resolution !== undefined && isSol && !(await this.#isStillSol(labels, resolution))) {
      const present = truncate([...labels, 'sns'].join('.'), SHOWN);
      throw new UserError('name-renamed', `The name is ${present} now.`, [], {
        values: ['.sns', present],
      });
    }
    return resolution?.wallet;
  }

  async check(): Promise<void> {
    if ((await this.#accounts.get(ROOT)) !== undefined) return;
    throw new UserError('wrong-configuration', "The Solana node doesn't know the name service.");
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }

  /** A wallet's favourite name, if the wallet owns it and it leads to the wallet. */
  async #nameOf(wallet: string): Promise<string | undefined> {
    const domain = readFavourite(await this.#accounts.get(favouriteAddress(wallet)));
    if (domain === undefined) return undefined;
    const labels = await this.#labelsAt(domain);
    if (labels === undefined) return undefined;
    const resolution = await resolve(this.#accounts, labels, wallet);
    if (resolution?.owner !== wallet || resolution.wallet !== wallet) return undefined;
    const ending = (await this.#isStillSol(labels, resolution)) ? 'sol' : 'sns';
    const name = [...labels, ending].join('.');
    return (await normalizeEns(name)) === name ? name : undefined;
  }

  async #labelsAt(domain: string): Promise<readonly string[] | undefined> {
    const registry = readRegistry(await this.#accounts.get(domain));
    if (registry === undefined) return undefined;
    const { parent } = registry;
    const isTop = parent === ROOT;
    const [own, above] = await Promise.all([
      this.#accounts.get(reverseAddress(domain, isTop ? undefined : parent)),
      isTop ? undefined : this.#accounts.get(reverseAddress(parent, undefined)),
    ]);
    const label = readReverse(own)?.replace(/^\0/, '');
    const rest = isTop ? [] : [readReverse(above)];
    const labels = [label, ...rest].filter((each) => each !== undefined);
    const isWhole =
      labels.length === 1 + rest.length && labels.every((each) => !each.includes('.'));
    return isWhole ? labels : undefined;
  }

  /** Whether the name still ends in `.sol`: before that slot all names do, later only some. */
  async #isStillSol(
    labels: readonly string[],
    resolution: Resolution | undefined,
  ): Promise<boolean> {
    if (this.#accounts.slot < SOL_ENDS_AT) return true;
    const [label] = labels;
    if (label === undefined || labels.length > 1 || resolution?.wallet === undefined) return false;
    const account = await this.#accounts.get(recordServiceAddress(label));
    return readRecordOwner(account, wallSeconds()) === resolution.wallet;
  }
}

function labelsOf(name: string): readonly string[] {
  return name.split('.').slice(0, -1);
}

/** The owner of a name, and the wallet that it leads to. */
interface Resolution {
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
async function resolve(
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
