import type { PublicWords } from './public-words.ts';

export const publicEs: PublicWords = {
  locale: 'es_ES',
  skip: 'Saltar al contenido',
  navigation: 'Páginas',
  playground: 'Pruébalo',
  unavailable: 'Esta parte no está disponible ahora mismo. Recarga la página en un momento.',
  unsupported: 'Este servicio lee sus datos de otro, que no ofrece esta parte.',
  asTable: 'Ver como tabla',
  day: 'Día',
  month: 'Mes',
  wallet: {
    on: (chain) => `Cartera de ${chain}`,
    title: (name, tier) => `${name} · ${tier}`,
    description: (score, rank, chain) =>
      `Puntuación ${score}, puesto ${rank}. Cartera de ${chain}.`,
    alt: (name, tier, score) => `${name}: ${tier}, puntuación ${score}`,
    score: 'Puntuación',
    tier: 'Nivel',
    rank: 'Puesto',
    rankOf: (total) => `de ${total}`,
    copyAddress: 'Copiar la dirección',
    explorer: 'Ver en el explorador',
    depth: (tier, score) => `Puntuación ${score} en la escala de niveles: ${tier}`,
    history: {
      title: 'La puntuación en el tiempo',
      about: (from, first, until, last) =>
        `Puntuación del ${from} (${first}) al ${until} (${last})`,
      newest: (days) => `Los últimos ${days} días en que cambió la puntuación.`,
    },
    rules: {
      title: 'De dónde vienen los puntos',
      about: 'La suma de estos puntos es la puntuación.',
      rule: 'Regla',
      points: 'Puntos',
      imported: 'Actividad importada',
      importedAbout: (count, shown) => `${shown} ${count === 1 ? 'actividad' : 'actividades'}`,
      asOf: 'Reglas a fecha de',
    },
    badges: { title: 'Insignias', earned: 'Ganada' },
    activity: { title: 'Última actividad', none: 'Sin actividad.' },
  },
  leaderboard: {
    title: 'Clasificación',
    description: 'Las carteras con más puntuación en Ethereum, Solana y Algorand.',
    descriptionOf: (chain) => `Las carteras con más puntuación en ${chain}.`,
    chains: 'Cadena',
    find: 'Buscar una cartera',
    findHint: 'Dirección o nombre',
    findButton: 'Buscar',
    rank: 'Puesto',
    wallet: 'Cartera',
    tier: 'Nivel',
    badges: 'Insignias',
    score: 'Puntuación',
    gained: 'Ganados',
    periods: 'Periodo',
    pages: 'Páginas de la clasificación',
    first: 'Primera página',
    previous: 'Anterior',
    next: 'Siguiente',
    last: 'Última página',
    wallets: (count, shown) => `${shown} ${count === 1 ? 'cartera' : 'carteras'}`,
    found: (name, rank, points) => `${name}: puesto ${rank}, ${points}.`,
    foundLink: 'Ver su perfil',
    notFound: (typed) =>
      `No conocemos «${typed}». Escribe una dirección de Ethereum, Solana o Algorand, o un nombre como aparece en la clasificación.`,
    unseen: 'Esta cartera aún no tiene actividad aquí, así que no tiene puesto.',
    several: (name) => `Varias carteras se llaman «${name}». Elige una:`,
  },
  stats: {
    title: 'Estadísticas',
    description: (wallets, average, badges) =>
      `Puntuación media: ${average}. Carteras: ${wallets}. Insignias: ${badges}.`,
    share: 'Proporción',
    scores: {
      title: 'Carteras por puntuación',
      about: 'Cuántas carteras tienen una puntuación en cada intervalo.',
      logarithmic: 'Cada línea vale diez veces más que la de abajo.',
      range: 'Puntuación',
    },
    over: (score) => `${score} o más`,
    growth: {
      title: 'Carteras a lo largo del tiempo',
      explained: 'Cada cartera cuenta desde el día de su primera actividad.',
      about: (from, first, until, last) => `Carteras del ${from} (${first}) al ${until} (${last})`,
      behind: 'Aún se están contando las carteras más recientes.',
      by: 'Hasta',
      all: 'Todas',
    },
  },
  badge: {
    title: (name) => `${name} (insignia)`,
    description: (name, holders) =>
      `${name}: quién tiene esta insignia, primero las más recientes. ${holders}.`,
    alt: (name, rarity) => `${name}: insignia ${rarity.toLowerCase()}`,
    kind: (rarity) => `Insignia ${rarity.toLowerCase()}`,
    holders: (count, shown) =>
      `${shown} ${count === 1 ? 'cartera la tiene' : 'carteras la tienen'}`,
    shareOf: (percent) => `${percent} de todas las carteras`,
    newest: 'Quién la tiene',
    none: 'Nadie ha ganado aún esta insignia.',
    earned: 'Ganada',
    older: 'Anteriores',
    newestFirst: 'Las más recientes',
  },
  share: {
    title: 'Comparte esta página',
    copyLink: 'Copiar el enlace',
    copied: 'Copiado',
    notCopied: 'No se pudo copiar',
    on: (site) => `Compartir en ${site}`,
    invite: 'Consulta carteras en tu chat',
    inviteAbout: 'Añade Fathom a tu servidor o grupo y escribe /rep.',
    add: (chat) => `Añadir a ${chat}`,
  },
  lost: {
    wallet: {
      title: 'Aún sin actividad',
      about:
        'La dirección es válida, pero no conocemos ninguna actividad de esta cartera, así que no tiene puntuación. Comprueba cada carácter o prueba con otra.',
    },
    address: {
      title: 'Esto no es la dirección de una cartera',
      about:
        'Usa una dirección de Ethereum (0x y 40 cifras hexadecimales), de Solana (de 32 a 44 caracteres, distingue mayúsculas) o de Algorand (58 caracteres). Puede que falte o sobre algún carácter.',
    },
    name: {
      title: 'Este nombre no lleva a ninguna cartera',
      about:
        'Ninguna cartera está registrada con este nombre, o no se puede comprobar ahora mismo. Revisa la ortografía o usa la dirección.',
    },
    badge: {
      title: 'No existe esa insignia',
      about: 'Aquí nunca ha habido una insignia con este identificador.',
    },
    holders: {
      title: 'Aquí no hay listas de insignias',
      about: 'Este servicio lee sus datos de otro, que no dice quién tiene una insignia.',
    },
    page: { title: 'No existe esa página', about: 'Las páginas se numeran desde 1.' },
    board: {
      title: 'No existe esa clasificación',
      about:
        'En la dirección, «chain» puede ser eth, sol o algo, y «period» 7d, 30d o 90d. Sin ellos, es de todas las cadenas y desde siempre.',
    },
    path: {
      title: 'No existe esta página',
      about: 'Puede que el enlace tenga un error o que la página ya no exista.',
    },
    link: {
      title: 'Este enlace no funciona',
      about: 'Está dañado o pide algo que no tenemos. Cópialo de nuevo.',
    },
    longLink: {
      title: 'Este enlace es demasiado largo',
      about: 'Ninguna página tiene aquí una dirección tan larga. Copia el enlace de nuevo.',
    },
    method: {
      title: 'Esta página es de solo lectura',
      about: 'No acepta nada que se le envíe. Ábrela como un enlace.',
    },
    headers: {
      title: 'Tu navegador ha enviado demasiados datos',
      about: 'Suele deberse a las cookies. Borra las de este sitio y recarga la página.',
    },
    refused: {
      title: 'Esta solicitud no se ha aceptado',
      about: 'Vuelve atrás e inténtalo de nuevo.',
    },
    tooMany: {
      title: 'Demasiadas páginas a la vez',
      about: (seconds, shown) =>
        `Espera ${shown} ${seconds === 1 ? 'segundo' : 'segundos'} y recarga esta página.`,
    },
    unavailable: {
      title: 'Los datos no están disponibles ahora mismo',
      about: 'Recarga esta página en un momento.',
    },
    bug: {
      title: 'Algo ha fallado por nuestra parte',
      about: 'Lo hemos registrado. Si se repite, avisa e incluye este identificador.',
    },
    reload: 'Recargar',
    next: 'Ir a la clasificación',
  },
};
