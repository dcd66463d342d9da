import type { CardTexts, CommandTexts } from '#command/texts/en/commands';
import { esAccess } from './access.ts';
import { esBoards } from './boards.ts';
import { esGate } from './gate.ts';

/** Texts of `/card`, in Spanish. */
export const esCard: CardTexts = {
  cardCommand: {
    about: 'Moderación: el color y el encabezado de las tarjetas de esta comunidad',
    example: '/card color turquesa',
    options: {
      action: 'Qué hacer; por defecto se muestra el estilo',
      colour: 'Un color como #1790ed, o su nombre',
      url: 'La dirección https de una imagen; las anchas pierden menos',
      picture: 'O una imagen que subir: PNG, JPEG, GIF, WebP o SVG, de hasta 2 MB',
    },
  },
  cardOptions: { colour: 'color', url: 'url', picture: 'imagen' },

  card: {
    actions: { show: 'ver', colour: 'color', banner: 'encabezado', reset: 'restablecer' },
    abouts: {
      show: 'Cómo son las tarjetas de esta comunidad',
      colour: 'Elige el color de las tarjetas de aquí',
      banner: 'Elige la imagen que encabeza aquí las tarjetas de puesto',
      reset: 'Restablece los colores de Fathom, sin encabezado',
    },
    title: 'Las tarjetas de esta comunidad',
    colourSet: 'Color cambiado',
    bannerSet: 'Encabezado cambiado',
    resetDone: 'Estilo restablecido',
    accent: 'Color',
    tierColours: 'el de cada nivel',
    banner: 'Encabezado',
    hasBanner: 'sí',
    noBanner: 'ninguno',
    about:
      'El color está en todas las tarjetas de aquí, y el encabezado, en las de puesto. Las de la web no cambian.',
    howTo: 'Cámbialo con',
    examples: ['/card color turquesa', '/card encabezado https://…'],
    replyHint: 'O responde a una foto con',
    replyExample: '/card encabezado',
    noReply:
      'Responde a una foto con este comando, o escribe detrás la dirección https de una imagen.',
    eitherPicture: 'Indica una imagen o la dirección de una, no ambas. No se ha cambiado nada.',
    sample: 'Cartera de muestra',
    resetButton: 'Restablecer',
    misfitTitle: 'Este color apenas se vería',
    tooLight: (colour) => `${colour} casi desaparece en el tema claro de Discord.`,
    tooDark: (colour) => `${colour} casi desaparece en el tema oscuro de Discord.`,
    nearest: (colour) => `El color más parecido que se ve en los dos temas es ${colour}.`,
    useButton: (colour) => `Usar ${colour}`,
    colours: {
      red: 'rojo',
      coral: 'coral',
      orange: 'naranja',
      gold: 'dorado',
      lime: 'lima',
      green: 'verde',
      teal: 'turquesa',
      cyan: 'cian',
      blue: 'azul',
      indigo: 'índigo',
      blurple: 'blurple',
      violet: 'violeta',
      purple: 'púrpura',
      magenta: 'magenta',
      pink: 'rosa',
      brown: 'marrón',
      grey: 'gris',
    },
  },

  cardErrors: {
    'card-colour':
      'No conocemos el color «{}». Escribe uno como #1790ed, o un nombre como turquesa o naranja.',
    'banner-unreachable':
      'No hemos podido cargar esta imagen. Necesita una dirección https pública que responda en 5 segundos.',
    'banner-busy': 'Se está obteniendo otra imagen. Prueba de nuevo en unos segundos.',
    'banner-often':
      'Ha habido muchos encabezados nuevos en poco tiempo. Prueba de nuevo en diez minutos.',
    'banner-too-large': 'Esta imagen es demasiado grande: el máximo son 2 MB.',
    'banner-unreadable':
      'No podemos leer esta imagen. Usa un PNG, JPEG, GIF o WebP de hasta 4096 píxeles por lado, o un SVG que solo dibuje formas.',
  },
};

export const esCommands: CommandTexts = {
  optionNames: {
    wallet: 'cartera',
    chain: 'cadena',
    page: 'página',
    action: 'acción',
    key: 'clave',
    member: 'miembro',
    code: 'código',
    choice: 'elección',
    sure: 'seguro',
    role: 'rol',
    tier: 'nivel',
    score: 'puntos',
    top: 'primeros',
    below: 'debajo',
    most: 'máximo',
    match: 'combinar',
    exclusive: 'exclusivo',
    hidden: 'oculto',
    check: 'revisar',
    grace: 'plazo',
    switch: 'estado',
    count: 'contar',
    answer: 'respuesta',
    language: 'idioma',
    channel: 'canal',
    rule: 'regla',
    badge: 'insignia',
    from: 'desde',
    badges: 'insignias',
    announce: 'anunciar',
    digest: 'resumen',
    panel: 'panel',
    command: 'comando',
    board: 'tabla',
    period: 'periodo',
    ...esCard.cardOptions,
  },
  commandNames: {
    rep: 'reputacion puntuacion',
    badges: 'insignias insignia',
    activity: 'actividad',
    why: 'porque',
    top: 'clasificacion',
    stats: 'estadisticas',
    link: 'vincular',
    wallets: 'carteras miscarteras',
    unlink: 'desvincular',
    access: 'acceso accesos',
    privacy: 'privacidad',
    card: 'tarjeta tarjetas',
    help: 'ayuda comandos',
  },
  commands: {
    rep: {
      about: 'Puntuación, nivel y puesto de una cartera',
      example: '/rep 0x…',
      options: {
        wallet: 'Una dirección de Ethereum, Solana o Algorand, o un nombre visible',
        chain: 'La cadena de la cartera; por defecto, la de la dirección',
        member: 'Un miembro que muestre aquí sus carteras vinculadas',
      },
    },
    badges: {
      about: 'Insignias de una cartera, primero las más raras',
      example: '/badges 0x…',
      options: {
        wallet: 'Una dirección de Ethereum, Solana o Algorand, o un nombre visible',
        page: 'Qué página mostrar',
        member: 'Un miembro que muestre aquí sus carteras vinculadas',
      },
    },
    activity: {
      about: 'Actividad reciente de una cartera y los puntos que ha ganado',
      example: '/activity 0x…',
      options: {
        wallet: 'Una dirección de Ethereum, Solana o Algorand, o un nombre visible',
        page: 'Qué página mostrar',
        member: 'Un miembro que muestre aquí sus carteras vinculadas',
      },
    },
    why: {
      about: 'De dónde viene una puntuación: puntos por regla y lo que se retuvo',
      example: '/why 0x…',
      options: {
        wallet: 'Una dirección de Ethereum, Solana o Algorand, o un nombre visible',
        member: 'Un miembro que muestre aquí sus carteras vinculadas',
      },
    },
    top: esBoards.topCommand,
    stats: {
      about: 'Carteras por cadena y nivel, puntuación media, insignias otorgadas',
      example: '/stats',
      options: {},
    },
    link: {
      about: 'Demuestra una sola vez que una cartera es tuya, sin mover nada',
      example: '/link',
      options: {
        wallet: 'El código de la página, una firma, o tu dirección para firmar sin la página',
        code: 'El código de la página, o una firma',
      },
    },
    wallets: { about: 'Tus carteras vinculadas', example: '/wallets', options: {} },
    unlink: {
      about: 'Desvincula una cartera',
      example: '/unlink 0x…',
      options: { wallet: 'La cartera; sin ella, eliges entre las tuyas' },
    },
    access: esAccess.accessCommand,
    privacy: {
      about: 'Elige quién puede ver tus carteras; exporta o borra tus datos',
      example: '/privacy',
      options: {
        choice: 'Quién puede verlas o qué hacer; sin nada, se muestran tus ajustes',
        sure: 'Confirma que quieres borrar tus datos para siempre',
        announce: 'Si las comunidades pueden anunciar lo que consigues',
      },
    },
    apikey: {
      about: 'Crea, consulta o revoca claves de API gratis; solo las ves tú',
      example: '/apikey create mi web',
      options: {
        action: 'Qué hacer; por defecto se muestran tus claves',
        key: 'Un nombre para la clave nueva, o el identificador de la que quieres revocar',
      },
    },
    gate: esGate.gateCommand,
    card: esCard.cardCommand,
    help: {
      about: 'Todos los comandos y cómo funcionan los niveles',
      example: '/help rep',
      options: { command: 'El comando que explicar; por defecto se muestran todos' },
    },
  },
};
