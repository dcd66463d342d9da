import { expect } from 'vitest';
import type { InitContext, InitGiven } from '#cli/init/conversation';
import { type Prompts, PromptsCancelled } from '#cli/prompts/prompts';

/** A question, by some of its words, and the answer; undefined is Ctrl-C. */
export type Answer = readonly [question: string, answer: string | readonly string[] | undefined];

/** Answers questions in order. */
export function answering(answers: readonly Answer[]) {
  const left = [...answers];
  const said: string[] = [];
  const next = (message: string) => {
    const [question, answer] = left.shift() ?? ['no further question', undefined];
    expect(message).toContain(question);
    if (answer === undefined) throw new PromptsCancelled();
    return answer;
  };
  const typed: Prompts['text'] = async (question) => {
    const answer = String(next(question.message)) || (question.byDefault ?? '');
    const fault = question.check(answer);
    if (fault === undefined) return answer;
    said.push(fault);
    return await typed(question);
  };
  const say = (text: string) => void said.push(text);
  const prompts: Prompts = {
    ...{ text: typed, secret: typed, say },
    select: async ({ message }) => next(message) as never,
    selectSome: async ({ message }) => next(message) as never,
    confirm: async (message) => next(message) === 'yes',
  };
  return { prompts, said, say, left };
}

/** Nothing is given by options. */
export const NOTHING: InitGiven = {
  ...{ name: undefined, database: undefined, rules: undefined },
  ...{ tokens: new Map(), nodes: new Map() },
};

/** What `converse` is called with where nothing can be reached. */
export function contextOf(more: Partial<InitContext>): InitContext {
  return {
    ...{ env: {}, isOffline: true, say: () => undefined, rulesPath: '/none/rules.yaml' },
    ...{ prompts: undefined, given: NOTHING },
    ...more,
  };
}
