import type { DigestTexts } from '#command/texts/en/digest';

/** What communities are told of a week, in Spanish. */
export const esDigest: DigestTexts = {
  digest: {
    choices: { weekly: 'semanal', off: 'desactivado' },
    title: 'La semana pasada',
    risers: 'Quién ganó más puntos',
    badges: 'Nuevas insignias raras',
    tiers: 'Miembros por nivel',
    linked: (count, shown) =>
      `${shown} ${count === 1 ? 'miembro ha vinculado' : 'miembros han vinculado'} una cartera. Los niveles cuentan a quienes muestran aquí las suyas.`,
    settingTitle: 'Resumen semanal',
    on: 'Los lunes (UTC) se publica un resumen de la semana donde van los anuncios.',
    off: 'Aquí no se publica ningún resumen semanal.',
    who: 'Solo nombra a los miembros que muestran aquí sus carteras y no han desactivado los anuncios con /privacy. Una semana sin novedades no tiene resumen.',
    needsPlace: (example) => `Di primero adónde van los anuncios, con ${example}.`,
    onButton: 'Publicarlo cada semana',
    offButton: 'Desactivarlo',
  },
};
