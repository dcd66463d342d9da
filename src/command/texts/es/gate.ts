import type { GateErrorCode } from '#base';
import type { GateMembersTexts, GateTexts, GateWalletsTexts } from '#command/texts/en/gate';
import { esGateBlockers } from './gate-blockers.ts';
import { esGateRuns, esGateWhy } from './gate-runs.ts';
import { esGateSetup } from './gate-setup.ts';

/** What moderators can't do, and why, in Spanish. */
const esGateErrors = {
  'gate-not-here':
    'Esto es de una comunidad: úsalo en un servidor o en un grupo, o sobre un canal.',
  'gate-not-allowed':
    'Solo pueden hacerlo los moderadores: con «Gestionar roles» en un servidor o con permiso para invitar en un grupo o canal.',
  'gate-bot-away':
    'El bot no está en este servidor, solo sus comandos, así que no puede ver si alguno de tus roles tiene «Gestionar roles». Quien pueda gestionar el servidor puede usar esto e invitar de nuevo al bot.',
  'gate-limit': 'Esta comunidad ya tiene el máximo de reglas. Elimina una antes.',
  'gate-unknown-rule':
    'Aquí no existe la regla «{}». /gate list muestra las reglas y sus identificadores.',
  'gate-rule-by-name':
    'Una regla se indica por su identificador, no por lo que da. Para «{}» es {}. /gate list muestra las reglas y sus identificadores.',
  'gate-unknown-badge':
    'No hay ninguna insignia con ese identificador: es su nombre en minúsculas y con guiones. /badges de una cartera muestra las que hay.',
  'gate-no-member': 'No es miembro de esta comunidad. Solo se puede proteger a quien lo es.',
  'gate-unknown-account':
    'La plataforma no le dice al bot de quién es ese identificador. Compruébalo, o responde a un mensaje suyo.',
  'gate-empty-rule':
    'Elige qué necesitan los miembros: un nivel, una puntuación, una insignia o un puesto entre los N primeros.',
  'gate-impossible':
    'Nadie puede cumplirla: el límite superior excluye a todos los que tienen lo que pide la regla. Sube «debajo» o «máximo», o baja el requisito.',
  'gate-same-rule':
    'La regla {} ya pide lo mismo, así que no se ha añadido nada. Para cambiar cómo lo hace, como su plazo de gracia, usa /gate edit con su identificador.',
  'gate-same-edit':
    'Eso no cambia nada: la regla {} ya es así. /help gate muestra qué se puede cambiar.',
  'gate-roles-only':
    'Una escalera se compone de roles, y en Telegram no los hay. Funciona en servidores de Discord.',
  'gate-expired':
    'Esta pregunta tiene más de 24 horas, así que no se ha quitado nada. Si sigue siendo el caso, la próxima ejecución preguntará de nuevo.',
  'gate-never-granted':
    'Ninguna regla puede dar {}. Para vetar a ese miembro de todo aquí, no indiques el rol.',
  'gate-decided-since':
    'Desde que lo pediste, alguien ha decidido sobre esto, y eso es lo que vale. /gate log muestra qué; escríbelo otra vez si aún lo quieres.',
  'gate-not-barred': 'No tiene ese veto aquí. /gate list muestra quién está vetado.',
  'gate-role-above':
    'El rol «{}» no está por debajo de tu rol más alto, así que tampoco podrías darlo a mano, y no ha cambiado nada. Pídeselo a alguien con un rol más alto.',
  'gate-roles-above':
    'Esto afecta a todos los roles que dan las reglas aquí, también a «{}», que no está por debajo de tu rol más alto; por eso no ha cambiado nada. Pídeselo a alguien con un rol más alto.',
  'gate-bar-above':
    'Esto afecta a todos los roles que dan las reglas aquí, también a «{}», que no está por debajo de tu rol más alto; por eso no se ha vetado a nadie. Veta un solo rol que esté por debajo del tuyo, o pídeselo a alguien con un rol más alto.',
  'gate-role-gone':
    'El veto es de un rol eliminado, o viene de uno («{}»), y nadie puede saber si estaba por debajo del tuyo; por eso no ha cambiado nada. Pídeselo a alguien que pueda gestionar el servidor.',
  'gate-banned':
    'Está suspendido aquí y tú tampoco tienes permiso para levantarlo en Telegram; por eso no ha cambiado nada. Pídeselo a un administrador con el permiso «Suspender usuarios».',
  'gate-nothing': 'Ya no hay nada pendiente de respuesta. /gate list muestra el estado actual.',
} satisfies Record<GateErrorCode, string>;

const esGateMembers: GateMembersTexts = {
  warningTitle: 'Puede que pierdas el acceso pronto',
  warning: (grant) =>
    `Tus carteras vinculadas ya no cumplen los requisitos de «${grant}». Si no cambia, lo perderás después del`,
  elsewhere: 'En otro servidor',
  warningNext:
    '/wallets muestra tus carteras vinculadas; con /link puedes añadir en cualquier momento una que los cumpla.',
  linkTitle: 'Enlace de invitación',
  linkAbout:
    'Quien abre este enlace solicita entrar, y las reglas admiten a quien cumple los requisitos. No cambia hasta que lo renueves o un administrador lo revoque.',
  linkRenewed: 'Este es el enlace nuevo. El anterior ya no funciona.',
  linkNone:
    'No hay enlace. En un grupo o canal de Telegram, el bot necesita el permiso «Invitar con un enlace» para crearlo; los roles de Discord no lo necesitan.',
  linkKept:
    'El bot no puede crear un enlace ahora, pues le falta el permiso «Invitar con un enlace». El que creó antes no ha cambiado: con él se puede solicitar entrar hasta que un administrador lo revoque.',
  linkRenew: 'Enlace nuevo',
  joinTitle: (name) => (name === undefined ? 'Has pedido entrar' : `Has pedido entrar en ${name}`),
  joinAdmitted: 'Tu cartera cumple los requisitos: ya estás dentro.',
  joinLacks: (needs) => `Para entrar hace falta: ${needs}.`,
  joinNoWallet:
    'Aún no has vinculado ninguna cartera. Escribe aquí /link y demuestra que una es tuya: si cumple los requisitos, entrarás automáticamente.',
  joinLink:
    'Tu solicitud sigue abierta. Si tu cartera cumple los requisitos más adelante, o añades otra que los cumpla con /link, entrarás automáticamente.',
  joinPaused:
    'Ahora mismo el bot no admite miembros automáticamente. Tu solicitud sigue abierta y la revisaremos cuando vuelva a hacerlo.',
  waitingToJoin: (count) => `Esperan para entrar: ${count}.`,
  joinBarred:
    'Los moderadores han decidido no admitirte. Solo ellos pueden cambiarlo; habla con uno.',
  joinRefused:
    'Cumples los requisitos, pero Telegram no ha permitido al bot dejarte entrar. Tu solicitud sigue abierta y lo intentaremos de nuevo.',
  joinBlocked: {
    'too-many-communities':
      'Cumples los requisitos, pero estás en tantos grupos y canales como permite Telegram. Sal de uno y envía /start aquí: se te admitirá.',
  },
  joinSilent:
    'Telegram no responde al bot ahora mismo. Tu solicitud sigue abierta y la revisaremos automáticamente.',
  joinUnknown:
    'Ahora mismo no hay datos disponibles. Tu solicitud sigue abierta y la revisaremos automáticamente.',
};

/** How several wallets of a member count, in Spanish. */
const esGateWallets: GateWalletsTexts = {
  walletsTitle: 'Varias carteras de un miembro',
  walletsBest:
    'Cada cartera cuenta por sí sola: una cartera debe cumplir todo lo que pide una regla.',
  walletsSum:
    'Las carteras se suman: el nivel, la puntuación y el puesto son los de todas las carteras vinculadas de un miembro juntas (en una regla sobre una cadena, las de esa cadena), y cuenta una insignia de cualquiera de ellas.',
  walletsNext:
    'Aún no ha cambiado nada. La próxima ejecución concede según la suma; /gate preview muestra a quién.',
  walletsEnded:
    'Aún no ha cambiado nada. Quien solo cumplía por la suma lo pierde según las reglas de siempre: tres lecturas, un plazo y, si son muchos, una pregunta. /gate preview los cuenta.',
  walletsLinkedRoles:
    'Los roles vinculados no son de ningún servidor: siempre se rigen por la mejor cartera.',
  walletsSumButton: 'Sumar las carteras',
  walletsBestButton: 'Contar cada una por sí sola',
  walletModes: { best: 'cada una por sí sola', sum: 'sumadas' },
};

export const esGate: GateTexts = {
  gateCommand: {
    about:
      'Moderación: quién recibe un rol o puede entrar, por nivel, puntuación, insignia o puesto',
    example: '/gate list',
    options: {
      action: 'Qué hacer',
      role: 'El rol que reciben los miembros',
      tier: 'Nivel mínimo',
      score: 'Puntuación mínima',
      top: 'Los miembros deben estar entre los N primeros',
      below: 'Solo miembros por debajo de este nivel',
      most: 'Solo miembros con esta puntuación como máximo',
      chain: 'Solo cuentan las carteras de esta cadena',
      match: 'Si una cartera debe cumplir todos los requisitos o basta con uno',
      exclusive: 'También se quita a quienes lo obtuvieron de otra forma',
      hidden: 'No mostrarla a los miembros en /access',
      grace: 'Horas entre el aviso y la retirada; 24 por defecto',
      page: 'Qué página mostrar',
      switch: 'Si está activada',
      language: 'El idioma, o auto para el de cada lector',
      count: 'Cómo cuentan varias carteras de un miembro',
      answer: 'Sin ella se muestra antes qué se crearía; o deshaz la última configuración',
      member: 'El miembro; en Telegram, un @nombre, o responde a un mensaje suyo',
      channel: 'El canal; en Telegram los informes llegan a tu chat privado',
      rule: 'El identificador de la regla, tal como aparece en la lista',
      badge: 'El nombre o el identificador de la insignia que hace falta',
      from: 'El nivel más bajo que se anuncia; Ballena por defecto',
      badges: 'Anunciar las insignias desde esta rareza; ninguna por defecto',
      digest: 'Si se cuenta la semana los lunes',
      panel: 'El canal donde los miembros ven las reglas en palabras, con botones',
    },
  },

  gate: {
    // Each in one word, so that it can be typed in Telegram too.
    actions: {
      add: 'añadir',
      list: 'lista',
      edit: 'editar',
      remove: 'eliminar',
      pause: 'pausar',
      resume: 'reanudar',
      preview: 'previsualizar',
      run: 'ejecutar',
      stop: 'detener',
      undo: 'deshacer',
      why: 'motivo',
      log: 'historial',
      protect: 'proteger',
      unprotect: 'desproteger',
      bar: 'vetar',
      unbar: 'desvetar',
      channel: 'canal',
      setup: 'configurar',
      ladder: 'escalera',
      language: 'idioma',
      wallets: 'carteras',
      link: 'enlace',
      renew: 'renovar',
      confirm: 'confirmar',
      accept: 'aceptar',
      announce: 'anunciar',
      panel: 'panel',
      digest: 'resumen',
    },
    abouts: {
      add: 'Una regla nueva: quién recibe un rol aquí',
      list: 'Las reglas de esta comunidad y su estado',
      edit: 'Cambia una regla; lo que no indiques sigue igual, y «ninguno» retira un requisito',
      remove: 'Elimina una regla; las otras reglas de su rol siguen vigentes',
      pause: 'Pone una regla en pausa',
      resume: 'Reanuda una regla en pausa',
      preview: 'Quién ganaría o perdería el acceso ahora, y por qué; no cambia nada',
      run: 'Aplica las reglas ya, sin esperar a la próxima ronda',
      stop: 'Detiene la ejecución en curso antes de su próximo cambio',
      undo: 'Detiene la última ejecución y deja como estaba todo lo que cambió',
      why: 'Por qué un miembro tiene o no lo que concede una regla',
      log: 'Qué se ha cambiado aquí, cuándo y quién lo hizo',
      protect: 'Protege a un miembro: nunca se le quita nada',
      unprotect: 'Quita la protección de un miembro',
      bar: 'No conceder nunca a un miembro un rol, o nada de aquí',
      unbar: 'Levanta el veto de un miembro',
      channel: 'Adónde van los informes y las preguntas; si no lo indicas, a ninguna parte',
      setup: 'Crea un rol y una regla por nivel; antes muestra qué haría',
      ladder: 'Da solo el rol de nivel más alto, o todos los que correspondan',
      language: 'El idioma de lo que todos leen aquí; las respuestas privadas siguen al lector',
      wallets: 'Si las carteras de un miembro se suman; por defecto una debe cumplir todo',
      link: 'El enlace para solicitar la entrada; si se revocó, lo renueva',
      renew: 'Anula ese enlace y crea otro',
      confirm: 'Permite que una ejecución retenida quite el acceso',
      accept: 'Acepta los datos nuevos aunque parezcan erróneos',
      announce: 'Cuenta a todos quién sube de nivel o consigue una insignia rara',
      panel: 'Mantiene aquí un mensaje con las reglas y botones para los miembros',
      digest:
        'Cuenta cada lunes la semana donde van los anuncios: subidas, insignias raras y niveles',
    },
    match: { all: 'todo', any: 'cualquiera' },
    yesNo: { yes: 'sí', no: 'no' },
    onOff: { on: 'activada', off: 'desactivada' },
    languages: { en: 'inglés', es: 'español', auto: 'automático' },
    languageTitle: 'Idioma',
    languageAuto:
      'Cada cual recibe las respuestas en su idioma. Los informes están en el de esta comunidad si la plataforma lo sabe; si no, en inglés.',
    languageSet: (language) =>
      `Las respuestas públicas, los informes y las preguntas de aquí están en ${language}. Las respuestas privadas siguen al lector.`,
    ladderTitle: 'Escalera de roles de nivel',
    ladderOn:
      'La escalera está activada: de los roles que las reglas dan solo por un nivel, los miembros tienen el más alto.',
    ladderOff:
      'La escalera está desactivada: los miembros reciben todos los roles que les corresponden.',
    ladderNext:
      'Aún no ha cambiado nada. La próxima ejecución quita los roles inferiores a quienes tienen uno superior, sin plazo y sin preguntar; /gate preview los cuenta. Los roles que dio otra persona se quedan.',
    ladderEnded:
      'Aún no ha cambiado nada. La próxima ejecución da a los miembros todos los roles que les corresponden.',
    joinsLadder:
      'Su rol forma parte ahora de la escalera: quien tiene uno superior no recibe los inferiores, y la próxima ejecución se los quita.',
    leavesLadder:
      'Su rol ya no forma parte de la escalera, que es de los roles que las reglas dan solo por un nivel: los miembros lo tienen además del rol de nivel que les corresponde.',
    ladderOnButton: 'Activarla',
    ladderOffButton: 'Desactivarla',

    listTitle: 'Reglas de esta comunidad',
    none: 'Aún no hay ninguna regla.',
    noneNextRole: 'Por ejemplo: /gate add, con un rol y el nivel que necesitan los miembros.',
    noneNextEntry:
      'Por ejemplo: /gate add tier:whale, para que solo puedan entrar Ballenas y Titanes.',
    entry: 'Entrada',
    tier: (tier) => `${tier} o superior`,
    orMore: 'o más',
    score: (_, shown) => `una puntuación de ${shown} o más`,
    badge: (badge) => `la insignia ${badge}`,
    top: (count) => `el puesto ${count} o mejor`,
    but: ', pero ',
    below: (tier) => `por debajo de ${tier}`,
    most: (_, shown) => `con una puntuación de ${shown} como máximo`,
    on: (chain) => `en ${chain}`,
    and: 'y',
    or: 'o',
    noNeed: 'ninguno',
    anyChain: 'cualquier cadena',
    grace: (hours) => `${hours} h de plazo`,
    noGrace: 'sin plazo',
    exclusive: 'también se quita a quienes lo obtuvieron de otra forma',
    isHidden: 'no se muestra a los miembros',
    logTo: 'Los informes van a',
    noLog: 'Los informes no van a ninguna parte: con /gate channel eliges adónde.',
    heldNow: (count) =>
      `Una ejecución espera tu respuesta. Miembros que perderían el acceso: ${count}.`,
    lookingNow: (looked, all) =>
      `Una ejecución está buscando miembros. Cuentas con carteras vinculadas, hasta ahora: ${looked} de ${all}.`,
    runningNow: (done, planned) =>
      `Hay una ejecución en marcha. Cambios hechos: ${done} de ${planned}.`,
    paused: {
      moderator: 'en pausa; /gate resume la reanuda',
      undo: 'en pausa, porque se deshizo su última ejecución; /gate resume la reanuda',
      'no-role': 'en pausa: el rol ya no existe',
      'no-community': 'en pausa, porque el bot se había ido o lo quitaron; /gate run la reanuda',
      'not-allowed':
        'en pausa, porque la plataforma no se lo permitió al bot; /gate run lo reintenta',
      'invalid-role': 'en pausa: este rol no se puede dar a nadie',
      'needs-2fa':
        'en pausa: el propietario del bot necesita aquí la autenticación en dos pasos; cuando la active, /gate run reanuda la regla',
      'community-full': 'en pausa, porque esta comunidad estaba llena; /gate run lo reintenta',
    },

    addedTitle: 'Regla añadida',
    changedTitle: 'Regla cambiada',
    addedNext:
      'Aún no ha cambiado nada. Mira en la vista previa quién ganaría el acceso y después ejecútala; también se ejecuta automáticamente cada pocos minutos.',
    changedPaused: 'La regla sigue en pausa, así que no da ni quita nada; /gate resume la reanuda.',
    addedNextEntry:
      'Desde ahora el bot responde a las solicitudes de entrada. Invita con este enlace, que crea una solicitud:',
    addedNextNoLink:
      'Desde ahora el bot responde a las solicitudes de entrada. No pudo crear un enlace para solicitar la entrada; /gate enlace lo intenta de nuevo.',
    removedTitle: 'Regla eliminada',
    removedAbout:
      'Lo que concedió se mantiene, salvo que quede otra regla para el mismo rol: entonces esa regla decide quién lo conserva.',
    pausedTitle: 'Regla en pausa',
    pausedAbout:
      'No concede ni quita nada hasta que la reanudes. Las otras reglas del mismo rol siguen vigentes; quien cumple esta conserva lo que tiene.',
    resumedTitle: 'Regla reanudada',
    protectedTitle: 'Protección activada',
    protectedAbout: 'A este miembro no se le quita nada, digan lo que digan las reglas.',
    unprotectedTitle: 'Protección desactivada',
    unprotectedAbout: 'Las reglas vuelven a aplicarse a este miembro.',
    soAlready: 'Ya era así: no ha cambiado nada.',
    barredTitle: 'Vetado',
    noBans:
      'El bot no banea ni expulsa a nadie: hazlo en el propio chat. «/gate bar» con un miembro hace que las reglas no le concedan nada aquí; lo que tiene, lo conserva.',
    noReasons: (command) => `Los motivos no se guardan. Envía solo: ${command}`,
    barredAboutRole:
      'Las reglas nunca se lo conceden a este miembro, aunque desvincule carteras, se vaya y vuelva, o cumpla de nuevo los requisitos. Lo que tiene, lo conserva: quítaselo a mano. Para levantar el veto: /gate unbar, o dale el rol a mano.',
    barredAboutAll:
      'Las reglas nunca le conceden nada de aquí a este miembro, aunque desvincule carteras, se vaya y vuelva, o cumpla de nuevo los requisitos. Lo que tiene, lo conserva: quítaselo a mano. Para levantar el veto: /gate unbar; darle un rol a mano no lo levanta.',
    barredAboutEntry:
      'Las reglas nunca admiten a este miembro, aunque vincule otra cartera o lo solicite otra vez. Si está dentro, se queda: expúlsalo a mano. Para levantar el veto: /gate unbar; admitirlo a mano no lo levanta.',
    unbarredTitle: 'Veto levantado',
    unbarredAbout: 'Las reglas vuelven a aplicarse a este miembro.',
    unbarredInPart: 'Ese veto ya no está; quedan estos.',
    barredHere: 'Vetos',
    stillBarred:
      'Las reglas no se lo dan a estos miembros: tienen un veto sobre él, o lo tenían sobre un rol eliminado que se llamaba así. Para levantarlo: /gate unbar.',
    barredSince: 'desde el',
    byHand: 'quitado a mano',
    isBarred: 'vetado por un moderador',
    everything: 'todo lo de aquí',
    channelTitle: 'Informes',
    channelGreeting: 'Desde ahora, los informes y las preguntas llegan aquí.',
    channelSet: 'Desde ahora, los informes y las preguntas llegan a',
    channelPrivate:
      'Desde ahora, los informes y las preguntas llegan a tu chat privado con el bot.',
    channelOff: 'Dejar de informar',
    channelNone:
      'Desde ahora, los informes no van a ninguna parte. Las preguntas llegan adonde el bot pueda alcanzar a un moderador, y /gate list las muestra.',
    channelFailed: {
      'channel-closed':
        'El bot no puede escribir ahí. Permítele ver el canal, enviar mensajes e insertar enlaces, e inténtalo de nuevo.',
      'chat-closed': 'El bot no puede escribir ahí. Dale derecho a publicar e inténtalo otra vez.',
      'channel-gone': 'Ese canal ya no existe, o no admite mensajes.',
      'private-closed':
        'El bot no puede escribirte. Abre nuestro chat privado, pulsa Iniciar, desbloquea al bot si lo bloqueaste, e inténtalo de nuevo.',
      'not-in-charge':
        'Los informes solo van a administradores con el derecho «Invitar con un enlace», y ahora no lo tienes.',
    },
    chooseAnother: 'Elige otro.',
    chooseAnotherWith: (command) => `Elige otro con ${command}.`,
    postRefused: (code) =>
      `La plataforma rechaza el mensaje con el código ${code}. El motivo está en el registro del operador.`,
    cantTitle: 'Esta regla aún no puede funcionar',
    roleGone:
      'Ese rol ya no existe. /gate remove quita la regla y /gate add crea una para otro rol.',
    mendedNext: 'Cuando esté arreglado, /gate run reanuda lo que estaba en pausa.',
    nobodyNow:
      'Nadie puede tenerlo ahora: con los niveles de hoy, el límite excluye a todos los que tienen lo que pide la regla. Sube «debajo» o «máximo», o baja el requisito, con /gate edit.',
    badgeUnchecked: (badge) =>
      `«${badge}» cuenta como el identificador de una insignia. Aquí no hay lista de insignias, así que no se puede saber si existe: compáralo con /badges.`,

    ...{ ...esGateBlockers, ...esGateRuns, ...esGateSetup, ...esGateWallets },
    ...esGateWhy,
    ...esGateMembers,
  },

  gateErrors: esGateErrors,
};
