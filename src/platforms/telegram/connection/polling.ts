import {
  createConcurrentSink,
  createRunner,
  createSource,
  type RunnerHandle,
} from '@grammyjs/runner';
import type { Update } from 'grammy/types';
import { messageOf } from '#core/errors';
import { describeCall } from '#platforms/telegram/connection/faults';
import { type Link, Patience, type Updates } from '#platforms/telegram/connection/link';
import { sleep } from '#platforms/telegram/connection/sleep';

/** Updates handled at once; beyond that no more are fetched. */
const CONCURRENCY = 500;
const BATCH_MAX = 100;
/** For telling Telegram at the end what was handled. */
const CONFIRM_MS = 2_000;

/** Gets updates by long polling, for as long as it takes: a fault never ends it. */
export class Polling implements Updates {
  readonly #link: Link;
  readonly #patience: Patience;
  readonly #runner: RunnerHandle;
  /** The update to fetch next. Asking for it confirms all before it. */
  #offset = 0;
  #failed = true;

  constructor(link: Link) {
    this.#link = link;
    this.#patience = new Patience(link);
    const source = createSource<Update>({
      supply: (size, signal) => this.#fetch(size, signal as AbortSignal),
    });
    const sink = createConcurrentSink<Update>(
      { consume: (update) => link.handle(update) },
      (error) => {
        link.log.error({ reason: messageOf(error) }, 'a bug: an update was not handled');
        return Promise.resolve();
      },
      { concurrency: CONCURRENCY },
    );
    this.#runner = createRunner(source, sink);
    this.#runner.start();
  }

  async #fetch(size: number, signal: AbortSignal): Promise<Update[]> {
    for (;;) {
      try {
        await this.#link.connect(signal);
        const updates = await this.#poll(size, signal);
        this.#failed = false;
        this.#patience.good(`polling as @${this.#link.bot.botInfo.username}`);
        this.#offset = (updates.at(-1)?.update_id ?? this.#offset - 1) + 1;
        return updates;
      } catch (error) {
        if (signal.aborted) throw error;
        this.#failed = true;
        await this.#patience.afterFault(error, signal);
        if (signal.aborted) throw error;
      }
    }
  }

  async #poll(size: number, signal: AbortSignal): Promise<Update[]> {
    const { poller, timing, wanted } = this.#link;
    const options = {
      offset: this.#offset,
      limit: Math.max(1, Math.min(size, BATCH_MAX)),
      // After a fault it comes back at once, so that the recovery shows before the first update.
      timeout: this.#failed ? 0 : timing.pollSeconds,
      allowed_updates: wanted,
    };
    return await poller.getUpdates(options, signal as Parameters<typeof poller.getUpdates>[1]);
  }

  async stop(): Promise<void> {
    const { underWay, timing } = this.#link;
    const ended = Promise.resolve(this.#runner.stop()).catch(() => undefined);
    const waiting = new AbortController();
    await Promise.race([ended, sleep(timing.stopMs, waiting.signal)]);
    waiting.abort();
    await underWay.settle(timing.stopMs);
    await this.#confirm();
  }

  /**
   * Tells Telegram what was handled, so that the next start begins after it. What comes back is not
   * confirmed by this call and will be fetched again.
   */
  async #confirm(): Promise<void> {
    const offset = this.#link.underWay.lowest ?? this.#offset;
    if (offset === 0) return;
    const { poller, log } = this.#link;
    const signal = AbortSignal.timeout(CONFIRM_MS) as Parameters<typeof poller.getUpdates>[1];
    try {
      await poller.getUpdates({ offset, limit: 1, timeout: 0 }, signal);
    } catch (error) {
      log.warn(
        { reason: describeCall(error) },
        'Telegram: could not confirm what was handled; some of it may be answered twice',
      );
    }
  }
}
