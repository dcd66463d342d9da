import type { Api } from 'grammy';
import type { User } from 'grammy/types';
import type { Card, Span } from '#core/card';
import { nameOf, numberOf } from '#platforms/telegram/gating/members';
import { Latest } from '#runtime/latest';

/** Names that are remembered, and that are asked for at the same moment. */
const KEPT = 5_000;
const AT_ONCE = 10;

export interface PeopleOptions {
  readonly api: Pick<Api, 'getChatMember'>;
  /** Milliseconds after which names are done without: somebody waits for the answer. */
  readonly patienceMs: number;
}

/** What people are called, as far as it is known or Telegram tells. */
export class People {
  readonly #options: PeopleOptions;
  readonly #names = new Latest<string, string>(KEPT);

  constructor(options: PeopleOptions) {
    this.#options = options;
  }

  /** Somebody has shown up. */
  note(user: User): void {
    if (!user.is_bot) this.#names.set(String(user.id), nameOf(user));
  }

  /**
   * @param community the group that they belong to, or belonged to
   * @returns names by id; whoever can't be found in time is left out
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
          // Their id says who they are.
        }
      }
    };
    await Promise.race([over, Promise.all(Array.from({ length: AT_ONCE }, one))]);
  }
}

/** The accounts that a card names. */
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
