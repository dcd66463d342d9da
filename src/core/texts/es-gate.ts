import { esGateErrors } from '#core/texts/es-gate-errors';
import type { GateTexts } from './en-gate.ts';

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
      chain: 'Solo cuentan las carteras de esta cadena',
      match: 'Si una cartera debe cumplir todos los requisitos o basta con uno',
      exclusive: 'También se quita a quienes lo obtuvieron de otra forma',
      grace: 'Horas entre el aviso y la retirada; 24 por defecto',
      page: 'Qué página mostrar',
      member: 'El miembro; en Telegram, un @nombre, o responde a un mensaje suyo',
      channel: 'El canal; en Telegram los informes llegan a tu chat privado',
      rule: 'El identificador de la regla, tal como aparece en la lista',
      badge: 'El nombre o el identificador de la insignia que hace falta',
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
      unbar: 'levantar veto',
      channel: 'canal',
      confirm: 'confirmar',
      accept: 'aceptar',
    },
    abouts: {
      add: 'Una regla nueva: quién recibe un rol aquí',
      list: 'Las reglas de esta comunidad y su estado',
      edit: 'Cambia una regla; lo que no indiques queda como estaba',
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
      confirm: 'Permite que una ejecución retenida quite el acceso',
      accept: 'Acepta los datos nuevos aunque parezcan erróneos',
    },
    match: { all: 'todo', any: 'cualquiera' },
    yesNo: { yes: 'sí', no: 'no' },

    listTitle: 'Reglas de esta comunidad',
    none: 'Aún no hay ninguna regla.',
    noneNextRole: 'Por ejemplo: /gate add, con un rol y el nivel que necesitan los miembros.',
    noneNextEntry:
      'Por ejemplo: /gate add tier:whale, para que solo puedan entrar Ballenas y Titanes.',
    entry: 'Entrada a este grupo',
    tier: (tier) => `${tier} o superior`,
    score: (score) => `una puntuación de ${score} o más`,
    badge: (badge) => `la insignia ${badge}`,
    top: (count) => `el puesto ${count} o mejor`,
    on: (chain) => `en ${chain}`,
    and: 'y',
    or: 'o',
    grace: (hours) => `${hours} h de plazo`,
    noGrace: 'sin plazo',
    exclusive: 'también se quita a quienes lo obtuvieron de otra forma',
    logTo: 'Los informes van a',
    noLog: 'Los informes no van a ninguna parte: con /gate channel eliges adónde.',
    heldNow: (count) =>
      `Una ejecución espera tu respuesta. Miembros que perderían el acceso: ${count}.`,
    lookingNow: (looked, all) =>
      `Una ejecución está buscando miembros: ${looked} de ${all} cuentas con carteras vinculadas.`,
    runningNow: (done, planned) =>
      `Hay una ejecución en marcha: ${done} de ${planned} cambios hechos.`,
    paused: {
      moderator: 'en pausa',
      undo: 'en pausa: se deshizo su última ejecución',
      'no-role': 'en pausa: el rol ya no existe',
      'no-community': 'en pausa: el bot ya no está aquí',
      'not-allowed': 'en pausa: la plataforma no se lo permite al bot',
      'invalid-role': 'en pausa: este rol no se puede dar a nadie',
      'needs-2fa': 'en pausa: el propietario del bot necesita aquí la autenticación en dos pasos',
      'community-full': 'en pausa: esta comunidad está llena',
    },

    addedTitle: 'Regla añadida',
    changedTitle: 'Regla cambiada',
    addedNext:
      'Aún no ha cambiado nada. Mira en la vista previa quién ganaría el acceso y después ejecútala; también se ejecuta automáticamente cada pocos minutos.',
    addedNextEntry:
      'Desde ahora el bot responde a las solicitudes de entrada. Invita con este enlace, que crea una solicitud:',
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
    barredTitle: 'Vetado',
    barredAboutRole:
      'Las reglas nunca se lo conceden a este miembro, aunque desvincule carteras, se vaya y vuelva, o cumpla de nuevo los requisitos. Lo que tiene, lo conserva: quítaselo a mano. Para levantar el veto: /gate unbar, o dale el rol a mano.',
    barredAboutEntry:
      'Las reglas nunca admiten a este miembro, aunque vincule otra cartera o lo solicite otra vez. Si está en el grupo, se queda: expúlsalo a mano. Para levantar el veto: /gate unbar, o admítelo a mano.',
    unbarredTitle: 'Veto levantado',
    unbarredAbout: 'Las reglas vuelven a aplicarse a este miembro.',
    barredHere: 'Miembros vetados',
    barredSince: 'desde el',
    byHand: 'quitado a mano',
    isBarred: 'vetado por un moderador',
    everything: 'todo lo de aquí',
    channelTitle: 'Informes',
    channelSet: 'Desde ahora, los informes y las preguntas llegan ahí.',
    channelNone:
      'Desde ahora, los informes no van a ninguna parte. Las preguntas llegan adonde el bot pueda alcanzar a un moderador, y /gate list las muestra.',
    channelFailed:
      'El bot no puede escribir ahí. Permítele ver ese canal, enviar mensajes e insertar enlaces, e inténtalo de nuevo.',
    cantTitle: 'Esta regla aún no puede funcionar',
    obstacles: {
      'no-community':
        'El bot no es miembro de este servidor o grupo. Invítalo primero; el README explica cómo.',
      'no-role': 'Ese rol ya no existe. Elige otro.',
      'managed-role':
        'Este rol es de una integración o de todo el mundo, así que no se puede conceder. Elige otro.',
      'role-too-high':
        'El rol está por encima del rol del bot. En los ajustes del servidor, en Roles, arrastra el del bot por encima de él.',
      'no-manage-roles':
        'El bot no puede gestionar roles. En los ajustes del servidor, en Roles, activa el permiso «Gestionar roles» para el rol del bot.',
      'no-invite-right':
        'El bot no puede invitar. Hazlo administrador del grupo con el permiso «Invitar con un enlace».',
      'no-ban-right':
        'El bot no puede expulsar a nadie. Hazlo administrador del grupo con el permiso «Suspender usuarios».',
      'role-above-maker':
        'El rol no está por debajo de tu rol más alto, así que Discord tampoco te dejaría concederlo. Pídeselo a alguien con un rol más alto.',
      'needs-2fa':
        'Este servidor exige a sus moderadores la autenticación en dos pasos, y la cuenta propietaria de este bot no la tiene. Pide al operador de este bot que la active en esa cuenta.',
      'onboarding-role':
        'Los miembros pueden elegir este rol ellos mismos en la incorporación, así que una regla no podría decidir quién lo tiene. Quítalo de la incorporación o elige otro.',
      'linked-role':
        'Este rol solo lo da Discord: tiene requisitos de vinculación. Quítalos en los ajustes del rol, en Vínculos, o elige otro.',
      'unknown-role-property':
        'Este rol tiene una propiedad o un permiso que esta versión del bot no conoce, y podría dar poder sobre otros. Elige otro rol o pide al operador de este bot que lo actualice.',
      'role-with-power':
        'Este rol da permisos sobre otros miembros (como gestionar mensajes, mencionar a todos o aislar a miembros), así que no deben decidir datos externos quién lo tiene. Quítale esos permisos o elige otro.',
    },

    previewTitle: 'Qué haría ahora una ejecución',
    members: 'Miembros revisados',
    gains: 'Ganarían algo',
    losses: 'Perderían algo',
    atRisk: 'No lo cumplen, aún dentro de plazo',
    unknown: 'No se sabe: quedan como están',
    nothing: 'No cambiaría nada.',
    allInFile: 'El archivo los incluye a todos, con sus motivos.',
    someInFile: (count, all) => `El archivo incluye ${count} de ${all}.`,
    doubts: {
      unavailable: 'Ahora mismo no hay datos disponibles. No se cambia nada.',
      stale: 'Ahora mismo los datos son antiguos. No se cambia nada.',
      partial: 'Aún se están leyendo cadenas y faltan puntos. No se retira nada.',
      implausible:
        'Los datos no pueden ser correctos (todo a cero o la mitad de las carteras desaparecidas). No se cambia nada.',
    },
    due: 'plazo:',
    unseen: (count) =>
      `Cuentas con carteras vinculadas que aún no hemos buscado aquí: ${count}. Lo estamos haciendo; repite la vista previa en unos minutos.`,
    unchecked: (count) =>
      `Aún sin comparar con sus roles actuales: ${count}. Es posible que algunos ya tengan el rol.`,

    runTitle: 'Ejecución terminada',
    stoppedTitle: 'Ejecución detenida',
    stopNothing: 'No hay ninguna ejecución en curso.',
    stopAsked:
      'La ejecución se detiene antes de su próximo cambio. /gate undo revierte lo que ha cambiado.',
    stopAskedUndo:
      'La reversión se detiene antes de su próximo cambio. Lo ya revertido queda revertido y las reglas que pausó siguen en pausa.',
    undoStopped:
      'La reversión se detuvo. Lo ya revertido queda revertido y las reglas que pausó siguen en pausa.',
    runningTitle: 'Hay una ejecución en curso',
    runningAbout: 'Continúa en segundo plano. Vuelve a comprobarlo dentro de un rato.',
    waitingAbout:
      'Se ha interrumpido y se reanudará automáticamente. Los recuentos muestran lo hecho hasta ahora.',
    again: 'Comprobar de nuevo',
    notRun: 'No hay nada que ejecutar: ninguna regla está activa, o ya hay una ejecución en curso.',
    given: 'Concedido',
    taken: 'Quitado',
    warned: 'Avisado',
    warnedUntold: 'Avisado, pero no acepta mensajes del bot',
    refused: 'Rechazado por la plataforma',
    unsettled: 'Resultado aún desconocido',
    wouldLose: 'Lo perdería',
    leftAlone: 'Sin cambios',
    heldTitle: 'No se ha quitado nada: sería demasiado de una vez',
    heldAbout: (count) =>
      `Miembros que perderían el acceso: ${count}. Si la lista es correcta, confírmalo; si no, no hagas nada y volveremos a preguntar en 24 horas.`,
    questionTitle: 'Una pregunta para los moderadores',
    heldBrief:
      'Una ejecución quitaría el acceso a muchos miembros y espera una respuesta. Escribe /gate list para verla.',
    doubtBrief:
      'Los datos no parecen correctos, así que ahora no se aplica ninguna regla. Escribe /gate list para ver qué muestran.',
    heldNotice: (grant) =>
      `Una ejecución quitaría «${grant}» a muchos miembros y espera la respuesta de un moderador. Escribe /gate list en tu comunidad para verla.`,
    heldUntold:
      'La pregunta no se pudo publicar en ninguna parte: con /gate channel eliges adónde van.',
    acceptButton: 'Es correcto',
    doubtful: {
      lost: (before, now) =>
        `Los datos muestran ${now} carteras donde había ${before}, así que hace más de una hora que no se aplica ninguna regla. Si es correcto, acéptalo (/gate accept) y las reglas usarán los datos nuevos. Si no, pide al operador de este bot que revise los datos.`,
      zeros:
        'Los datos no muestran puntos de ninguna cartera, así que hace más de una hora que no se aplica ninguna regla. Si es correcto, acéptalo (/gate accept) y las reglas los usarán. Si no, pide al operador de este bot que revise los datos.',
      contradiction:
        'Los datos se contradicen, así que hace más de una hora que no se aplica ninguna regla. Pide al operador de este bot que los revise.',
    },
    acceptedTitle: 'Aceptado',
    acceptedAbout:
      'Desde ahora las reglas usan los datos nuevos. Una ejecución que quitaría demasiado sigue preguntando antes.',
    confirmButton: 'Quitar el acceso',
    previewButton: 'Vista previa',
    runButton: 'Ejecutar ahora',
    undoButton: 'Deshacer esta ejecución',
    logButton: 'Historial',
    listButton: 'Reglas',

    undoNoneTitle: 'No hay nada que deshacer',
    undoneTitle: 'Deshecho',
    undoneAbout:
      'Los cambios de la ejecución se han revertido. Sus reglas quedan en pausa, porque los harían de nuevo; reanúdalas con /gate resume.',
    undoneAsIs:
      'Los cambios de la ejecución se han revertido, salvo los que se indican abajo. Sus reglas quedan en pausa, porque los harían de nuevo; reanúdalas con /gate resume.',
    undoneInPartTitle: 'Deshecho en parte',
    undoneInPart:
      'Algunos cambios no se han podido revertir. Cuando nada lo impida, deshaz la ejecución de nuevo: solo se intenta lo que queda. Sus reglas están en pausa.',
    notRestored: 'Sin revertir',
    inviteAgain:
      'No se puede añadir a nadie a un grupo. Envía este enlace a quienes fueron expulsados:',
    undoAskTitle: 'Todavía no se ha deshecho nada',
    undoAsks: {
      held: 'La última ejecución no ha cambiado nada: espera tu respuesta y sin ella no quita nada.',
      unchanged: 'La última ejecución no ha cambiado nada.',
      undone: 'La última ejecución ya se ha deshecho.',
      'undo-stopped': 'La última reversión se detuvo. Lo ya revertido queda revertido.',
      'undo-partial': 'La última reversión no pudo con todo. Puedes deshacer el resto.',
      old: 'La última ejecución que cambió algo es de hace más de un día.',
      look: 'El último cambio se hizo para un solo miembro, no en una ejecución sobre todos.',
      many: 'Esto quitaría algo a muchos miembros a la vez. La ejecución en sí ya ha terminado.',
    },
    undoLast: 'La última ejecución que cambió algo',
    undoLosing: (count) => `Miembros que perderían lo que concedió: ${count}.`,
    undoNothing: 'Ninguna ejecución ha cambiado nada que se pueda deshacer.',

    whyTitle: 'Motivo',
    whyNotHere: 'No es miembro aquí, así que no mostramos sus datos.',
    whyNoWallet: 'Este miembro no ha vinculado ninguna cartera.',
    noneCounts: 'ninguna cartera que cuente',
    hiddenWallets:
      'De las carteras solo se muestran sus datos: su propietario decide quién puede verlas.',
    meets: 'lo cumple',
    lacks: 'no lo cumple',
    unknownNow: 'ahora no se puede saber',
    holds: {
      ours: 'lo tiene por esta regla',
      theirs: 'lo obtuvo de otra forma',
      none: 'no lo tiene',
    },
    lackSince: (count) => `comprobaciones seguidas sin cumplirlo: ${count}, desde el`,
    takenAfter: 'se quita después del',
    isProtected: 'Con protección: no se le quita nada.',
    figures: (tier, score, rank) => `${tier}, ${score}, puesto ${rank}`,
    neverSeen: 'aún sin actividad',
    met: (rule, what) => `regla ${rule}: cumplida (${what})`,
    notMet: (rule, what) => `regla ${rule}: no cumplida (${what})`,
    notKnown: (rule, why) => `regla ${rule}: no se sabe (${why})`,
    unknowns: {
      unavailable: 'sin datos',
      stale: 'datos antiguos',
      partial: 'aún se están leyendo cadenas',
      implausible: 'datos inverosímiles',
    },
    dataOf: (time) => `datos del ${time}`,
    undoOf: (run) => `reversión de la ejecución ${run}`,
    skips: {
      'has-already': 'ya lo tiene',
      gone: 'ya no lo tiene',
      left: 'ya no está',
      spared: 'propietario o administrador',
      protected: 'con protección',
      barred: 'vetado por un moderador',
      pending: 'aún no ha aceptado las normas del servidor',
      'changed-since': 'otra persona lo ha cambiado después',
      'needs-invitation': 'debe volver a solicitar la entrada',
      'no-request': 'ya no solicita entrar',
      'rule-paused': 'la regla se puso en pausa',
      'rule-removed': 'la regla se eliminó',
      'rule-changed': 'la regla se cambió',
      stopped: 'la ejecución se detuvo',
      'not-done': 'no llegó respuesta y no se hizo',
      'no-answer': 'la plataforma no respondió',
    },
    refusals: {
      'no-role': 'el rol ya no existe',
      'no-community': 'el bot ya no está aquí',
      'not-allowed': 'el bot no tiene permiso',
      'invalid-role': 'este rol no se puede dar a nadie',
      'needs-2fa': 'el propietario del bot necesita aquí la autenticación en dos pasos',
      'community-full': 'esta comunidad está llena',
      'too-many-communities': 'está en tantos grupos y canales como permite Telegram',
    },
    refusedWith: (code) => `rechazado por la plataforma con el código ${code}`,
    erased: 'el miembro borró sus datos',
    noChannel: 'a ninguna parte',
    heldDetail: (taken, holders) => `lo perderían ${taken} de ${holders}`,

    logTitle: 'Qué ha pasado aquí',
    logNone: 'Aún nada.',
    byRule: 'por una regla',
    events: {
      'rule-added': 'regla añadida',
      'rule-changed': 'regla cambiada',
      'rule-removed': 'regla eliminada',
      'rule-paused': 'regla en pausa',
      'rule-resumed': 'regla reanudada',
      protected: 'protección activada',
      unprotected: 'protección desactivada',
      barred: 'vetado',
      unbarred: 'veto levantado',
      'log-channel': 'canal de informes elegido',
      'card-colour': 'color de las tarjetas elegido',
      'card-banner': 'encabezado de las tarjetas elegido',
      'card-reset': 'tarjetas restablecidas',
      'give-begun': 'concesión iniciada',
      given: 'concedido',
      'take-begun': 'retirada iniciada',
      taken: 'quitado',
      refused: 'rechazado por la plataforma',
      skipped: 'dejado como estaba',
      unknown: 'aún sin respuesta',
      stopped: 'ejecución detenida',
      warned: 'aviso enviado',
      held: 'retenido para confirmar',
      confirmed: 'confirmado',
      accepted: 'datos nuevos aceptados',
      undone: 'deshecho',
      admitted: 'entrada permitida',
      'turned-away': 'entrada denegada',
    },

    warningTitle: 'Puede que pierdas el acceso pronto',
    warning: (grant) =>
      `Tus carteras vinculadas ya no cumplen los requisitos de «${grant}». Si no cambia, lo perderás después del`,
    warningNext:
      '/wallets muestra tus carteras vinculadas; con /link puedes añadir en cualquier momento una que los cumpla.',
    joinTitle: 'Has pedido entrar',
    joinAdmitted: 'Tu cartera cumple los requisitos de este grupo: ya estás dentro.',
    joinLacks: (needs) => `Este grupo requiere: ${needs}.`,
    joinNoWallet:
      'Aún no has vinculado ninguna cartera. Escribe aquí /link y demuestra que una es tuya: si cumple los requisitos, entrarás automáticamente.',
    joinLink:
      'Tu solicitud sigue abierta. Si tu cartera cumple los requisitos más adelante, o añades otra que los cumpla con /link, entrarás automáticamente.',
    joinPaused:
      'Ahora mismo este grupo no admite miembros automáticamente. Tu solicitud sigue abierta y la revisaremos cuando vuelva a hacerlo.',
    waitingToJoin: (count) => `Esperan para entrar: ${count}.`,
    joinBarred:
      'Los moderadores de este grupo han decidido no admitirte. Solo ellos pueden cambiarlo; habla con uno.',
    joinRefused:
      'Cumples los requisitos de este grupo, pero Telegram no ha permitido al bot dejarte entrar. Tu solicitud sigue abierta y lo intentaremos de nuevo.',
    joinBlocked: {
      'too-many-communities':
        'Cumples los requisitos de este grupo, pero estás en tantos grupos y canales como permite Telegram. Sal de uno y envía /start aquí: se te admitirá.',
    },
    joinUnknown:
      'Ahora mismo no hay datos disponibles. Tu solicitud sigue abierta y la revisaremos automáticamente.',
  },

  gateErrors: esGateErrors,
};
