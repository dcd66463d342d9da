import type { Update } from 'grammy/types';
import { BoundedMap } from '#base';

/** Members remembered, with what each has last been told of. */
const KEPT = 10_000;

/** What an update says of a member; an earlier one of what it ends no longer counts. */
type News = 'removed' | 'let in' | 'moved';

const ENDS: Readonly<Record<News, News>> = {
  removed: 'let in',
  'let in': 'removed',
  moved: 'moved',
};

/** When something happened. Within a second, the id of its update says. */
interface Moment {
  readonly date: number;
  readonly id: number;
}

/**
 * A webhook's updates may overtake each other, as when one of them is tried again: who was removed and then let in
 * by hand mustn't end up barred because the removal came last.
 */
export class OvertakenNews {
  readonly #last = new BoundedMap<string, Moment>(KEPT);

  /**
   * Notes what an update about a member says.
   * @returns whether it counts; not if what ended it has come already
   */
  counts({ chat_member: change, update_id: id }: Update, news: News): boolean {
    if (change === undefined) return true;
    const moment = { date: change.date, id };
    const keyOf = (each: News) => `${change.chat.id} ${change.new_chat_member.user.id} ${each}`;
    const end = this.#last.get(keyOf(ENDS[news]));
    const own = this.#last.get(keyOf(news));
    if (own === undefined || isBefore(own, moment)) this.#last.set(keyOf(news), moment);
    return end === undefined || !isBefore(moment, end);
  }
}

function isBefore(one: Moment, other: Moment): boolean {
  return one.date < other.date || (one.date === other.date && one.id < other.id);
}
