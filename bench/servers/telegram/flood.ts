import { tooMany } from './refusal.ts';

/** So many messages in any stretch of so long. */
interface Limit {
  readonly most: number;
  readonly milliseconds: number;
}

/** What Telegram lets a bot send to all chats together, and to one. */
export const TO_ALL: Limit = { most: 30, milliseconds: 1_000 };
export const TO_CHAT: Limit = { most: 3, milliseconds: 3_000 };
const TO_GROUP: Limit = { most: 20, milliseconds: 60_000 };
/** By so much a timer may fire before its time. */
const TIMER_MS = 5;

/** Notes when something is sent, and refuses what is too much if it is told to. */
export class Flood {
  /** Off unless refusing is what it is about: what was sent evenly may come late, and bunched. */
  enabled = false;
  /** Milliseconds that never run backwards. */
  now: () => number = () => performance.now();
  readonly #arrivals: number[] = [];
  readonly #sent = new Map<string, number[]>();

  /** @throws Refusal 429 */
  count(chat: number | undefined): void {
    this.#arrivals.push(this.now());
    if (!this.enabled) return;
    this.#check('all', TO_ALL);
    if (chat === undefined) return;
    this.#check(`chat ${chat}`, TO_CHAT);
    if (chat < 0) this.#check(`group ${chat}`, TO_GROUP);
  }

  /**
   * Those that came before their turn, by their place among all that came, if none was sent before
   * `began`. However late any of them is, no other seems to be early for that.
   */
  tooEarly(began: number, { most, milliseconds }: Limit): number[] {
    return [...this.#arrivals.keys()].filter((place) => {
      const turn = began + Math.floor(place / most) * milliseconds;
      return (this.#arrivals[place] as number) < turn - TIMER_MS;
    });
  }

  #check(key: string, { most, milliseconds }: Limit): void {
    const now = this.now();
    const recent = (this.#sent.get(key) ?? []).filter((at) => at > now - milliseconds);
    if (recent.length >= most) throw tooMany(1);
    this.#sent.set(key, [...recent, now]);
  }
}
