import type { Update } from 'grammy/types';
import { wallMs } from '#core/clock';
import { messageOf } from '#core/errors';
import type { InboxStore } from '#core/work/inbox';
import type { Link } from '#platforms/telegram/connection/link';
import { sleep } from '#platforms/telegram/connection/sleep';
import { isForUs, isLate, isUpdate } from '#platforms/telegram/connection/updates';
import { within } from '#platforms/telegram/connection/within';

/** Updates that are handled or wait for the inbox at once; beyond that Telegram keeps them. */
const PLACES = 500;
/** Updates that are taken over at once: the other replicas that live want some too. */
const TAKEN_OVER = 20;

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
  readonly #link: Link;
  readonly #options: IntakeOptions;
  readonly #places = new Map<number, Place>();
  #isStopping = false;
  /** Whether it was told that the inbox can't be had. */
  #isAway = false;

  constructor(link: Link, options: IntakeOptions) {
    this.#link = link;
    this.#options = options;
    void this.#look();
  }

  /** Nothing more is taken; what is under way goes on. */
  stop(): void {
    this.#isStopping = true;
  }

  /**
   * Takes an update and returns before it is handled.
   * @returns whether it is safe; if not, Telegram has to keep it
   */
  async take(update: Update): Promise<boolean> {
    // Another replica takes it, if it is delivered there.
    if (this.#isStopping || this.#options.isCutOff?.() === true) return false;
    if (!isForUs(update)) return true;
    const place = this.#placeOf(update);
    if (place === undefined) return false;
    if (place.isOurs) return true;
    return (await within(this.#ask(place), this.#link.timing.inboxMs)) === true;
  }

  #placeOf(update: Update): Place | undefined {
    const known = this.#places.get(update.update_id);
    if (known !== undefined || this.#places.size >= PLACES) return known;
    const place = { update, isOurs: false, asking: 0 };
    this.#places.set(update.update_id, place);
    return place;
  }

  /**
   * Asks the inbox whose the update is. An answer that comes after Telegram was told to keep it counts
   * as well: then it is this replica's, and nobody else will handle it.
   * @returns whether there was an answer
   */
  async #ask(place: Place): Promise<boolean> {
    const { inbox, replica } = this.#options;
    const { update } = place;
    const id = String(update.update_id);
    place.asking += 1;
    try {
      const body = JSON.stringify(update);
      const isOurs = await inbox.receive({ platform: 'telegram', id, body }, replica);
      this.#isAway = false;
      if (isOurs) this.#begin(place, false);
      else if (!place.isOurs) this.#places.delete(update.update_id);
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    } finally {
      place.asking -= 1;
    }
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
      isOurs &&= await this.#isHeld(id);
      return isOurs;
    };
    if (!isAgain || !isLate(update, wallMs() / 1000)) {
      await ownership.during(ask, () => dispatch(update, isAgain));
    }
    if (!isOurs) return log.debug({}, 'Telegram: another replica has taken this update over');
    // What was broken off is left to others.
    while (!signal.aborted && !(await this.#settle(id))) {
      await sleep(this.#link.timing.takeOverMs, signal);
    }
  }

  /** Waits until the inbox can say it; an answer too late is better than two. */
  async #isHeld(id: string): Promise<boolean> {
    const { inbox, replica } = this.#options;
    const { signal, timing } = this.#link;
    while (!signal.aborted) {
      try {
        return await inbox.isHeld('telegram', id, replica);
      } catch (error) {
        this.#failed(error);
      }
      await sleep(timing.takeOverMs, signal);
    }
    return false;
  }

  async #settle(id: string): Promise<boolean> {
    try {
      await this.#options.inbox.settle('telegram', id);
      this.#isAway = false;
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  async #look(): Promise<void> {
    const { signal, timing, bot } = this.#link;
    while (!signal.aborted && !this.#isStopping) {
      // The inbox may have taken what it could not say that it took.
      const unclear = [...this.#places.values()].filter(
        (each) => !each.isOurs && each.asking === 0,
      );
      for (const each of unclear) void this.#ask(each);
      if (bot.isInited()) await this.#takeOver();
      await sleep(timing.takeOverMs, signal);
    }
  }

  async #takeOver(): Promise<void> {
    const { inbox, replica } = this.#options;
    const free = Math.min(TAKEN_OVER, PLACES - this.#places.size);
    if (free <= 0) return;
    try {
      const left = await inbox.takeOver('telegram', replica, free);
      for (const { id, body } of left) {
        const update = parse(body);
        if (update === undefined) await this.#settle(id);
        else this.#begin(this.#places.get(update.update_id) ?? placeFor(update), true);
      }
      if (left.length > 0) {
        this.#link.log.info({ count: left.length }, 'Telegram: goes on with what a replica left');
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (!this.#isAway) {
      const reason = messageOf(error);
      this.#link.log.warn({ reason }, 'Telegram: updates can not be taken now, and are kept there');
    }
    this.#isAway = true;
  }
}

function placeFor(update: Update): Place {
  return { update, isOurs: false, asking: 0 };
}

/** @returns undefined for what no version of ours wrote */
function parse(body: string): Update | undefined {
  try {
    const update: unknown = JSON.parse(body);
    return isUpdate(update) ? update : undefined;
  } catch {
    return undefined;
  }
}
