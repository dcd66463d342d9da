import type { Caller } from '#core/command';
import type { Reading } from '#core/ports';
import { shortAddress } from '#core/wallet';

/** A wallet to offer: what is shown and the address it stands for. */
export interface Suggestion {
  readonly label: string;
  readonly address: string;
  /** The display name, where it means this wallet and no other. */
  readonly name?: string;
}

/** Discord shows no more (https://discord.com/developers/docs/interactions/application-commands#autocomplete). */
const MOST = 25;
/** Where names are looked for by a part of them; a page is cheap. */
export const SUGGESTED_FROM = { chain: 'all', limit: 500, offset: 0 } as const;
const CALLERS = 10_000;
const WALLETS_A_CALLER = 5;

/** What each caller asked for lately, for as many callers as fit; forgotten at a restart. */
export class RecentWallets {
  readonly #addresses = new Map<string, string[]>();

  note(caller: Caller, address: string): void {
    const key = `${caller.platform}:${caller.id}`;
    const others = (this.#addresses.get(key) ?? []).filter((each) => each !== address);
    // Taken out and put back, so that the first key is always the one not seen for longest.
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
 * Recent wallets first, then those who have the very name that was typed, then names and addresses of
 * the leaderboard that contain it, by rank.
 */
export async function suggestWallets(
  source: Reading,
  recent: readonly string[],
  typed: string,
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

/** Without a name that is not the wallet's alone. */
async function named(source: Reading, { name, ...rest }: Suggestion): Promise<Suggestion> {
  if (name === undefined) return rest;
  const meant = await source.named(name);
  return meant.length === 1 && meant[0]?.address === rest.address ? { ...rest, name } : rest;
}
