import type { Desk } from '#platforms/telegram/answer/desk';

/** Answers what a replica that died may have answered, and done, already. */
export function repeated(desk: Desk): Desk {
  const { answerer } = desk;
  return {
    ...desk,
    answerer: {
      commands: answerer.commands,
      commandNamed: (name) => answerer.commandNamed(name),
      answer: (question) => answerer.answer({ ...question, isRepeated: true }),
      secretIn: (command, typed, asker) => answerer.secretIn(command, typed, asker),
      suggest: (caller, typed) => answerer.suggest(caller, typed),
      refusal: (fault, locale) => answerer.refusal(fault, locale),
    },
  };
}
