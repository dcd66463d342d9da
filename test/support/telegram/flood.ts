import { tooMany } from './refusal.ts';

/** Stretches a bit shorter than Telegram's: two clocks and a network lie between sending and here. */
const ALL = { most: 30, milliseconds: 900 };
const CHAT = { most: 3, milliseconds: 2_700 };
const GROUP = { most: 20, milliseconds: 58_000 };

/** Counts what is sent, and refuses what is too much. */
export class Flood {
  enabled = true;
  /** How often something had to be refused. */
  refused = 0;
  readonly #sent = new Map<string, number[]>();

  /** @throws Refusal 429 */
  count(chat: number | undefined): void {
    if (!this.enabled) return;
    this.#check('all', ALL);
    if (chat === undefined) return;
    this.#check(`chat ${chat}`, CHAT);
    if (chat < 0) this.#check(`group ${chat}`, GROUP);
  }

  #check(key: string, { most, milliseconds }: typeof ALL): void {
    const now = performance.now();
    const recent = (this.#sent.get(key) ?? []).filter((at) => at > now - milliseconds);
    if (recent.length >= most) {
      this.refused += 1;
      throw tooMany(1);
    }
    this.#sent.set(key, [...recent, now]);
  }
}
