import { existsSync, readFileSync } from 'node:fs';
import type { Config } from '#app';
import { formatTime, messageOf, RetryableError, UserError, wallSeconds } from '#base';
import { diskFault, replaceFile, writeNewFile } from '#cli/new-file';
import { cellAddress, nameKey, shownCell } from '#import/sheet';
import { NAME_SERVICES } from '#names';
import type { NameService } from '#names/services';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { readRows } from './read-rows.ts';

/** Names of a sheet with their addresses. */
export interface SheetNames {
  /** Addresses by name, of the names in the sheet. */
  readonly known: Map<string, string>;
  /** Those of earlier imports too. */
  readonly all: ReadonlyMap<string, string>;
  /** Names that were looked up just now. */
  readonly fresh: readonly string[];
  /** Why the others have no address, by name. */
  readonly unnamed: ReadonlyMap<string, string>;
}

type Settings = Pick<Config, 'ethereumRpcUrl' | 'solanaRpcUrl' | 'nfdApiUrl' | 'privateNetworks'>;

const NO_SERVICE =
  'Names are looked up if ETHEREUM_RPC_URL (or SOLANA_RPC_URL, NFD_API_URL) is set. Set it, or write the address.';
/** Look-ups at once. */
const AT_ONCE = 8;

/**
 * The addresses of names: those that earlier imports of the sheet have kept, and others from their name service.
 * @param names as written, by how they are compared
 */
export async function addressesOfNames(
  names: ReadonlyMap<string, string>,
  kept: ReadonlyMap<string, string>,
  settings: Settings,
): Promise<SheetNames> {
  const known = new Map([...kept].filter(([name]) => names.has(name)));
  const open = [...names.keys()].filter((name) => !known.has(name));
  if (open.length === 0) return { known, all: kept, fresh: [], unnamed: new Map() };
  const { openServices, TargetGuard } = await loadServices();
  const services = openServices(settings, new TargetGuard(settings));
  const fresh: string[] = [];
  const unnamed = new Map<string, string>();
  try {
    for (let at = 0; at < open.length; at += AT_ONCE) {
      await Promise.all(
        open.slice(at, at + AT_ONCE).map(async (name) => {
          const found = await lookUp(name, services);
          if ('reason' in found) {
            unnamed.set(name, found.reason);
            return;
          }
          known.set(name, found.address);
          fresh.push(name);
        }),
      );
    }
  } finally {
    await Promise.all(services.map((each) => each.close()));
  }
  const all = new Map([...kept, ...known]);
  return { known, all, fresh: fresh.toSorted((a, b) => (a < b ? -1 : 1)), unnamed };
}

/** Loaded only where a sheet has names. */
async function loadServices() {
  const [{ openServices }, { TargetGuard }] = await Promise.all([
    import('#names/services'),
    import('#base/json-http'),
  ]);
  return { openServices, TargetGuard };
}

async function lookUp(
  name: string,
  services: readonly NameService[],
): Promise<{ readonly address: string } | { readonly reason: string }> {
  const service =
    services.find(({ endings }) => endings.some((ending) => name.endsWith(ending))) ??
    services.find(({ takesOthers }) => takesOthers);
  if (service === undefined) return { reason: NO_SERVICE };
  const label = NAME_SERVICES[service.chain];
  try {
    const normal = await service.normalize(name);
    if (normal === undefined)
      return { reason: `It can't be a name at ${label}. Write the address.` };
    const address = await service.walletOf(normal, new AbortController().signal);
    if (address !== undefined) return { address };
    return { reason: `It leads to no wallet at ${label}. Write the address.` };
  } catch (error) {
    if (!(error instanceof RetryableError) && !(error instanceof UserError)) throw error;
    return {
      reason: `It can't be looked up at ${label} now: ${error.message} Import the file again later.`,
    };
  }
}

/**
 * What an earlier import wrote down, or a person: names in the first column, addresses in the second.
 * @throws UserError `wrong-usage` if it can't be read
 */
export async function readNamesFile(path: string): Promise<Map<string, string>> {
  const kept = new Map<string, string>();
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return kept;
    throw unusable(path, error);
  }
  const wallets = createWalletParser(chains);
  const once = async function* () {
    yield bytes;
  };
  if (bytes.length === 0) return kept;
  const { rows } = await readRows(once());
  for await (const group of rows) {
    for (const { cells, row } of group) {
      const address = cellAddress(cells[1] ?? '');
      if (row === 1 && !wallets.hasForm(address)) continue;
      try {
        kept.set(nameKey((cells[0] ?? '').trim()), wallets.parse(address).address);
      } catch (cause) {
        throw badRow(path, row, cells, cause);
      }
    }
  }
  return kept;
}

/**
 * Writes names down, so that the same rows stay the same events if a name changes hands.
 * @throws UserError `wrong-usage` if it can't be written, RetryableError if its disk is full or read-only
 */
export function writeNamesFile(path: string, names: ReadonlyMap<string, string>): void {
  const day = formatTime(wallSeconds());
  const rows = [...names].map(([name, address]) => `${name},${address},${day}\n`);
  const text = `name,address,since\n${rows.join('')}`;
  try {
    if (existsSync(path)) replaceFile(path, readFileSync(path, 'utf8'), text);
    else writeNewFile(path, text);
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    if (diskFault(path, cause) !== undefined) throw error;
    throw unusable(path, cause);
  }
}

function badRow(path: string, row: number, cells: readonly string[], cause: unknown): UserError {
  const found = shownCell(cells.join(','));
  const message = `Row ${row} of ${path} needs a name and its address; it has ${found}.`;
  return new UserError('wrong-usage', message, [], { cause });
}

function unusable(path: string, cause: unknown): UserError {
  return new UserError(
    'wrong-usage',
    `Names and their addresses are kept in ${path}, which isn't possible: ${messageOf(cause)}. Name another file with --names FILE.`,
    [],
    { cause },
  );
}
