import type { ProofErrorCode } from '#base';
import type { enLinkFaults, LinkTexts, RoleTexts } from '#command/texts/en/links';
import { proofErrorsInChat } from '#command/texts/phrasing';

/** Why a proof was refused, in the chats and on the page, in Spanish. */
export const esProofs: Readonly<Record<ProofErrorCode, string>> = {
  'wallet-unusable':
    'Nadie tiene la clave de esta dirección: es de la propia red o sirve para quemar tokens. Usa una cartera tuya.',
  'wallet-of-program':
    'Esta dirección es de un programa o de una cuenta de tokens, así que nadie puede firmar por ella. Usa la cartera a la que pertenece y comprueba que las mayúsculas y minúsculas sean las de tu cartera.',
  'wallet-lower-case':
    'Esta dirección de Solana no tiene mayúsculas, así que ha cambiado por el camino: mayúsculas y minúsculas importan. Cópiala de nuevo de tu cartera.',
  'signature-cut':
    'Falta una parte de esta firma: tiene {} bytes, y la de una cuenta de Ethereum tiene 65 (0x y 130 caracteres). Cópiala entera.',
  'signature-is-secret':
    'Esto parece una clave privada o una frase semilla. Quien la tenga tiene tu cartera: bórrala de donde la hayas pegado y mueve ya tus fondos a una cartera nueva. Nadie la necesita jamás.',
  'signature-is-hash':
    'Esto no es una firma, sino 32 bytes: el hash de una transacción, que es público, o una clave privada. Quien tenga la clave tiene tu cartera: si lo es, bórrala de donde la hayas pegado y mueve tus fondos a una cartera nueva.',
  'signature-malformed': 'Esto no es una firma. Copia todo lo que te dio tu cartera, y nada más.',
  'signature-other-wallet':
    'Lo ha firmado {}, o es la firma de otro texto. Elige en tu cartera la cuenta que estás vinculando y firma el texto entero.',
  'signature-other-or-contract':
    'Lo ha firmado {}, o es la firma de otro texto. Elige en tu cartera la cuenta que estás vinculando y firma el texto entero. Una cartera de contrato, como una Safe, no se puede comprobar aquí: el operador no ha configurado un nodo de Ethereum.',
  'signature-other-or-cut':
    'Esta firma tiene {} bytes. Si está completa, la hizo {}, o es la firma de otro texto. Si le falta el final, cópiala entera (0x y 130 caracteres).',
  'signature-wrong':
    'Esta firma no corresponde: es de otra cuenta o de otro texto. Elige la cuenta que estás vinculando y firma el texto entero.',
  'signature-wrong-or-rekeyed':
    'Esta firma no corresponde: es de otra cuenta o de otro texto. Elige la cuenta que estás vinculando y firma el texto entero. Si la clave de la cuenta se reasignó, la nueva no se puede comprobar: el operador no ha configurado un indexador de Algorand.',
  'signature-other-site':
    'Tu cartera ha firmado esto para otro sitio web. Firma solo en la página que abre el enlace del bot.',
  'authenticator-malformed':
    'Tu cartera ha enviado datos de autenticación que no corresponden a esta firma. Firma de nuevo, o firma como transacción.',
  'transaction-changed':
    'Lo que ha firmado tu cartera no es lo que pedimos, o la cartera lo ha cambiado. Fírmalo tal cual, o firma el texto.',
  'transaction-version':
    'Tu cartera ha convertido la transacción a la versión 1, que aún no se puede leer. Firma el texto como mensaje, o usa una cartera que firme la transacción tal cual.',
  'multisig-unsupported':
    'Las cuentas multifirma y las firmas lógicas no se pueden vincular. Vincula una cuenta que firme una sola clave.',
  'account-rekeyed':
    'La clave de esta cuenta se reasignó: solo {} puede firmar por ella, y esta no es su firma. Elige esa cuenta en tu cartera y firma de nuevo. Si necesita varias claves, no se puede vincular.',
  'rekeyed-unsupported':
    'Ha firmado otra clave. Si la cuenta se reasignó a ella, no se puede comprobar: el operador no ha configurado un indexador de Algorand. Vincula una cuenta con su propia clave.',
  'indexer-wrong-network':
    'Ahora no se pueden vincular carteras de Algorand: el indexador del operador es de otra red ({}). Avisa al operador.',
  'contract-unsupported':
    'Parece la firma de una cartera de contrato, que no se puede comprobar: el operador no ha configurado un nodo de Ethereum. Vincula una cuenta normal.',
  'contract-wrong-network':
    'Las carteras de contrato no se pueden comprobar: el nodo de Ethereum del operador es de otra red (id. de cadena {}). Vincula una cuenta normal o avisa al operador.',
  'contract-missing':
    'Parece la firma de una cartera de contrato, pero no hay ningún contrato en {} en la red principal de Ethereum. Las carteras de otras redes no se pueden vincular.',
  'contract-refused':
    'El contrato de tu cartera ha rechazado la firma, o no puede comprobar ninguna (ERC-1271). Firma el texto entero en la red principal de Ethereum, como propietario de la cartera.',
  'signature-undelegated':
    'Tu cartera ha firmado para una cuenta inteligente que aún no ha activado (ERC-8010). Firma como cuenta normal o activa antes la cuenta inteligente en la red principal de Ethereum.',
  'owners-missing':
    'Faltan firmas de propietarios: hay {} de las {} que necesita esta cartera. Pide a los demás que firmen también.',
  'proof-unchecked':
    'No hemos podido comprobar tu firma a tiempo: el servicio que conoce esta cartera no responde. No es culpa tuya. Inténtalo de nuevo más tarde.',
  'owners-unchecked':
    'No hemos podido comprobar estas firmas a tiempo: el servicio que conoce esta cartera no responde. No es culpa tuya, y su texto sigue siendo válido: vuelve a enviar las mismas firmas más tarde.',
  'text-expired':
    'Este texto ha caducado: hay que firmarlo en 5 minutos, o en un día si es una cartera de contrato.',
};

/** Errors of a link, on the page and in the chats. */
export const esLinkFaults: typeof enLinkFaults = {
  'link-expired': 'Este enlace ha caducado o ya se ha usado.',
  'link-taken': 'Este enlace ya está abierto en otro navegador o pestaña. Sigue allí.',
  'link-tries': 'Demasiados intentos.',
};

/** Texts about linked wallets, in Spanish. */
export const esLinks: LinkTexts = {
  link: {
    title: 'Vincular una cartera',
    steps:
      'Abre la página, firma con tu cartera y escribe aquí el código que te muestre. Firmar no cuesta nada ni mueve nada.',
    open: 'Abrir la página',
    copy: 'Si tu cartera está en una aplicación, abre esta dirección en el navegador de la propia aplicación. Es solo tuya y de un solo uso:',
    until: 'Se puede abrir hasta',
    onlyHost: (host) =>
      `La página está en ${host} y en ningún otro sitio. Nunca enviamos un enlace que no hayas pedido, y nadie necesita jamás tu frase semilla.`,
    byHand:
      'Sin página: escribe la dirección de tu cartera después del comando y firma un texto donde quieras.',
    codeButton: 'Escribir el código',
    codeTitle: 'Escribe el código de la página',
    codeAbout:
      'Tu cartera ya ha firmado. Envía /link seguido de las seis cifras de la página, o pulsa «Escribir el código» si ves ese botón. Si ya no se ven, recarga la página.',
    codeUnseen:
      'Tu firma ya se ha comprobado y es válida. Vuelve a la página en el navegador donde firmaste: te muestra el código. Después envía /link seguido de las seis cifras.',
    codeUntil: 'El código vale hasta',
    codeOwn:
      'Escríbelo solo si has firmado tú: quien te envía un código puede habérselo sacado a otra persona.',
    ownersTitle: 'A la espera de los propietarios',
    ownersAwaited:
      'El contrato aún no la acepta: no todos los propietarios han aprobado el texto en la cadena. Seguimos comprobándolo, y aún puedes enviar sus firmas en su lugar.',
    ownersOnPage:
      'La página tiene un texto que pueden firmar varios propietarios. Continúa allí en el mismo navegador; un enlace nuevo anularía el texto.',
    forSeveral:
      'Es una cartera de contrato: su texto vale un día. Envía de nuevo las firmas cada vez que firme otro propietario, o 0x si lo aprueban en la cadena. Un texto para otra cartera lo anula.',
    startOver: 'Empezar de nuevo',
    uncheckedTitle: 'Seguimos comprobando tu firma',
    unchecked:
      'Tu firma ha llegado, pero el servicio que conoce esta cartera aún no ha respondido. No es culpa tuya ni tienes que firmar de nuevo: seguimos intentándolo.',
    uncheckedUntil: 'Escribe /link para ver cómo ha ido. Lo intentamos hasta',
    uncheckedOther: 'Para vincular otra cartera en su lugar, pulsa antes «Empezar de nuevo».',
    lateTitle: 'Sobre tu firma',
    lateRefused: 'Por fin se ha podido comprobar tu firma, y se ha rechazado.',
    late: {
      linked: 'Por fin se ha podido comprobar tu cartera: está vinculada. /wallets la muestra.',
      unanswered:
        'El servicio que conoce tu cartera no ha respondido a tiempo, así que no pudimos comprobar tu firma. No es culpa tuya: inténtalo más tarde con /link.',
      unansweredOwners:
        'El servicio que conoce tu cartera no ha respondido a tiempo, así que no pudimos comprobar las firmas de los propietarios. No es culpa tuya, y su texto sigue siendo válido: vuelve a enviar las mismas firmas más tarde, donde las enviaste.',
      unapproved:
        'Ha terminado el día que tenían los dueños de tu cartera de contrato para aprobar su texto. Para uno nuevo, escribe /link y su dirección.',
      other:
        'Por fin se ha podido comprobar tu cartera. Escribe /link en diez minutos para ver cómo ha ido.',
    },
    checkButton: 'Comprobar ahora',
    secretTitle: 'Eso parece un secreto',
    secret:
      'Lo que has escrito parece una frase semilla o una clave privada. Quien la tenga tiene tu cartera. No la hemos guardado, pero quizá siga a la vista aquí: borra tu mensaje ya y mueve tus fondos a una cartera nueva.',
    keyOrHashTitle: 'Eso puede ser un secreto',
    keyOrHash:
      'Estos 32 bytes pueden ser una clave privada o el hash de una transacción. Un hash es público: en ese caso no ha pasado nada. Quien tiene una clave privada tiene la cartera: si lo es, borra tu mensaje ya y mueve tus fondos a una cartera nueva. No la hemos guardado. Una firma es más larga.',
    textUsedUp: 'Para eso necesitas otro texto: escribe /link seguido de tu dirección.',
    mayBeKeys:
      'Si estas dos palabras no son las mitades de una firma, pueden ser hashes, que son públicos, o claves privadas: quien las tenga tiene sus carteras, así que bórralas de donde las hayas pegado y mueve los fondos a carteras nuevas.',
    secretNever:
      'Nadie necesita jamás tu frase semilla ni tu clave privada, tampoco para vincular una cartera.',
    severalAddresses:
      'Has dado más de una dirección. Vincula las carteras de una en una: escribe /link seguido de su dirección.',
    unclear:
      'Eso no es la dirección de una cartera, ni un código de la página, ni una firma. Escribe /link para vincular una cartera en la página, o /link seguido de tu dirección para firmar un texto por tu cuenta. Si has firmado uno, sigue siendo válido: envía /link seguido solo de la firma, en hexadecimal, base58 o base64.',
    partOfCode: (digits) =>
      `Un código tiene seis cifras, y esto tiene ${digits}. Cópialo otra vez de la página.`,
    noSignature:
      'Ahí no hay ninguna firma completa. Copia todo lo que te dio tu cartera y envíalo de nuevo: si tienes un texto para firmar, sigue siendo válido. Si solo has copiado el texto, fírmalo primero.',
    signTitle: 'Firma este texto',
    signAbout:
      'Firma exactamente este texto con la cartera, en cualquier aplicación o línea de comandos:',
    signHow: {
      ethereum: 'Como mensaje personal. En una línea de comandos: cast wallet sign, con el texto.',
      solana:
        'Como mensaje. En una línea de comandos: solana sign-offchain-message, con el texto. Una cartera física que no firme mensajes puede firmar esta transacción, que nunca se podrá enviar:',
      algorand:
        'Como bytes. En una línea de comandos: goal clerk sign, con esta transacción, que nunca se podrá enviar:',
    },
    caveats: {
      'rekeying-unseen':
        '¿Se reasignó la clave de esta cuenta? Este servicio no puede verlo: se guía por la clave original, aunque ahora la controle otra.',
    },
    handIn:
      'Después envía la firma: escríbela después del comando o usa el botón si lo ves. La esperamos hasta',
    handInButton: 'Enviar la firma',
    linkedTitle: 'Cartera vinculada',
    linked: 'Es tuya: desde ahora, /rep sin dirección la muestra.',
    renewed: 'Ya la tenías vinculada; ahora la has verificado de nuevo.',
    kept: 'Sigue siendo tuya: la otra cuenta ya no la reclama.',
    claimedTitle: 'Verificada, pero vinculada a otra cuenta',
    claimed:
      'Otra cuenta tiene vinculada esta cartera y ya la hemos avisado. Si no la verifica de nuevo, será tuya el',
    seenBy: {
      hidden: 'Solo la ves tú. /privacy lo cambia.',
      community: 'La ven los miembros de las comunidades que has elegido. /privacy lo cambia.',
      public: 'La puede ver cualquiera. /privacy lo cambia.',
    },
    stepsByHand:
      'Escribe /link seguido de la dirección de tu cartera. Recibes un texto para firmar en cualquier aplicación de cartera o línea de comandos; después escribe /link seguido de la firma. Firmar no cuesta nada ni mueve nada.',
    addressButton: 'Escribir tu dirección',
    noCommunityPage:
      'Hay una página que lo hace más fácil, pero el operador no ha indicado una dirección pública: solo se abre en la máquina que ejecuta Fathom.',
  },

  wallets: {
    title: 'Tus carteras vinculadas',
    none: 'Aún no has vinculado ninguna cartera. Vincula una con /link.',
    since: 'vinculada',
    byContract: 'firmada por un contrato',
    byOtherKey: 'firmada con la clave a la que se reasignó',
    byDelegation: (delegate) => `delegada en ${delegate}`,
    contested:
      'Otra cuenta ha verificado una de tus carteras. Si sigue siendo tuya, verifícala de nuevo con /link; /wallets muestra cuál es.',
    against: 'Reclamada por otra cuenta. Verifícala de nuevo con /link antes de',
    waiting: 'La has verificado, pero aún está reservada para otra cuenta. Será tuya el',
    checking: 'Firmada; aún la estamos comprobando. Escribe /link para ver cómo ha ido.',
    ownersMissing:
      'Sus propietarios aún tienen que aprobar el texto. Escribe /link para ver cómo ha ido.',
    onPage: 'Una cartera firmada en la página',
    codeMissing: 'Firmada en la página. Escribe /link para ver qué falta.',
    lost: 'pasó a otra cuenta que la verificó',
    lapsed: 'se desvinculó: su verificación ya no es válida',
    linkButton: 'Vincular una cartera',
    unlinkButton: 'Desvincular una',
    of: (count) => `Carteras vinculadas: ${count}`,
    notShown: 'Nada que mostrar',
    notShownAbout: 'Este miembro no ha vinculado ninguna cartera o no la muestra aquí.',
  },

  vaults: {
    button: 'Bóvedas',
    title: 'Tus bóvedas',
    about:
      'Estas carteras han delegado todo en una que has vinculado, en el registro de delegate.xyz en Ethereum. Puedes vincularlas sin firmar; se desvinculan cuando se revoca la delegación o cuando su propietario firma para otra cuenta.',
    none: 'Ninguna otra cartera ha delegado todo en una que hayas vinculado, en el registro de delegate.xyz (v2) en Ethereum. Las delegaciones de un solo contrato o token no cuentan.',
    link: (wallet) => `Vincular ${wallet}`,
    more: (_, shown) => `Y ${shown} más: escribe su dirección,`,
    linked:
      'Está vinculada porque ha delegado en una cartera tuya. Se desvincula con esa cartera o cuando se revoca la delegación.',
  },

  unlink: {
    title: '¿Qué cartera quieres desvincular?',
    about:
      'Puedes perder los roles que dependan de ella. Durante 3 días nadie más podrá vincularla; tú, cuando quieras. Si otra cuenta ya la reclama, pasará a esa cuenta dentro de esos 3 días.',
    none: 'No has vinculado ninguna cartera, así que no hay nada que desvincular.',
    byAddress: 'Para desvincular una cartera sin botón, escribe su dirección:',
    one: (wallet) => `Desvincular ${wallet}`,
    doneTitle: 'Cartera desvinculada',
    done: 'Ya no está vinculada a ti.',
    withVaults: 'También se ha desvinculado lo que estaba delegado en ella:',
  },

  privacy: {
    title: 'Quién puede ver tus carteras vinculadas',
    now: {
      hidden: 'Solo tú. Tu propio /rep solo lo ves tú.',
      community: 'Los miembros de las comunidades que has elegido, también en «/top aquí».',
      public:
        'Cualquiera que pregunte por ti en un chat, también en «/top aquí» de tus comunidades.',
    },
    communities: (count, shown) =>
      `${shown} ${count === 1 ? 'comunidad' : 'comunidades'} hasta ahora. Elígelo en otra para añadirla.`,
    never:
      'La API y la clasificación de todas las carteras nunca dicen de quién es una. Los moderadores de tus comunidades pueden ver tu nivel, tus puntos y tu puesto, pero ninguna cartera.',
    actions: {
      hidden: 'oculto',
      community: 'comunidad',
      public: 'público',
      export: 'exportar',
      erase: 'borrar',
    },
    buttons: {
      hidden: 'Solo yo',
      community: 'Esta comunidad',
      public: 'Cualquiera',
      export: 'Exportar mis datos',
      erase: 'Borrar mis datos',
    },
    sure: 'sí',
    whichCommunity: 'Esto no es una comunidad. Escribe /privacy community en la que pueda verlas.',
    exportTitle: 'Todo lo que guardamos sobre ti',
    exportAbout:
      'El archivo lo contiene todo: tus vínculos, tus elecciones, qué pasó y cuándo, y tus claves de API salvo las claves mismas.',
    eraseTitle: '¿Borrarlo todo?',
    eraseAbout:
      'Tus vínculos, elecciones, historial y claves de API se borran para siempre. Los programas con tus claves pierden su límite más alto, y puedes perder los roles o grupos de Telegram que dependan de tus carteras. Durante 3 días nadie, tampoco tú, podrá vincular esas carteras: solo guardamos ese tiempo sus direcciones, sin decir de quién eran. Las que otra cuenta ya reclama pasarán a esa cuenta dentro de esos 3 días. No se puede deshacer.',
    eraseButton: 'Sí, borrarlo todo',
    erasedTitle: 'Borrado',
    erasedAbout:
      'Ya no guardamos nada sobre ti. Las direcciones de tus carteras quedan reservadas 3 días, sin decir de quién eran; después también se borran. Si los moderadores te han vetado algo, eso se conserva.',
  },

  /** Without the advice for chats. */
  proofErrors: esProofs,
  linkErrors: {
    ...proofErrorsInChat(
      esProofs,
      'Para un texto nuevo, escribe /link y tu dirección.',
      'Tu texto sigue siendo válido: envía /link seguido solo de la firma, en hexadecimal, base58 o base64.',
      'Después envía todas las firmas en una. Para ver el texto, escribe /link y tu dirección: mientras valga, es el mismo.',
    ),
    'link-expired': `${esLinkFaults['link-expired']} Escribe /link para tener uno nuevo.`,
    'link-taken': `${esLinkFaults['link-taken']} O escribe /link para tener uno nuevo.`,
    'link-tries': `${esLinkFaults['link-tries']} Espera un rato y escribe /link de nuevo.`,
    'link-nothing':
      'Ahora no se espera ninguna firma aquí: cada texto vale para una sola firma. Si la página te muestra un código, escribe ese. Para un texto nuevo, escribe /link y tu dirección.',
    'text-replaced':
      'Otra pestaña de la página muestra un texto más reciente, y solo cuenta ese. Sigue allí.',
    'code-wrong':
      'No es el código que muestra la página. Míralo e inténtalo de nuevo; tienes tres intentos en total.',
    'code-tries':
      'Es el tercer código equivocado, así que este enlace ya no vale. Escribe /link para tener uno nuevo.',
    'code-unexpected':
      'Ahora no se espera ningún código aquí: ha caducado, ya se usó o en la página se eligió después otra cartera. Si alguien te envió el enlace, era suyo: no le des el código, o tu cartera contará como suya. Para un enlace propio, escribe /link.',
    'page-refused':
      'Lo que se firmó en la página se ha rechazado; la página dijo por qué. Escribe /link para un enlace nuevo.',
    'wallet-claimed':
      'Otra cuenta también ha verificado esta cartera y será suya el {}. Inténtalo después.',
    'wallet-held':
      'Esta cartera se desvinculó hace poco y sigue reservada. Podrás vincularla desde el {}.',
    'wallet-kept':
      'La cuenta a la que está vinculada esta cartera la ha verificado de nuevo, así que sigue siendo suya. Podrás reclamarla de nuevo desde el {}.',
    'wallet-limit':
      'Ya has vinculado o reclamado el máximo de carteras por cuenta. Desvincula una antes con /unlink.',
    'wallet-not-linked': 'No has vinculado esta cartera. /wallets muestra las que tienes.',
    'vault-not-delegated':
      '{} no ha delegado todo en una cartera que hayas vinculado con una firma. Delega la cartera entera en el registro de delegate.xyz (v2) en Ethereum, no un solo contrato o token.',
    'vault-signed':
      'Ya has vinculado esta cartera con una firma, y una delegación no cambia nada de eso.',
    'vault-taken':
      'Otra cuenta ha vinculado o verificado esta cartera, y una delegación no quita nada a nadie. Si es tuya, firma con la propia cartera: escribe /link y su dirección.',
    'delegate-not-linked':
      'La cartera en la que delegó ya no está vinculada con una firma. Vincula antes esa, con /link.',
    'vaults-unsupported':
      'Las bóvedas no se pueden consultar: solo existen en Ethereum, y para eso el operador necesita un nodo.',
  },
};

/** Requirements that servers can set in Discord's Linked Roles, in Spanish. */
export const esRoles: RoleTexts = {
  roles: {
    score: { name: 'Puntuación', about: 'Puntos mínimos de la mejor cartera vinculada' },
    tier: { name: 'Nivel', about: 'Nivel mínimo' },
    rank: {
      name: 'Puesto',
      about: 'Puesto máximo entre todas las carteras: 100 para las cien primeras',
    },
    badges: { name: 'Insignias', about: 'Número mínimo de insignias de una cartera vinculada' },
    linked: {
      name: 'Cartera vinculada',
      about: 'Días desde que se vinculó la cartera más antigua',
    },
  },

  rolePages: {
    title: 'Roles vinculados · Fathom',
    told: {
      title: 'Conectado',
      about:
        'Discord conoce ahora el nivel de tus carteras vinculadas. Recibe también su puntuación, puesto e insignias si cualquiera puede ver tus carteras: escribe /privacy para elegirlo. Si cumples los requisitos de un rol, Discord te lo da.',
    },
    noWallet: {
      title: 'Conectado. Ahora vincula una cartera',
      about:
        'Aún no has vinculado ninguna cartera. Escribe /link en Discord y le enviaremos lo que pide el rol.',
    },
    later: {
      title: 'Conectado',
      about:
        'Ahora mismo no podemos enviar tus datos a Discord. Los enviaremos automáticamente dentro de un rato.',
    },
    denied: {
      title: 'Sin conectar',
      about:
        'Lo rechazaste en Discord, así que no guardamos nada. Para conectar, empieza de nuevo desde el rol en Discord.',
    },
    expired: {
      title: 'Esta solicitud ha caducado',
      about:
        'Pasaron más de diez minutos, ya se usó o empezó en otro navegador. Empieza de nuevo en este.',
    },
    refused: {
      title: 'Sin conectar',
      about:
        'Discord no lo confirmó o no concediste todos los permisos necesarios. Empieza de nuevo y concédelos todos.',
    },
    unavailable: {
      title: 'No disponible por ahora',
      about:
        'No se puede contactar con Discord o con Fathom. No se ha perdido nada: inténtalo de nuevo en un minuto.',
    },
    limited: {
      title: 'Demasiadas peticiones',
      about: (seconds) => `Espera ${seconds} segundos e inténtalo de nuevo.`,
    },
    failed: {
      title: 'Algo ha salido mal',
      about:
        'El fallo es nuestro y lo hemos registrado. Inténtalo de nuevo; si se repite, avisa al operador de este bot.',
    },
    close: 'Puedes cerrar esta ventana.',
    again: 'Empezar de nuevo',
  },
};
