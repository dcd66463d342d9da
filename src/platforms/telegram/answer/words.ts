import type { Texts } from '#core/texts/index';

/** What only this platform says; what a command says is in the core's catalogue. */
export interface Words {
  /** To somebody who pressed a button under another's answer; at most 200 characters. */
  readonly notYours: string;
  /** The button comes from a version that called things differently. */
  readonly outdated: string;
  /** In a group, when the answer went to the private chat. */
  readonly sentPrivately: string;
  /** In a group, when there is no private chat to answer in. */
  readonly startFirst: string;
  /** A button that opens the private chat. */
  readonly openPrivate: string;
  /** A button over the results of the inline mode. */
  readonly howTo: string;
}

const english: Words = {
  notYours:
    'These buttons belong to the person who asked. Send the command yourself to get your own.',
  outdated: 'This button is too old. Please send the command again.',
  sentPrivately: 'The answer is for your eyes alone: it is in our private chat.',
  startFirst:
    'The answer is for your eyes alone, so it can’t be shown here. Open our private chat and press Start.',
  openPrivate: 'Open the private chat',
  howTo: 'How to ask',
};

/** By the two letters of a language, one line for each that the core's catalogue has. */
export const WORDS: Readonly<Record<string, Words>> = {
  en: english,
  es: {
    notYours:
      'Estos botones son de quien hizo la pregunta. Envía tú el comando para tener los tuyos.',
    outdated: 'Este botón es demasiado antiguo. Vuelve a enviar el comando.',
    sentPrivately: 'La respuesta es solo para ti: está en nuestro chat privado.',
    startFirst:
      'La respuesta es solo para ti, así que no puede mostrarse aquí. Abre nuestro chat privado y pulsa Iniciar.',
    openPrivate: 'Abrir el chat privado',
    howTo: 'Cómo preguntar',
  },
};

/** In the language that the texts are in. */
export function wordsFor(texts: Texts): Words {
  return WORDS[texts.language] ?? english;
}
