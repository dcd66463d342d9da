import { LANGUAGES, textsFor } from '#command/texts/index';
import { folded } from './words.ts';

const CALLED: ReadonlyMap<string, string> = new Map(
  LANGUAGES.flatMap((language) =>
    Object.entries(textsFor(language).commandNames).flatMap(([command, names]) =>
      names.split(' ').map((name) => [name, command] as const),
    ),
  ),
);

/**
 * The command that people call so, in any language, case and accents. Where other bots listen, too, it may be theirs.
 * @returns the word itself if it's none
 */
export function commandCalled(word: string): string {
  return CALLED.get(folded(word)) ?? word;
}

/** What else commands are called, by their names. */
export function otherNamesOf(commands: readonly string[]): Record<string, readonly string[]> {
  const all = [...CALLED];
  return Object.fromEntries(
    commands.map((name) => [name, all.filter(([, of]) => of === name).map(([called]) => called)]),
  );
}
