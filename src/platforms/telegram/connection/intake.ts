import type { Update } from 'grammy/types';
import { wallMs } from '#core/clock';
import type { Delivery, InboxStore } from '#core/work/inbox';
import type { TelegramSession } from '#platforms/telegram/connection/link';
import { isForUs, isLate, isUpdate } from '#platforms/telegram/connection/updates';
import { Inbox } from '#runtime/inbox';
import { within } from '#runtime/within';

/** Updates that are handled or wait for the inbox at once; beyond that Telegram keeps them. */
const PLACES = 500;
/** Updates that are taken over at once: the other replicas that live want some too. */
const TAKEN_OVER = 20;
const WORDS = {
  away: 'Telegram: updates can not be taken now, and are kept there',
  back: 'Telegram: updates are taken again',
};

export interface IntakeOptions {
  readonly inbox: InboxStore;
  /** Names this process; see `WorkStore`. */
  readonly replica: string;
  /** Whether this replica can't reach the inbox while others can. */
  readonly isCutOff?: (() => boolean) | undefined;
}

/** An update that came to this replica and is not done with. */
interface Place {
  readonly update: Update;
  /** Whether the inbox gave it to this replica, so that its handling has begun. */
  isOurs: boolean;
  /** Answers of the inbox that are waited for. */
  asking: number;
}

/**
 * Takes updates into the inbox, so that Telegram can be told at once that they are here, and handles
 * them after that: each in one replica, and in another one when that ends before.
 */
export class Intake {
  readonly #link: TelegramSession;
  readonly #isCutOff: (() => boolean) | undefined;
  readonly #inbox: Inbox;
  readonly #places = new Map<number, Place>();
  #isStopping = false;

  constructor(link: TelegramSession, { inbox: store, replica, isCutOff }: IntakeOptions) {
    const { signal, timing, log, bot } = link;
    this.#link = link;
    this.#isCutOff = isCutOff;
    const options = { platform: 'telegram', lookMs: timing.takeOverMs, words: WORDS } as const;
    this.#inbox = new Inbox({ ...options, store, replica, log, signal });
    void this.#inbox.watch({
      free: () => (bot.isInited() ? Math.min(TAKEN_OVER, PLACES - this.#places.size) : 0),
      resume: (delivery) => this.#resume(delivery),
      onLook: () => this.#askAgain(),
    });
  }

  /** Nothing more is taken; what is under way goes on. */
  stop(): void {
    this.#isStopping = true;
    this.#inbox.stop();
  }

  /**
   * Takes an update and returns before it is handled.
   * @returns whether it is safe; if not, Telegram has to keep it
   */
  async take(update: Update): Promise<boolean> {
    // Another replica takes it, if it is delivered there.
    if (this.#isStopping || this.#isCutOff?.() === true) return false;
    if (!isForUs(update)) return true;
    const place = this.#placeOf(update);
    if (place === undefined) return false;
    if (place.isOurs) return true;
    return (await within(this.#ask(place), this.#link.timing.inboxMs)) === true;
  }

  #placeOf(update: Update): Place | undefined {
    const known = this.#places.get(update.update_id);
    if (known !== undefined || this.#places.size >= PLACES) return known;
    const place = placeFor(update);
    this.#places.set(update.update_id, place);
    return place;
  }

  /**
   * Asks the inbox whose the update is. An answer that comes after Telegram was told to keep it counts
   * as well: then it is this replica's, and nobody else will handle it.
   * @returns whether there was an answer
   */
  async #ask(place: Place): Promise<boolean> {
    const { update } = place;
    place.asking += 1;
    const isNew = await this.#inbox.receive(String(update.update_id), JSON.stringify(update));
    place.asking -= 1;
    if (isNew === true) this.#begin(place, false);
    if (isNew === false && !place.isOurs) this.#places.delete(update.update_id);
    return isNew !== undefined;
  }

  /** The inbox may have taken what it could not say that it took. */
  #askAgain(): void {
    const unclear = [...this.#places.values()].filter((each) => !each.isOurs && each.asking === 0);
    for (const each of unclear) void this.#ask(each);
  }

  #resume({ id, body }: Delivery): void {
    const update = parsed(body);
    if (update === undefined) {
      void this.#inbox.settle(id);
      return;
    }
    this.#link.log.info({}, 'Telegram: goes on with what a replica left');
    this.#begin(this.#places.get(update.update_id) ?? placeFor(update), true);
  }

  /** @param isAgain whether another replica may have handled some of it */
  #begin(place: Place, isAgain: boolean): void {
    // It stays in the inbox, and becomes another's when this replica has left.
    if (place.isOurs || this.#isStopping) return;
    const { update } = place;
    const id = update.update_id;
    place.isOurs = true;
    this.#places.set(id, place);
    void this.#link.underWay
      .run(id, () => this.#handle(update, isAgain))
      .finally(() => this.#places.delete(id));
  }

  async #handle(update: Update, isAgain: boolean): Promise<void> {
    const { dispatch, ownership, signal, log } = this.#link;
    const id = String(update.update_id);
    let isOurs = true;
    const ask = async () => {
      isOurs &&= await this.#inbox.isOurs(id);
      return isOurs;
    };
    if (!isAgain || !isLate(update, wallMs() / 1000)) {
      await ownership.during(ask, () => dispatch(update, isAgain));
    }
    if (!isOurs) log.debug({}, 'Telegram: another replica has taken this update over');
    // What was broken off is left to others.
    if (!signal.aborted) await this.#inbox.settle(id);
  }
}

function placeFor(update: Update): Place {
  return { update, isOurs: false, asking: 0 };
}

/** @returns undefined for what no version of ours wrote */
function parsed(body: string): Update | undefined {
  try {
    const update: unknown = JSON.parse(body);
    return isUpdate(update) ? update : undefined;
  } catch {
    return undefined;
  }
}
