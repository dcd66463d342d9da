/** What a page says: what happened, and what to do. */
export interface PageText {
  readonly title: string;
  readonly about: string;
}

/** What the pages say on which members connect for Linked Roles. */
export interface RoleWords {
  readonly title: string;
  readonly told: PageText;
  readonly noWallet: PageText;
  readonly later: PageText;
  readonly denied: PageText;
  readonly expired: PageText;
  readonly refused: PageText;
  readonly unavailable: PageText;
  /** `{}` is a number of seconds. */
  readonly limited: PageText;
  readonly failed: PageText;
  readonly close: string;
  readonly again: string;
}

const en: RoleWords = {
  title: 'Linked Roles · Fathom',
  told: {
    title: 'Connected',
    about:
      'Discord now knows the tier of your linked wallets. It gets their score, rank and badges too if everybody may see your wallets: type /privacy to choose. If you meet a role’s requirements, Discord gives it to you.',
  },
  noWallet: {
    title: 'Connected. Now link a wallet',
    about:
      'You have not linked a wallet yet. Type /link in Discord; what the role asks for is filled in by itself then.',
  },
  later: {
    title: 'Connected',
    about:
      'Your figures cannot be told to Discord right now. They follow by themselves in a while.',
  },
  denied: {
    title: 'Not connected',
    about:
      'You declined at Discord, so nothing was kept. To connect after all, begin again from the role in Discord.',
  },
  expired: {
    title: 'This did not begin here',
    about:
      'It took more than ten minutes, was used before, or was begun in another browser. Begin again in this one.',
  },
  refused: {
    title: 'Not connected',
    about:
      'Discord did not confirm it, or not everything was allowed that is needed. Begin again and allow all of it.',
  },
  unavailable: {
    title: 'Not right now',
    about: 'Discord or Fathom cannot be reached. Nothing was lost: try again in a minute.',
  },
  limited: {
    title: 'That was a lot at once',
    about: 'Wait for {} seconds, then try again.',
  },
  failed: {
    title: 'Something went wrong',
    about: 'The fault is ours and was noted. Try again; if it stays, tell whoever runs this bot.',
  },
  close: 'You can close this window.',
  again: 'Begin again',
};

const es: RoleWords = {
  title: 'Roles vinculados · Fathom',
  told: {
    title: 'Conectado',
    about:
      'Discord conoce ahora el nivel de tus carteras vinculadas. Recibe también sus puntos, puesto e insignias si cualquiera puede ver tus carteras: escribe /privacy para elegirlo. Si cumples los requisitos de un rol, Discord te lo da.',
  },
  noWallet: {
    title: 'Conectado. Ahora vincula una cartera',
    about:
      'Aún no has vinculado ninguna cartera. Escribe /link en Discord; lo que pide el rol se rellena entonces por sí solo.',
  },
  later: {
    title: 'Conectado',
    about: 'Ahora mismo no se pueden comunicar tus cifras a Discord. Llegarán solas en un rato.',
  },
  denied: {
    title: 'Sin conectar',
    about:
      'Lo rechazaste en Discord, así que no se guardó nada. Para conectar, empieza de nuevo desde el rol en Discord.',
  },
  expired: {
    title: 'Esto no empezó aquí',
    about:
      'Pasaron más de diez minutos, ya se usó o se empezó en otro navegador. Empieza de nuevo en este.',
  },
  refused: {
    title: 'Sin conectar',
    about:
      'Discord no lo confirmó o no se permitió todo lo necesario. Empieza de nuevo y permítelo todo.',
  },
  unavailable: {
    title: 'Ahora no es posible',
    about:
      'No se puede contactar con Discord o con Fathom. No se perdió nada: prueba en un minuto.',
  },
  limited: {
    title: 'Han sido muchas a la vez',
    about: 'Espera {} segundos y prueba de nuevo.',
  },
  failed: {
    title: 'Algo salió mal',
    about:
      'El fallo es nuestro y quedó anotado. Prueba de nuevo; si sigue, avisa a quien lleva este bot.',
  },
  close: 'Puedes cerrar esta ventana.',
  again: 'Empezar de nuevo',
};

/** By the language of the pages' other words. */
export const ROLE_WORDS: Readonly<Record<string, RoleWords>> = { en, es };
export const DEFAULT_WORDS = en;
