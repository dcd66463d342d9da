import type { Words } from './words.ts';

export const es: Words = {
  language: 'es',
  name: 'Español',
  page: {
    title: 'Fathom: reputación de carteras para comunidades',
    headline: 'Reputación de carteras para comunidades de Ethereum, Solana y Algorand',
    lead: 'Escribe un comando como en un chat y mira la respuesta tal como la muestran Discord y Telegram. Sin cuenta ni token.',
    skip: 'Ir al comando',
    docs: 'Documentación',
    openApi: 'OpenAPI',
    languages: 'Idioma',
    theme: 'Colores',
    themes: { system: 'Sistema', light: 'Claro', dark: 'Oscuro' },
    command: 'Comando',
    ask: 'Preguntar',
    hint: 'Intro pregunta. La flecha arriba recupera lo anterior.',
    suggestions: 'Sugerencias',
    examples: 'Prueba uno de estos',
    views: 'Ver la respuesta como en',
    noScript:
      'Para dibujar respuestas esta página necesita JavaScript, que está desactivado. Las mismas cifras están en',
  },
  browser: {
    used: 'Usaste {}',
    thinking: 'Fathom está pensando',
    onlyYou: 'Solo tú puedes ver esto',
    answered: 'Respuesta: {}',
    found: 'Sugerencias: {}',
    opensPage: 'abre una página',
    unreachable: 'No se puede contactar con Fathom. Puede fallar tu conexión o el servicio.',
    wait: 'Han sido muchas preguntas. Espera {} segundos, por favor.',
    refused: 'Fathom no aceptó esta pregunta.',
    again: 'Reintentar',
  },
  answers: {
    privateTitle: 'No en esta página',
    private: (command) =>
      `${command} responde a una sola persona y esta página no conoce a nadie: aquí no se dan claves. Pídeselo al bot en Discord o Telegram.`,
  },
};
