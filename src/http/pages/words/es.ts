import { esLinkFaults, esLinks, esProofs } from '#command/texts';
import { publicEs } from './public-es.ts';
import type { Words } from './words.ts';

export const es: Words = {
  language: 'es',
  name: 'Español',
  page: {
    title: 'Fathom: reputación de carteras para comunidades',
    headline: 'Reputación de carteras para comunidades de Ethereum, Solana y Algorand',
    lead: 'Escribe un comando como en un chat y mira la respuesta tal como la muestran Discord y Telegram. Sin cuenta ni token.',
    demo: 'Datos de demostración: todas las carteras son inventadas.',
    skip: 'Ir al comando',
    docs: 'Docs',
    openApi: 'OpenAPI',
    languages: 'Idioma',
    theme: 'Colores',
    themes: { system: 'Sistema', light: 'Claro', dark: 'Oscuro' },
    command: 'Comando',
    ask: 'Preguntar',
    hint: 'Pulsa Intro para preguntar y flecha arriba para recuperar tus comandos.',
    suggestions: 'Sugerencias',
    examples: 'Prueba uno de estos',
    views: 'Ver la respuesta como en',
    noScript:
      'Esta página necesita JavaScript, que está desactivado. Puedes consultar los mismos datos en estas páginas:',
  },
  browser: {
    used: 'Usaste {}',
    thinking: 'Fathom está pensando',
    onlyYou: 'Solo tú puedes ver esto',
    posted: 'Esto lo leen todos:',
    answered: 'Respuesta: {}',
    found: 'Sugerencias: {}',
    opensPage: 'abre una página',
    unreachable: 'No se puede contactar con Fathom. Puede que falle tu conexión o el servicio.',
    wait: 'Demasiados comandos. Espera {} segundos e inténtalo de nuevo.',
    refused: 'Fathom ha rechazado este comando.',
    again: 'Reintentar',
  },
  answers: {
    madeUp: 'Un servidor inventado: prueba lo que quieras',
    open: (chat) => `Abrir el bot en ${chat}`,
    privateTitle: 'No disponible en esta página',
    private: (command) =>
      `${command} trata de tu propia cuenta y esta página no sabe quién eres. Pídeselo al bot en Discord o Telegram.`,
    ofCommunities: (command) =>
      `${command} es para quienes moderan y trata de su comunidad. Pídeselo al bot en tu servidor, grupo o canal.`,
  },
  link: {
    title: 'Vincular una cartera · Fathom',
    headline: 'Vincula una cartera a tu cuenta del chat',
    lead: 'Tu cartera firma un texto corto y tú escribes un código en el chat. No se mueve nada y no cuesta nada.',
    noScript: 'Esta página necesita JavaScript. Sin él, escribe /link y tu dirección.',
    step: 'Paso {} de {}',
    start: {
      title: 'Antes de empezar',
      points: ['Nadie necesita tu frase semilla ni tu clave privada, ni aquí ni en ningún sitio.'],
      go: 'Continuar',
    },
    apps: {
      title: 'Abre esta página en tu cartera',
      about:
        'Elige tu cartera: la página se abre dentro de su aplicación, donde puede firmar. Tu enlace sigue siendo válido.',
      connect: 'Pera, Defly y otras',
      other: 'Usar otra cartera',
    },
    scan: {
      title: 'Escanéalo con el móvil',
      about:
        'Este navegador no tiene ninguna cartera. Escanea el código con la cámara o con tu cartera para seguir en el móvil, o instala una cartera aquí y recarga la página.',
      other: 'Usar otra cartera',
    },
    account: {
      title: 'Esta cuenta recibe la cartera',
      displayName: 'Nombre visible, elegido por la cuenta:',
      notYours:
        '¿No eres tú, o no escribiste /link? Cierra esta página: tu cartera contaría como suya.',
    },
    wallets: {
      title: 'Elige tu cartera',
      none: 'Este navegador no tiene ninguna cartera. Desbloquea o instala una y busca de nuevo, o firma a mano.',
      again: 'Buscar de nuevo',
      missing: 'Mi cartera no aparece',
      byHand: 'Firma el texto en cualquier cartera o en la línea de comandos y pega aquí la firma.',
      address: 'Dirección de la cartera',
      showText: 'Ver el texto',
    },
    addresses: { title: 'Elige la dirección' },
    sign: {
      title: 'Firma este texto',
      about: 'Esto es todo lo que firmas. Tu cartera debe mostrar lo mismo.',
      cannot: 'Mi cartera no firma textos (Ledger)',
      cannotAbout: 'Firmará el texto dentro de una transacción que nunca se podrá enviar.',
      byHand: 'Firma exactamente este texto con tu cartera.',
      copyText: 'Copiar el texto',
      transaction: 'Mi cartera solo firma transacciones',
      transactionAbout: 'Esta lleva el texto y nunca se podrá enviar (base64):',
      copyTransaction: 'Copiar la transacción',
      signature: 'Firma, tal como la da tu cartera (hex, base58 o base64)',
      handIn: 'Enviar la firma',
      back: 'Elegir otra cartera',
    },
    waiting: {
      title: 'Mira tu cartera',
      about: 'Te pide que confirmes. Si no ves nada, abre tu cartera.',
      cancel: 'Cancelar',
    },
    pair: {
      title: 'Conecta tu cartera',
      other: 'Otra aplicación de este móvil',
      about:
        '¿Tu cartera está en otro dispositivo? Escanea con ella el código y acepta la conexión.',
      copy: 'Copiar el enlace de conexión',
    },
    checking: {
      title: 'Comprobando tu firma',
      about:
        'Tu firma ha llegado, pero ahora no se puede comprobar. No tienes que hacer nada: es válida y seguimos intentándolo.',
      again: 'Reintentar ahora',
    },
    owners: {
      title: esLinks.link.ownersTitle,
      about: esLinks.link.ownersAwaited,
      send: 'Enviar firmas del texto',
    },
    done: {
      title: 'Último paso: escribe este código en el chat',
      about: 'Tu cartera quedará vinculada cuando lo escribas.',
      copy: 'Copiar el código',
      secret: 'No se lo des a nadie: quien te lo pida quiere tu cartera en su cuenta.',
    },
    used: {
      title: 'Este código ya no sirve',
      about:
        'Si lo escribiste, el bot dice en el chat cómo ha ido. Si no, escribe /link allí para tener otro enlace.',
    },
    elsewhere: {
      title: 'Continúa donde está abierto',
      about: '¿No eres tú? Escribe /link en el chat para tener otro enlace.',
    },
    over: { title: 'Escribe /link en el chat para tener otro enlace' },
    lost: {
      title: 'No hay ninguna página en esta dirección',
      about: 'Quizá el enlace esté incompleto. Escribe /link en el chat para tener otro.',
    },
    browser: {
      unnamed: 'La cartera de este navegador',
      signWith: 'Firmar con {}',
      copied: 'Copiado.',
      marked: 'No se pudo copiar. El texto está seleccionado: cópialo tú.',
      id: 'ID',
      qrCode: 'Código QR',
      type: {
        form: `Pulsa «${esLinks.link.codeButton}» bajo el mensaje del bot, o escribe {} en el chat, como {}. Vale {} min.`,
        message: 'Envía {} al bot, como {}. Vale {} min.',
        page: 'Escribe {} donde empezaste, como {}. Vale {} min.',
      },
      code: 'El código es {}',
      codeOver: 'Este código ha caducado.',
      checkedUntil: 'Lo intentamos hasta las {}. Después podrás firmar de nuevo.',
      checkedUntilDay: 'Lo intentamos hasta el {} a las {}.',
      stillUnchecked: 'Último intento a las {}, sin respuesta.',
      renewed: 'El texto de abajo es nuevo: firma este.',
      faults: {
        'invalid-address':
          'Esto no es una dirección de Ethereum, Solana ni Algorand. Cópiala entera.',
        'signature-malformed': 'Esto no es una firma. Copia todo lo que te dio tu cartera.',
        'signature-is-secret': esProofs['signature-is-secret'],
        'signature-is-hash': esProofs['signature-is-hash'],
        ...esLinkFaults,
        'rate-limited': 'Demasiadas peticiones. Espera {} segundos e inténtalo de nuevo.',
        'data-unavailable': 'No está disponible ahora. Inténtalo en un momento.',
        unreachable: 'Fathom no responde. Comprueba tu conexión e inténtalo de nuevo.',
        'no-ticket': 'Esta página solo funciona con un enlace del bot.',
        'no-cookies':
          'Este navegador rechaza la cookie que te reserva el enlace. Permítela, o abre un enlace nuevo en otro navegador.',
        'text-over': 'El texto había caducado.',
        'other-tab':
          'Elegiste una cartera en otra pestaña y solo cuenta su texto. Fírmalo allí, o elige aquí tu cartera de nuevo.',
        'other-account':
          'Otra pestaña ha abierto el enlace de otra cuenta. No se ha vinculado nada. Si no es tuyo, ciérrala: tu cartera contaría como suya.',
        left: 'Tu firma se sigue comprobando. Recarga la página para volver a ella, o elige otra cartera.',
        'signature-lost': 'Tu última firma no contó: fue rechazada o no llegó.',
        rejected: 'Lo rechazaste en tu cartera: no se firmó nada. Puedes intentarlo de nuevo.',
        locked:
          'Tu cartera está bloqueada o no muestra esta dirección. Desbloquéala e inténtalo de nuevo.',
        busy: 'Tu cartera tiene otra solicitud abierta. Respóndela e inténtalo de nuevo.',
        late: 'Tu cartera no respondió en dos minutos. Ábrela e inténtalo de nuevo.',
        cancelled: 'Cancelado. Si tu cartera aún pregunta, recházalo.',
        'no-address': 'Tu cartera no dio una dirección de esta cadena. Elige antes una en ella.',
        'other-text': 'Tu cartera firmó otro texto, así que no cuenta. Lo pediremos de otro modo.',
        'no-way': 'Esta cartera no puede firmar esto. Elige otra o firma a mano.',
        nonsense: 'La respuesta de tu cartera no es válida. Inténtalo de nuevo o elige otra.',
        failed: 'No ha funcionado. Tu cartera dice: {}',
      },
    },
  },
  pages: publicEs,
};
