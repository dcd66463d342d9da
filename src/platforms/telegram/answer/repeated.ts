import type { Desk } from '#platforms/telegram/answer/desk';

/** The context for an update that a dead replica may have answered, and executed, already. */
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
