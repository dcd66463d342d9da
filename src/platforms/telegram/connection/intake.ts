import type { Update } from 'grammy/types';
import { wallMs } from '#base';
import { within } from '#base/waiting';
import { type Delivery, Inbox, type InboxStore } from '#cluster';
import type { TelegramSession } from './session.ts';
import { isForUs, isLate, parsedUpdate } from './traffic.ts';

/** Updates being handled or waiting for the inbox; Telegram keeps any more. */
const ASSIGNMENTS = 1_000;
/** Updates taken over at once, leaving some for the other replicas. */
const TAKEN_OVER = 20;
const WORDS = {
  away: 'Telegram: the inbox is unavailable; Telegram keeps updates meanwhile',
  back: 'Telegram: the inbox is available again',
};

export interface IntakeOptions {
  readonly inbox: InboxStore;
  /** Id of this process; see `WorkStore`. */
  readonly replica: string;
  /** Whether the others answer in its place: it alone can't reach the inbox, or it stands aside. */
  readonly leavesToOthers?: (() => boolean) | undefined;
}

interface UpdateAssignment {
  readonly update: Update;
  /** Whether the inbox assigned it to this replica, so we're handling it. */
  isOurs: boolean;
  /** Pending requests to the inbox. */
  asking: number;
}

/**
 * Stores updates in the inbox, so we can acknowledge them to Telegram immediately, and then handles
 * them: each in one replica, or in another if that one dies first.
 */
export class Intake {
  readonly #link: TelegramSession;
  readonly #leavesToOthers: (() => boolean) | undefined;
  readonly #inbox: Inbox;
  readonly #assignments = new Map<number, UpdateAssignment>();
  #isStopping = false;

  constructor(link: TelegramSession, { inbox: store, replica, leavesToOthers }: IntakeOptions) {
    const { signal, timing, log, bot } = link;
    this.#link = link;
    this.#leavesToOthers = leavesToOthers;
    const options = { platform: 'telegram', pollMs: timing.takeOverMs, words: WORDS } as const;
    this.#inbox = new Inbox({ ...options, store, replica, log, signal });
    void this.#inbox.watch({
      free: () => (bot.isInited() ? Math.min(TAKEN_OVER, ASSIGNMENTS - this.#assignments.size) : 0),
      resume: (delivery) => this.#resume(delivery),
      onPoll: () => this.#askAgain(),
    });
  }

  /** Accepts no more updates; those in flight continue. */
  stop(): void {
    this.#isStopping = true;
    this.#inbox.stop();
  }

  /**
   * Stores an update; returns before it's handled.
   * @returns whether it's stored; if not, Telegram must keep it
   */
  async take(update: Update): Promise<boolean> {
    // Telegram delivers it again, perhaps to another replica.
    if (this.#isStopping || this.#leavesToOthers?.() === true) return false;
    if (!isForUs(update)) return true;
    const assignment = this.#assignmentOf(update);
    if (assignment === undefined) return false;
    if (assignment.isOurs) return true;
    return (await within(this.#ask(assignment), this.#link.timing.inboxMs)) === true;
  }

  #assignmentOf(update: Update): UpdateAssignment | undefined {
    const known = this.#assignments.get(update.update_id);
    if (known !== undefined || this.#assignments.size >= ASSIGNMENTS) return known;
    const assignment = assignmentFor(update);
    this.#assignments.set(update.update_id, assignment);
    return assignment;
  }

  /**
   * Asks the inbox who handles the update. A reply counts even after we told Telegram to keep the update:
   * if it's assigned to this replica, no other will handle it.
   * @returns whether the inbox replied
   */
  async #ask(assignment: UpdateAssignment): Promise<boolean> {
    const { update } = assignment;
    assignment.asking += 1;
    const isNew = await this.#inbox.receive(String(update.update_id), JSON.stringify(update));
    assignment.asking -= 1;
    if (isNew === true) this.#begin(assignment, false);
    if (isNew === false && !assignment.isOurs) this.#assignments.delete(update.update_id);
    return isNew !== undefined;
  }

  /** The inbox may have stored an update although its reply was lost. */
  #askAgain(): void {
    const unclear = [...this.#assignments.values()].filter(
      (each) => !each.isOurs && each.asking === 0,
    );
    for (const each of unclear) void this.#ask(each);
  }

  #resume({ id, body }: Delivery): void {
    const update = parsedUpdate(body);
    if (update === undefined) {
      void this.#inbox.settle(id);
      return;
    }
    this.#link.log.info({}, 'Telegram: resuming an update left by another replica');
    this.#begin(this.#assignments.get(update.update_id) ?? assignmentFor(update), true);
  }

  /** @param isAgain whether another replica may have handled part of it */
  #begin(assignment: UpdateAssignment, isAgain: boolean): void {
    // It stays in the inbox until another replica takes it over.
    if (assignment.isOurs || this.#isStopping) return;
    const { update } = assignment;
    const id = update.update_id;
    assignment.isOurs = true;
    this.#assignments.set(id, assignment);
    void this.#link.underWay
      .run(id, () => this.#handle(update, isAgain))
      .finally(() => this.#assignments.delete(id));
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
    if (!isOurs) log.debug({}, 'Telegram: another replica took over this update');
    // Other replicas resume what we aborted.
    if (!signal.aborted) await this.#inbox.settle(id);
  }
}

function assignmentFor(update: Update): UpdateAssignment {
  return { update, isOurs: false, asking: 0 };
}
