import type { Caller } from '#core/command';
import type { Reading } from '#core/ports';
import { shortAddress } from '#core/wallet';

/** A wallet to offer: what is shown and the address it stands for. */
export interface Suggestion {
  readonly label: string;
  readonly address: string;
}

/** Discord shows no more (https://discord.com/developers/docs/interactions/application-commands#autocomplete). */
const MOST = 25;
/** How far down the leaderboard names are looked for; a page is cheap. */
const NAMES_LOOKED_AT = 500;
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
 * Recent wallets first, then names and addresses of the leaderboard that contain what was typed,
 * by rank.
 */
export async function suggestWallets(
  source: Reading,
  recent: readonly string[],
  typed: string,
): Promise<Suggestion[]> {
  const wanted = typed.trim().toLowerCase();
  const page = await source.leaderboard({ chain: 'all', limit: NAMES_LOOKED_AT, offset: 0 });
  const suggestions = new Map<string, Suggestion>();
  for (const address of recent) {
    const entry = page.leaderboard.find((each) => each.address === address);
    offer({ address, displayName: entry?.displayName ?? shortAddress(address) });
  }
  for (const entry of page.leaderboard) {
    if (suggestions.size >= MOST) break;
    offer(entry);
  }
  return [...suggestions.values()].slice(0, MOST);

  function offer({ address, displayName }: { address: string; displayName: string }): void {
    const found = `${displayName} ${address}`.toLowerCase().includes(wanted);
    if (!found || suggestions.has(address)) return;
    const short = shortAddress(address);
    const label = displayName === short ? short : `${displayName} · ${short}`;
    suggestions.set(address, { label, address });
  }
}
