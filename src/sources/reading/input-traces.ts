import type { Logger } from '#base';
import type { InputState } from '#scoring';

/** Says in the log, once for each input, that it leaves something out or has found nothing. */
export class InputTraces {
  readonly #log: Logger;
  readonly #source: string;
  readonly #said = new Set<string>();

  constructor(log: Logger, source: string) {
    this.#log = log;
    this.#source = source;
  }

  /** @param leftOut what was left out of a range, in the order of the inputs' names */
  read(inputs: readonly string[], leftOut: readonly number[]): void {
    for (const [place, name] of inputs.entries()) {
      if (!leftOut[place]) continue;
      this.#say(
        name,
        "Events are left out: they don't fit what a rule declares, or name no wallet",
      );
    }
  }

  /** @param states of inputs of live rules, when all that there is has been read */
  atEnd(states: readonly InputState[]): void {
    for (const { name, events, leftOut } of states) {
      if (events + leftOut === 0) this.#say(name, 'Nothing that a rule is about was found so far');
    }
  }

  #say(input: string, words: string): void {
    const key = `${words} ${input}`;
    if (this.#said.has(key)) return;
    this.#said.add(key);
    this.#log.warn({ source: this.#source, input }, `${words}; "fathom sources" says more`);
  }
}
