import { BoundedMap } from '#base';

const KEPT = 5_000;
/** Seconds for which a text that was changed into a command is answered, as for a new one. */
const EDIT_SECONDS = 300;

/** Messages whose commands succeeded: an edit doesn't run them again. */
export class AnsweredMessages {
  readonly #answered = new BoundedMap<string, true>(KEPT);

  note(chat: number, message: number): void {
    this.#answered.set(`${chat} ${message}`, true);
  }

  includes(chat: number, message: number): boolean {
    return this.#answered.has(`${chat} ${message}`);
  }
}

/**
 * Whether an edited message is recent enough to be answered: editing an old one, perhaps only its preview
 * or its keyboard, asks nothing.
 */
export function isFreshEdit({
  date,
  edit_date: edited,
}: {
  date: number;
  edit_date?: number;
}): boolean {
  return edited !== undefined && edited - date <= EDIT_SECONDS;
}
