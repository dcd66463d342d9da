import { hash } from 'node:crypto';
import { BoundedMap } from '#base';
import type { Call } from '#command';

const KEPT = 500;
/** No call's code starts like this. */
const PREFIX = '~anonymous~';

/** Calls of anonymous administrators that don't fit into a button; lost on restart. */
export class AnonymousCalls {
  readonly #calls = new BoundedMap<string, Call>(KEPT);

  keep(call: Call, chat: number, message: number): string {
    // Nobody else can choose it: it's made of what only this message has.
    const id = hash('sha256', `${chat} ${message} ${JSON.stringify(call)}`).slice(0, 24);
    this.#calls.set(id, call);
    return PREFIX + id;
  }

  callOf(code: string): Call | undefined {
    return code.startsWith(PREFIX) ? this.#calls.get(code.slice(PREFIX.length)) : undefined;
  }
}
