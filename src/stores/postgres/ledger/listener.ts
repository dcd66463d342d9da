import { COMMIT_CHANNEL } from './channel.ts';
import { connect, type DedicatedConnection } from './connection.ts';

/** A frozen server is noticed after this long, before what is shown counts as stale. */
const ANSWER_MS = 1_500;
/** Behind an address that leads nowhere any more, another one may be there by now. */
const CONNECT_MS = 2_000;

/** A connection to the primary that hears of commits. One that broke is made anew by the next question. */
export interface Listener {
  /** Throws RetryableError when it can't be had now. */
  rows(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** @param onCommit called when something was committed */
export function listenForCommits(url: string, onCommit: () => void): Listener {
  let current: Promise<DedicatedConnection> | undefined;

  async function open(): Promise<DedicatedConnection> {
    const made = await connect(url, { answerMs: ANSWER_MS, connectMs: CONNECT_MS });
    made.client.on('notification', onCommit);
    try {
      // A copy refuses it, so that nobody follows a copy in place of its primary.
      await made.rows(`LISTEN ${COMMIT_CHANNEL}`);
      return made;
    } catch (error) {
      void made.close();
      throw error;
    }
  }

  function drop(which: Promise<DedicatedConnection>): void {
    if (current === which) current = undefined;
    which.then((each) => each.close()).catch(() => undefined);
  }

  async function ask(sql: string, values?: readonly unknown[]) {
    current ??= open();
    const used = current;
    try {
      return await (await used).rows(sql, values);
    } catch (error) {
      // Whether it was the question or the connection: another one costs little.
      drop(used);
      throw error;
    }
  }

  /** Of the last question; a connection answers one at a time. */
  let answered: Promise<unknown> = Promise.resolve();

  return {
    rows(sql, values) {
      const answer = answered.then(() => ask(sql, values));
      answered = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      await current?.then((each) => each.close()).catch(() => undefined);
      current = undefined;
    },
  };
}
