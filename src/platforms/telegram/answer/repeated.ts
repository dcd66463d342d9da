import type { TelegramContext } from './telegram-context.ts';

/** The context for an update that a dead replica may have answered, and executed, already. */
export function repeated(telegram: TelegramContext): TelegramContext {
  const { answerer } = telegram;
  return {
    ...telegram,
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
