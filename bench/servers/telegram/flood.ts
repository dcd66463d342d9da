import { tooMany } from './refusal.ts';

/** This many messages in any period of this length. */
interface Limit {
  readonly most: number;
  readonly milliseconds: number;
}

/** How much Telegram lets a bot send, to all chats together and to one. */
export const TO_ALL: Limit = { most: 30, milliseconds: 1_000 };
export const TO_CHAT: Limit = { most: 3, milliseconds: 3_000 };
const TO_GROUP: Limit = { most: 20, milliseconds: 60_000 };
/** How early a timer may fire. */
const TIMER_MS = 5;

/** Records what is sent, and rejects what's too much if told to. */
export class Flood {
  /** Off unless a test is about it: messages sent evenly may arrive late, and bunched. */
  enabled = false;
  /** Monotonic milliseconds. */
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
   * Messages sent too early, by their position among all, if none was sent before `began`. A late
   * one doesn't make others seem early.
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
