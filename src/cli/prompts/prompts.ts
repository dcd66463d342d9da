/** A choice in a list. */
export interface PromptOption<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

interface TextQuestion {
  readonly message: string;
  /** What an empty answer means; undefined: it's asked again. */
  readonly byDefault?: string | undefined;
  /** @returns what's wrong with an answer, as a sentence; undefined if it can be used */
  readonly check: (answer: string) => string | undefined;
}

interface ChoiceQuestion<T> {
  readonly message: string;
  readonly options: readonly PromptOption<T>[];
}

/**
 * Asks a person in the terminal. Every method throws `PromptsCancelled` once they end the conversation.
 */
export interface Prompts {
  text(question: TextQuestion): Promise<string>;
  /** Like `text`, without showing what's typed. */
  secret(question: TextQuestion): Promise<string>;
  select<T extends string>(question: ChoiceQuestion<T>): Promise<T>;
  /** Any number of the options. */
  selectSome<T extends string>(question: ChoiceQuestion<T>): Promise<readonly T[]>;
  confirm(message: string): Promise<boolean>;
  /** Shows something between questions. */
  say(text: string): void;
}

/** The person ended the conversation, with Ctrl-C for example. */
export class PromptsCancelled extends Error {
  override readonly name = 'PromptsCancelled';
}

/** What a shell expects after Ctrl-C. */
export const EXIT_CANCELLED = 130;
