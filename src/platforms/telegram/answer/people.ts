import type { Api } from 'grammy';
import type { User } from 'grammy/types';
import { BoundedMap, type Logger, messageOf, PlatformFault, Recent, RetryableError } from '#base';
import type { Card, Span } from '#command';
import type { UsernameStore } from '#gating';
import { callSignal } from '#platforms/telegram/connection/call-signal';
import { nameOf, numberOf, standInFor } from '#platforms/telegram/gating/members';
import { refusalOf, retryable } from '#platforms/telegram/gating/refusals';

/** Names we remember, and look up concurrently. */
const NAMES_KEPT = 5_000;
const AT_ONCE = 10;
/** Milliseconds after which somebody may be called something else. */
const KEPT_MS = 600_000;

interface UserNamesOptions {
  readonly api: Pick<Api, 'getChatMember'>;
  /** Milliseconds after which we answer without the missing names. */
  readonly patienceMs: number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/** Display names, from recent updates or looked up. */
export class UserNames {
  readonly #options: UserNamesOptions;
  readonly #names: Recent<string>;

  constructor(options: UserNamesOptions) {
    this.#options = options;
    this.#names = new Recent(KEPT_MS, NAMES_KEPT, options.clock);
  }

  note(user: User): void {
    if (!user.is_bot) this.#names.set(String(user.id), nameOf(user));
  }

  /**
   * @param community a group they are or were members of
   * @returns names by id, without those we can't find in time
   */
  async namesOf(
    community: string,
    accounts: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, string>> {
    const chat = numberOf(community);
    const unknown = [...accounts].filter(
      (each) => this.#names.get(each) === undefined && standInFor(each) === undefined,
    );
    if (chat !== undefined && unknown.length > 0) await this.#ask(chat, unknown);
    const known = [...accounts].flatMap((each) => {
      const name = this.#names.get(each);
      return name === undefined ? [] : [[each, name] as const];
    });
    return new Map(known);
  }

  async #ask(chat: number, accounts: string[]): Promise<void> {
    const { api, patienceMs } = this.#options;
    const late = AbortSignal.timeout(patienceMs);
    const over = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve()));
    const signal = callSignal(late);
    const one = async (): Promise<void> => {
      for (let next = accounts.pop(); next !== undefined; next = accounts.pop()) {
        const user = numberOf(next);
        if (user === undefined || late.aborted) continue;
        try {
          this.note((await api.getChatMember(chat, user, signal)).user);
        } catch {
          // The card shows the id instead.
        }
      }
    };
    await Promise.race([over, Promise.all(Array.from({ length: AT_ONCE }, one))]);
  }
}

/** Ids of the members mentioned in a card. */
export function peopleIn({ blocks, footer }: Card): ReadonlySet<string> {
  const spans = blocks.flatMap((block): readonly Span[] => {
    switch (block.kind) {
      case 'text':
      case 'progress':
        return block.spans;
      case 'facts':
        return block.facts.flatMap(({ value }) => value);
      case 'entries':
        return block.entries.flatMap(({ title, detail }) => [...title, ...detail]);
      default:
        return [];
    }
  });
  return new Set(
    [...spans, ...footer].flatMap((span) =>
      typeof span === 'object' && 'member' in span ? [span.member] : [],
    ),
  );
}

/** People whose notes in the store we remember. */
const NOTES_KEPT = 10_000;
/** Seconds after which somebody who is still there is noted again. */
const AGAIN = 7 * 86_400;

interface UsernamesOptions {
  readonly store: UsernameStore | undefined;
  readonly api: Pick<Api, 'getChatMember'>;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds after which we give up on Telegram, as someone is waiting for the answer. */
  readonly patienceMs: number;
}

/** Usernames of people met in groups: Telegram doesn't tell bots whom an `@name` means. */
export class Usernames {
  readonly #options: UsernamesOptions;
  readonly #noted = new BoundedMap<string, { readonly username: string; readonly at: number }>(
    NOTES_KEPT,
  );

  constructor(options: UsernamesOptions) {
    this.#options = options;
  }

  /** Notes somebody who was seen in a group. Never throws, and nobody waits for it. */
  meet(community: string, { id, is_bot: isBot, username }: User): void {
    if (isBot) return;
    const now = Math.floor(this.#options.clock() / 1000);
    const key = `${community} ${id}`;
    const noted = this.#noted.get(key);
    if (noted?.username === (username ?? '') && now - noted.at < AGAIN) return;
    this.#noted.set(key, { username: username ?? '', at: now });
    void this.#note(community, String(id), username, now).catch((error: unknown) => {
      this.#noted.delete(key);
      this.#options.log.debug({ reason: messageOf(error) }, 'Telegram: could not note a username');
    });
  }

  async #note(
    community: string,
    account: string,
    username: string | undefined,
    now: number,
  ): Promise<void> {
    const { store } = this.#options;
    await store?.noteUsername({ platform: 'telegram', id: community }, account, username, now);
  }

  /**
   * Who has a username now. A name may have passed to somebody else since we met its owner, so
   * Telegram is asked for the present one.
   * @param name without `@`
   * @returns undefined if the bot hasn't met them in this group
   * @throws RetryableError
   */
  async accountOf(community: string, name: string): Promise<string | undefined> {
    const { store, api, log, patienceMs } = this.#options;
    const account = await store?.accountNamed({ platform: 'telegram', id: community }, name);
    const [chat, user] = [numberOf(community), numberOf(account ?? '')];
    if (account === undefined || chat === undefined || user === undefined) return undefined;
    const signal = callSignal(AbortSignal.timeout(patienceMs));
    try {
      const { user: now } = await api.getChatMember(chat, user, signal);
      if (now.username?.toLowerCase() === name.toLowerCase()) return account;
      this.meet(community, now);
      return undefined;
    } catch (error) {
      // Unless the bot is an administrator, it may not be told; and people who left may be unknown.
      if (refusalOf(error) !== undefined) return account;
      const fault = retryable(error, log);
      throw fault instanceof RetryableError ? fault : new PlatformFault(fault.message);
    }
  }
}
