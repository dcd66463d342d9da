import type { CommandTexts } from './en-commands.ts';
import { esCard } from './es-card.ts';
import { esGate } from './es-gate.ts';

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
    match: 'combinar',
    exclusive: 'exclusivo',
    grace: 'plazo',
    channel: 'canal',
    rule: 'regla',
    badge: 'insignia',
    command: 'comando',
    ...esCard.cardOptions,
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
    top: {
      about: 'Clasificación: las carteras con más puntuación',
      example: '/top solana',
      options: {
        chain: 'Solo carteras de esta cadena',
        page: 'Qué página mostrar',
        wallet: 'Muestra la página en la que está esta cartera',
      },
    },
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
    privacy: {
      about: 'Elige quién puede ver tus carteras; exporta o borra tus datos',
      example: '/privacy',
      options: {
        choice: 'Quién puede verlas o qué hacer; sin nada, se muestran tus ajustes',
        sure: 'Confirma que quieres borrar tus datos para siempre',
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
