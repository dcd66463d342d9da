import type { UserError, UserErrorCode } from '#base';
import type { Texts } from '#command/texts/en/index';
import { formatsOf, sentenceFor } from '#command/texts/phrasing';
import { esAccess } from './access.ts';
import { esBoards } from './boards.ts';
import { esCard, esCommands } from './commands.ts';
import { esGate } from './gate.ts';
import { esLinks, esRoles } from './links.ts';
import { esAnnounce, esDigest, esPanel } from './posts.ts';
import { esRules, esWhy } from './rules.ts';

const errorOf: Partial<Record<UserErrorCode, string>> = {
  ...esLinks.linkErrors,
  ...esGate.gateErrors,
  ...esCard.cardErrors,
  'invalid-address':
    'Esto no es una dirección válida. Cópiala de nuevo entera: Ethereum (0x y 40 cifras hexadecimales), Solana (de 32 a 44 caracteres, con sus mayúsculas y minúsculas) o Algorand (58 caracteres).',
  'chain-mismatch':
    'Esta dirección no es de la cadena que has indicado. No indiques la cadena: la deducimos de la dirección.',
  'wallet-not-found':
    'No conocemos ninguna actividad de esta cartera. Comprueba cada carácter o prueba con otra.',
  'route-not-found':
    'Este servicio lee sus datos de otro, que no puede decir de dónde vienen las puntuaciones.',
  'key-limit': 'Ya tienes el máximo de claves. Revoca una antes: /apikey revoke las muestra.',
  'key-not-found':
    'No tienes ninguna clave con el identificador «{}». /apikey list muestra tus claves.',
  'name-malformed':
    '«{}» no es un nombre válido de {}: tiene caracteres no permitidos, por ejemplo invisibles o letras parecidas de dos alfabetos. Cópialo de nuevo o escribe la dirección.',
  'name-not-found':
    '«{}» no lleva a ninguna cartera, según {}. Comprueba cada carácter o escribe la dirección.',
  'name-unsupported':
    'Aquí ninguna cartera se llama «{}», y los nombres que terminan en {} no se buscan. Escribe la dirección.',
  'name-renamed':
    'Los nombres de SNS terminan ahora en {}. Si te refieres a «{}», escribe ese nombre o la dirección.',
  'name-unchecked':
    'Ahora mismo no podemos consultar en {} el nombre «{}». Inténtalo de nuevo en un minuto o escribe la dirección.',
};

/** All texts of the chats, in Spanish. */
export const es: Texts = {
  ...formatsOf('es'),
  ...esLinks,
  ...esGate,
  ...esCard,
  ...esRoles,
  ...esRules,
  ...esWhy,
  ...esAnnounce,
  ...esPanel,
  ...esDigest,
  language: 'es',

  chains: { ethereum: 'Ethereum', solana: 'Solana', algorand: 'Algorand' },
  allChains: 'Todas las cadenas',
  tiers: {
    Titan: 'Titán',
    Whale: 'Ballena',
    Shark: 'Tiburón',
    Dolphin: 'Delfín',
    Shrimp: 'Camarón',
  },
  rarities: {
    Common: 'Común',
    Uncommon: 'Poco común',
    Rare: 'Rara',
    Epic: 'Épica',
    Legendary: 'Legendaria',
  },
  activityTypes: {
    adjustment: 'ajuste',
    attestation: 'atestación',
    badge_copy_held: 'copia de insignia',
    badge_earned: 'insignia ganada',
    bridge_transfer: 'transferencia por puente',
    donation: 'donación',
    event_attended: 'asistencia a un evento',
    governance_vote: 'voto de gobernanza',
    holding_day: 'día de tenencia',
    liquidity_day: 'día de liquidez',
    liquidity_provided: 'liquidez aportada',
    name_day: 'día con un nombre',
    nft_day: 'día con un NFT',
    nft_mint: 'NFT acuñado',
    poap: 'POAP',
    program_use: 'uso de un programa',
    proposal_created: 'propuesta',
    staking_day: 'día de staking',
    swap: 'intercambio',
    transfer: 'transferencia',
  },
  ...esCommands,
  access: esAccess.access,

  buttons: {
    reputation: 'Reputación',
    badges: 'Insignias',
    activity: 'Actividad',
    why: '¿Por qué?',
    leaderboard: 'Clasificación',
    place: 'Ver clasificación',
    stats: 'Estadísticas',
    wallets: 'Mis carteras',
    privacy: 'Privacidad',
    help: 'Ayuda',
  },
  demoData: 'Datos de demostración: estas carteras son inventadas',
  dataAsOf: 'Datos del',
  lastUpdated: 'Última actualización:',
  staleAsOf: 'Datos del',
  staleWhy: 'pueden faltar datos más recientes',
  partial: 'Aún se están leyendo las cadenas: las puntuaciones están incompletas',
  page: (page, pages) => `Página ${page} de ${pages}`,
  points: (points, shown) => `${shown} ${points === 1 ? 'punto' : 'puntos'}`,

  empty: {
    reading: 'Aún se están leyendo las cadenas.',
    meanwhile: 'Las carteras, puntuaciones y puestos aparecen a medida que se leen los bloques.',
    about: 'Esta base de datos está vacía: todavía no se ha importado ninguna actividad.',
    next: 'El operador importa la actividad con',
    soon: 'Las carteras, puntuaciones y puestos aparecen en segundos; no hace falta reiniciar.',
  },

  neverSeen: {
    title: 'Sin actividad',
    about: 'No conocemos ninguna actividad de esta cartera, así que aún no tiene puntuación.',
    next: 'Comprueba cada carácter o prueba con otra cartera.',
  },

  rep: {
    score: 'Puntuación',
    rank: 'Puesto',
    chain: 'Cadena',
    rankOf: (rank, total) => `${rank} de ${total}`,
    top: (percent) => `en el ${percent} superior`,
    toNext: (points, shown, tier) => `${shown} ${points === 1 ? 'punto' : 'puntos'} para ${tier}`,
    highest: 'Nivel más alto',
    badges: (count) => `Insignias: ${count}`,
    more: (count) => `y ${count} más`,
    noBadges: 'Aún sin insignias',
    which: '¿Qué cartera?',
    registered: (service) => `Titular de este nombre en ${service}`,
    several: 'Varias carteras tienen este nombre. Elige una o escribe su dirección:',
    giveOne: 'Escribe una cartera:',
    forms: 'Valen direcciones de Ethereum, Solana y Algorand.',
    orLink: 'O vincula la tuya una vez con /link y ya no necesitarás ninguna dirección.',
    titleOf: (count) => `Carteras vinculadas: ${count}`,
    sumOf: (count) => `Suma de ${count} carteras vinculadas`,
    unseen: 'aún sin actividad',
  },

  picture: {
    point: 'punto',
    points: 'puntos',
    rank: (rank, total) => `N.º ${rank} de ${total}`,
    rankAlone: (rank) => `N.º ${rank}`,
    since: (date) => `desde ${date}`,
    stale: 'puede no estar al día',
    partial: 'incompleta',
    demo: 'datos inventados',
    alt: (name, tier, score, rank) =>
      `Tarjeta de ${name}: ${tier}, ${score} de puntuación, puesto ${rank}`,
    badges: (names) => `Insignias: ${names}`,
  },

  badges: {
    title: (wallet) => `Insignias de ${wallet}`,
    soulbound: 'ligada: no se puede transferir',
    none: 'Esta cartera aún no ha ganado ninguna insignia.',
    noneNext: 'Su actividad muestra de dónde salen sus puntos.',
  },

  activity: {
    title: (wallet) => `Actividad de ${wallet}`,
    total: (count, shown) => `${shown} ${count === 1 ? 'actividad' : 'actividades'}`,
    onlyNewest: (shown, total) =>
      `Estas son las ${shown} más recientes de ${total}; las anteriores no se muestran, pero cuentan.`,
  },

  top: esBoards.top,

  stats: {
    title: 'Estadísticas',
    wallets: 'Carteras',
    average: 'Puntuación media',
    badges: 'Insignias otorgadas',
    byChain: 'Carteras por cadena',
    byTier: 'Carteras por nivel',
  },

  apikey: {
    actions: { create: 'crear', list: 'lista', revoke: 'revocar' },
    title: 'Tus claves de API',
    none: 'Aún no tienes ninguna clave.',
    what: 'Las claves son gratis y suben el límite de peticiones de tus programas.',
    id: 'Identificador',
    label: 'Nombre',
    live: 'activa',
    revoked: 'revocada',
    more: (count) => `y ${count} más, revocadas antes`,
    unnamed: 'Creada en un chat',
    created: 'Tu nueva clave de API',
    once: 'Cópiala ahora: solo se muestra una vez y no la guardamos.',
    header: 'Envíala con cada petición, en esta cabecera:',
    place: 'tu clave',
    createButton: 'Crear una clave',
    revokeButton: 'Revocar una clave',
    listButton: 'Mis claves',
    revokeTitle: '¿Qué clave quieres revocar?',
    revokeAbout:
      'Los programas que la usan pierden al instante su límite más alto. No se puede deshacer.',
    revokeNone: 'No tienes ninguna clave activa que revocar.',
    revokeById: 'Para revocar una clave sin botón, escribe su identificador:',
    revokeOne: (label) => `Revocar ${label}`,
    revokedTitle: 'Clave revocada',
    revokedAbout: 'Ya no funciona. Puedes crear otra cuando quieras.',
  },

  help: {
    title: 'Fathom: ¿a qué profundidad llega una cartera?',
    about: 'Consulta cualquier cartera de Ethereum, Solana o Algorand:',
    safety: 'Para tu seguridad',
    safetyAbout: (host) =>
      `Nunca enviamos un enlace que no hayas pedido. Las carteras se vinculan en ${host} y en ningún otro sitio, después de que tú escribas /link. Firmar allí no mueve nada, y nadie necesita jamás tu frase semilla.`,
    example: 'Ejemplo:',
    options: 'Opciones',
    tiers: 'Niveles',
    from: (score) => `desde ${score}`,
    figures: 'Cómo funciona la puntuación',
    figuresAbout:
      'La puntuación es la suma de los puntos de las actividades de una cartera, nunca menos de 0. Su puesto es 1 más el número de carteras con más puntuación; a igual puntuación, igual puesto. Los chats, la API y la página web muestran los mismos datos.',
  },

  chat: {
    sentPrivately: 'Esta respuesta solo la ves tú: está en nuestro chat privado.',
    startFirst:
      'Esta respuesta es solo para ti, así que no podemos mostrarla aquí. Abre nuestro chat privado y pulsa Iniciar.',
    closedHere:
      'El bot no puede escribir donde enviaste el comando. Abre nuestro chat privado, pulsa Iniciar y envíalo de nuevo.',
    forwardedCommand:
      'Un comando de moderación reenviado no se ejecuta, pues lo escribió otra persona. Escríbelo tú.',
    writeAsYourself:
      'Esta respuesta es solo para ti, pero enviaste el comando en nombre de un canal. Envíalo de nuevo con tu propio nombre.',
    forChannel:
      'Para un canal, reenvía una de sus publicaciones a nuestro chat privado y responde a ella con el comando.',
    channelGreeting:
      'Ya soy administrador de este canal. Responde a este mensaje con, por ejemplo, /gate add tier:whale, y te enviaré un enlace que deja entrar a quienes cumplan la regla.',
    anonymous:
      'Esta respuesta es solo para un administrador. Pulsa el botón y llegará a tu chat privado; el grupo no verá quién lo ha pulsado.',
    anonymousButton: 'Soy administrador',
    anonymousLate: 'Esta pregunta es demasiado antigua. Envía el comando otra vez.',
    anonymousTaken:
      'Alguien ya lo ha pulsado. Si no te ha llegado respuesta, envía otra vez el comando.',
    standIns: {
      anonymous: 'un administrador anónimo',
      channel: 'un canal',
      telegram: 'el propio Telegram',
    },
    crowd: 'Han llegado muchos comandos a la vez; aquí van respuestas breves:',
    crowdMissed: (count) => `Sin responder: ${count} más. Inténtalo de nuevo en un minuto.`,
    wordless: 'Solo leemos texto y pies de foto. /help muestra qué puedes preguntar.',
    whom: '¿A quién te refieres?',
    whomAbout: 'Ese mensaje trata de varias personas. Elige una:',
    unknownMember: (name) =>
      `Aún no hemos visto aquí a ${name}. Responde a un mensaje suyo, elige su nombre en la lista que aparece al escribir @ o escribe su identificador.`,
    openPrivate: 'Abrir el chat privado',
    howTo: 'Cómo usarlo',
    maybeDoneTitle: 'Puede que ya esté hecho',
    maybeDone:
      'Algo nos interrumpió a mitad, así que no sabemos hasta dónde llegamos. No lo hemos repetido. Compruébalo antes de volver a intentarlo:',
  },

  errors: {
    title: 'No ha funcionado',
    notYours: 'Solo quien usó este comando puede usar sus botones. Úsalo tú y tendrás los tuyos.',
    oldButton:
      'Este botón es de una versión anterior. Usa el comando de nuevo y tendrás botones nuevos.',
    unknownCommand: (word, meant) =>
      `Comando desconocido: /${word}.${meant === undefined ? '' : ` ¿Querías decir /${meant}?`} /help muestra todos los comandos.`,
    missing: (option, command) =>
      `Falta: ${option}. Escríbelo después del comando; /help ${command} muestra sus opciones.`,
    missingMember: (option) =>
      `Falta: ${option}. Escribe después del comando un @nombre o un identificador, o responde a un mensaje suyo. Un aviso, un mensaje anónimo o una publicación no dicen a quién te refieres.`,
    missingChoice: (option, choices) =>
      `Falta: ${option}. Escribe después del comando una de estas opciones: ${choices}.`,
    noValue: (option) => `${option}: falta el valor. Escríbelo justo después de los dos puntos.`,
    givenTwice: (option, word) =>
      `Has indicado ${option} dos veces; la segunda es «${word}». Escribe solo un valor.`,
    whichNumber: (word, examples) =>
      `«${word}» puede significar varias cosas. Di cuál: ${examples}.`,
    unexpected: (word, command, meant) =>
      meant === undefined
        ? `/${command} no admite «${word}». /help ${command} muestra sus opciones.`
        : `/${command} no admite «${word}». ¿Querías decir «${meant}»?`,
    ofOthers: (word, action, command) =>
      `/${action} no admite «${word}», que es de otras acciones. /help ${command} muestra todas las opciones.`,
    unknownName: (name) =>
      `Ninguna cartera se llama «${name}», y no es una dirección. Escribe una dirección, o un nombre tal como aparece en /top. /help muestra todos los comandos.`,
    notAChoice: (option, choices, word, meant) =>
      `${option}: elige una de estas opciones: ${choices}; «${word}» no lo es.${meant === undefined ? '' : ` ¿Querías decir «${meant}»?`}`,
    notInRange: (option, least, most, word) =>
      `${option}: escribe un número entero de ${least} a ${most}, no «${word}».`,
    notHours: (option, least, most, word) =>
      `${option}: escribe las horas como número entero de ${least} a ${most}, por ejemplo «48» o «2 días», no «${word}».`,
    notAMember: (option, word) =>
      `${option}: no sabemos quién o qué es «${word}». Elige de la lista que ofrece el chat, escribe un @usuario o un identificador, o responde a un mensaje suyo.`,
    memberAsWallet: (option, word) =>
      `«${word}» es el nombre de un miembro, no de una cartera. Escríbelo en la opción «${option}» y elige al miembro en la lista que ofrece el chat.`,
    unknownBadge: (word, known, meant) =>
      meant === undefined
        ? `«${word}» no es una opción aquí, y ninguna insignia se llama así. Opciones: ${known}. /badges muestra las de una cartera.`
        : `Ninguna insignia se llama «${word}». ¿Querías decir «${meant}»?`,
    severalBadges: (word, ids) =>
      `Varias insignias se llaman «${word}». Escribe el identificador de una: ${ids}.`,
    tooLong: (option, longest, word) =>
      `${option}: «${word}» es demasiado largo. Usa como máximo ${longest} caracteres.`,
    notUsable: (word, sentence) => `«${word}»: ${sentence}`,
    of: (error: UserError): string => sentenceFor(errorOf, error) ?? error.message,
    unavailable: (seconds) =>
      `Ahora mismo no hay datos disponibles. Inténtalo de nuevo en ${seconds === 1 ? 'un segundo' : `${seconds} segundos`}.`,
    platformSilent: (platform, seconds) =>
      `${platform} no responde al bot ahora mismo. Inténtalo de nuevo en ${seconds === 1 ? 'un segundo' : `${seconds} segundos`}.`,
    platformRefused: (platform, code, seconds) =>
      `${platform} no ha querido decírselo al bot, con el código ${code}, por un motivo que no conocemos. Inténtalo de nuevo en ${seconds === 1 ? 'un segundo' : `${seconds} segundos`}.`,
    busy: (seconds) =>
      `El bot sigue trabajando en lo mismo. Inténtalo de nuevo en ${seconds === 1 ? 'un segundo' : `${seconds} segundos`}.`,
    bug: 'Algo ha fallado por nuestra parte y lo hemos registrado. Inténtalo de nuevo más tarde.',
  },
};
