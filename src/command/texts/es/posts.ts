import type { AnnounceTexts, DigestTexts, PanelTexts } from '#command/texts/en/posts';

/** What communities announce, in Spanish. */
export const esAnnounce: AnnounceTexts = {
  announce: {
    isNow: {
      Titan: 'ya es Titán',
      Whale: 'ya es Ballena',
      Shark: 'ya es Tiburón',
      Dolphin: 'ya es Delfín',
      Shrimp: 'ya es Camarón',
    },
    earned: (badges) => `ha conseguido ${badges}`,
    and: (badges) => `y ha conseguido ${badges}`,
    badge: 'Una insignia rara',
    none: 'ninguna',
    several: 'Suben de nivel',
    more: (count, shown) => `y ${shown} ${count === 1 ? 'miembro' : 'miembros'} más`,
    title: 'Anuncios',
    goTo: 'Los anuncios van a',
    here: 'Los anuncios van al propio grupo o canal.',
    tiers: (tier) => `Se anuncia a quien sube a ${tier} o más`,
    badges: (rarity) => `y también las insignias de rareza ${rarity} o mayor.`,
    noBadges: 'Las insignias no se anuncian.',
    who: 'Solo a los miembros que muestran aquí sus carteras y no lo han desactivado con /privacy. Hay como mucho un mensaje cada diez minutos, no notifica a nadie y nunca se anuncia una bajada.',
    off: 'Aquí no se anuncia nada.',
    start: (example) => `Empieza con ${example}.`,
    examples: {
      channel: '/gate announce canal:#general',
      chat: '/gate announce desde:ballena',
    },
    offButton: 'Desactivarlos',
    refusedTitle: 'No se pueden publicar los anuncios',
    refusedIn: 'Allí no se ha podido publicar el último anuncio.',
    lostTitle: 'Puede que falte un anuncio',
    lost: 'La plataforma no respondió al publicar el último, así que puede que falte. No se repite, porque podría aparecer dos veces.',
    on: 'Las comunidades donde muestras tus carteras pueden anunciar que subes de nivel o consigues una insignia rara.',
    declined: 'Las comunidades no anuncian lo que consigues.',
    turnOn: 'Anunciar lo que consigo',
    turnOff: 'No anunciarme',
  },
};

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

/** The lasting message with a community's rules, in Spanish. */
export const esPanel: PanelTexts = {
  panel: {
    title: 'Lo que puedes conseguir aquí por reputación',
    how: 'Vincula una cartera: cuenta lo que ha hecho. Solo tú ves las respuestas de estos botones.',
    none: 'Ahora no hay reglas que mostrar aquí.',
    paused: 'Las reglas que se muestran aquí están en pausa: ahora no dan nada nuevo.',
    ladder: 'De los roles por nivel, solo tienes el más alto.',
    oneWallet: 'Una sola cartera debe tener todo lo que pide una regla.',
    sumOfWallets: 'Se suman todas tus carteras vinculadas.',
    link: 'Vincular cartera',
    access: 'Mi acceso',
    reputation: 'Mi reputación',
    settings: 'Panel',
    isIn: 'El panel está en',
    goesTo: 'El panel debe ir en',
    here: 'El panel está en el propio grupo o canal.',
    off: 'Aquí no hay panel.',
    start: 'Publícalo con /gate panel canal:#roles.',
    lasts: 'Sigue los cambios de las reglas en uno o dos minutos. Si borras el mensaje, no vuelve.',
    offButton: 'Retirarlo',
    againButton: 'Publicarlo otra vez',
    waiting: 'Se está publicando.',
    deleted:
      'Se ha borrado el mensaje del panel. /gate panel estado:activada lo vuelve a publicar.',
    lost: 'La plataforma no respondió al publicar el panel. Si está, bórralo y vuelve a publicarlo con /gate panel estado:activada.',
    leftIn:
      'No se ha podido borrar el mensaje de un panel anterior, porque ese canal está cerrado para el bot. Se borrará cuando el canal vuelva a estar abierto para él; o bórralo a mano. Está en',
    leftHere:
      'No se ha podido borrar el mensaje de un panel anterior. Se borrará cuando el bot tenga el permiso de borrar mensajes; o bórralo a mano.',
    refused: 'No se ha podido publicar o actualizar el panel.',
  },
};
