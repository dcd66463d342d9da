import type { enBoards } from '#command/texts/en/boards';

/** Clasificaciones: de carteras, de los miembros de una comunidad, por periodo; en español. */
export const esBoards: typeof enBoards = {
  topCommand: {
    about:
      'Clasificación: las puntuaciones más altas, de todas las carteras o de los miembros de aquí',
    example: '/top solana',
    options: {
      chain: 'Solo carteras de esta cadena',
      page: 'Qué página mostrar',
      wallet: 'Mostrar la página donde está esta cartera',
      board: 'Los miembros de esta comunidad que se muestran, o tu puesto entre ellos',
      period: 'Quién ha ganado más puntos en esos días, incluido hoy',
    },
  },

  top: {
    title: 'Clasificación',
    titleOf: (chain) => `Clasificación · ${chain}`,
    none: 'Aquí aún no hay carteras.',
    noneNext: 'Elige otra cadena o vuelve más tarde.',
    placed: (name, rank, points) => `${name}: puesto ${rank}, ${points}`,
    menu: (chain) => `Cadena: ${chain}`,
    menuAll: 'Puestos entre todas las carteras',
    menuOf: (chain) => `Puestos entre las carteras de ${chain}`,
    boards: { here: 'aquí', me: 'yo' },
    periods: { '7d': '7 días', '30d': '30 días', '90d': '90 días' },
    periodWords: { '7d': '7d', '30d': '30d', '90d': '90d' },
    everything: 'Desde siempre',
    everywhere: 'Todas las carteras',
    hereButton: 'Miembros de aquí',
    meButton: 'Mi puesto',
    hereTitle: 'Miembros de aquí',
    gained: (title, days) => `${title} · ${days} días`,
    gainedAbout: (days) =>
      `Puntos ganados en los últimos ${days} días (UTC), incluido hoy, según las reglas vigentes.`,
    gainedNone: 'Nadie ha ganado puntos en esos días.',
    counting: 'Esta clasificación se está calculando. Vuelve a mirar en un momento.',
    gainedUnknown:
      'Aquí no se puede saber cuánto se ha ganado por periodo: este servicio lee sus datos de otro.',
    members: (count, shown) => `${shown} ${count === 1 ? 'miembro' : 'miembros'}`,
    hidden: (count, shown) =>
      count === 1 ? '1 miembro no se muestra' : `${shown} miembros no se muestran`,
    hereNone: 'Aún no hay nadie en esta clasificación.',
    hereUnknown:
      'Ahora no se puede saber quién está en esta clasificación, pues nadie responde quién es miembro aquí.',
    hereNoneGained: 'Ningún miembro que muestre sus carteras aquí ha ganado puntos en esos días.',
    hereNext:
      'Aparece quien vincula una cartera y elige «Esta comunidad» o «Cualquiera» en /privacy.',
    partlyKnown: 'Cuenta a los miembros que han vinculado una cartera y han usado un comando aquí.',
    unsure: (count, shown) =>
      count === 1
        ? 'Ahora no se puede mostrar a 1 miembro de esta página, pues nadie responde si sigue aquí. Inténtalo en un minuto.'
        : `Ahora no se puede mostrar a ${shown} miembros de esta página, pues nadie responde si siguen aquí. Inténtalo en un minuto.`,
    needsAdmin:
      'Si sigue así, haz administrador al bot: puede que Telegram no lo diga a nadie más.',
    rank: (rank, points) => `puesto ${rank}, ${points}`,
    meTitle: 'Tu puesto aquí',
    meShown: (rank, all, points) => `Tienes el puesto ${rank} de ${all} con ${points}.`,
    meHidden: (rank, all, points) =>
      `Con ${points} tendrías el puesto ${rank} de ${all}. Esto solo lo ves tú: aquí no te muestras.`,
    meNone: 'No has vinculado ninguna cartera que cuente en esta clasificación.',
    notBoth:
      'Quita la cartera: los puestos de carteras se buscan en la clasificación de todas, desde siempre.',
  },
};
