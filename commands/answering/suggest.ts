import { sanitizeText } from '#base';
import type { Caller } from '#command';
import { NO_NAMES, type VerifiedNames } from '#names';
import { type Reading, SUGGESTED_FROM } from '#reputation';
import { shortAddress } from '#wallet';

/** A suggested wallet: what to show, and its address. */
export interface Suggestion {
  readonly label: string;
  readonly address: string;
  /** The display name, if no other wallet has it. */
  readonly name?: string;
}

/** Discord shows no more (https://discord.com/developers/docs/interactions/application-commands#autocomplete). */
const MOST = 25;
/** Most characters of a name: Discord's choices have 100. */
const LABEL_MAX = 60;
const CALLERS = 10_000;
const WALLETS_A_CALLER = 5;

/** Each caller's recent wallets, for as many callers as fit; lost on restart. */
export class RecentWallets {
  readonly #addresses = new Map<string, string[]>();

  note(caller: Caller, address: string): void {
    const key = `${caller.platform}:${caller.id}`;
    const others = (this.#addresses.get(key) ?? []).filter((each) => each !== address);
    // Delete and reinsert, so that the first key is always the least recently used.
    this.#addresses.delete(key);
    this.#addresses.set(key, [address, ...others].slice(0, WALLETS_A_CALLER));
    if (this.#addresses.size > CALLERS) {
      const oldest = this.#addresses.keys().next().value;
      if (oldest !== undefined) this.#addresses.delete(oldest);
    }
  }

  of(caller: Caller): readonly string[] {
    return this.#addresses.get(`${caller.platform}:${caller.id}`) ?? [];
  }
}

/**
 * Recent wallets first, then those with exactly the typed name, then names and addresses from the
 * leaderboard that contain it, by rank.
 */
export async function suggestWallets(
  source: Reading,
  recent: readonly string[],
  typed: string,
  names: VerifiedNames = NO_NAMES,
): Promise<Suggestion[]> {
  const wanted = typed.trim().toLowerCase();
  const page = await source.leaderboard(SUGGESTED_FROM);
  const namesakes = wanted === '' ? [] : await source.named(typed);
  const suggestions = new Map<string, Suggestion>();
  for (const address of recent) {
    const entry = page.leaderboard.find((each) => each.address === address);
    const displayName = entry?.displayName ?? shortAddress(address);
    if (contains(address, displayName)) offer({ address, displayName });
  }
  for (const entry of namesakes) offer(entry);
  const verified = names.hasForm(typed.trim()) && (await names.keptWalletOf(typed.trim()));
  if (verified) {
    // Not by its name: the community's own goes first, see `resolveNames`.
    const { address } = verified;
    const label = `${sanitizeText(typed, LABEL_MAX)} · ${shortAddress(address)}`;
    if (!suggestions.has(address)) suggestions.set(address, { label, address });
  }
  for (const entry of page.leaderboard) {
    if (suggestions.size >= MOST) break;
    if (contains(entry.address, entry.displayName)) offer(entry);
  }
  const found = [...suggestions.values()].slice(0, MOST);
  return await Promise.all(found.map((each) => named(source, each)));

  function contains(address: string, displayName: string): boolean {
    return `${displayName} ${address}`.toLowerCase().includes(wanted);
  }

  function offer({ address, displayName }: { address: string; displayName: string }): void {
    if (suggestions.has(address)) return;
    const short = shortAddress(address);
    suggestions.set(
      address,
      displayName === short
        ? { label: short, address }
        : { label: `${displayName} · ${short}`, address, name: displayName },
    );
  }
}

/** Without its name if other wallets share that. */
async function named(source: Reading, { name, ...rest }: Suggestion): Promise<Suggestion> {
  if (name === undefined) return rest;
  const meant = await source.named(name);
  return meant.length === 1 && meant[0]?.address === rest.address ? { ...rest, name } : rest;
}
