import type { Api } from 'grammy';
import type { User } from 'grammy/types';
import { Recent } from '#base';
import type { Card, Span } from '#command';
import { nameOf, numberOf } from '#platforms/telegram/gating/members';

/** Names we remember, and look up concurrently. */
const KEPT = 5_000;
const AT_ONCE = 10;
/** Milliseconds after which somebody may be called something else. */
const KEPT_MS = 600_000;

export interface UserNamesOptions {
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
    this.#names = new Recent(KEPT_MS, KEPT, options.clock);
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
    const unknown = [...accounts].filter((each) => this.#names.get(each) === undefined);
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
    const signal = late as Parameters<Api['getChatMember']>[2];
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
