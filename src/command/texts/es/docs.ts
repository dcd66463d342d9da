import type { DocsTexts } from '#command/texts/en/docs';

/** Texts of the API docs, in Spanish. */
export const esDocs: DocsTexts = {
  docs: {
    title: 'API de Fathom',
    skip: 'Ir al contenido',
    lead: 'puntuaciones y niveles, insignias, actividad, una clasificación y estadísticas. Solo lectura, JSON, sin registro.',
    demo: 'Datos de demostración: todas las carteras son inventadas.',
    baseUrl: 'URL base',
    playground: 'Probar los comandos',
    openApi: (version) => `Documento OpenAPI ${version}`,
    errorCodes: 'Códigos de error',
    languages: 'Idioma',
    contents: 'Contenido',
    guide: 'Guía',
    allCodes: (count) => `Los ${count} códigos`,
    footer: 'Fathom es software libre con licencia MIT.',

    start: {
      title: 'Primeros pasos',
      about: 'Consulta cualquier cartera. La cadena se deduce de la dirección.',
      tiers:
        'La puntuación es la suma de los puntos de las actividades de una cartera, nunca menos de 0. Hay cinco niveles, de la superficie al fondo: Shrimp, Dolphin, Shark, Whale y Titan. El puesto es 1 + el número de usuarios con más puntuación, así que a igual puntuación, igual puesto.',
      format:
        'Envía peticiones `GET` y recibe JSON. Las horas son UTC en segundos enteros, como `2025-12-15T14:30:00Z`. Las respuestas dan las direcciones en su forma canónica.',
      noWallet:
        'Esta instancia no puede mostrar ahora ninguna cartera: pon una tuya en lugar de `ADDRESS`. Las respuestas de abajo son inventadas.',
    },

    resources: {
      title: 'Recursos',
      parameters: 'Parámetros',
      parametersOf: (name) => `Parámetros de ${name}`,
      noParameters: 'Sin parámetros.',
      request: 'Petición',
      response: 'Respuesta',
      shortened: (count) => `Aquí las listas se cortan a ${count} elementos.`,
      fields: 'Campos',
      fieldsOf: (name) => `Campos de ${name}`,
      errors: 'Errores',
      ownErrors: 'Cualquier recurso puede devolver además los',
      commonErrors: 'errores comunes a todos',
      name: 'Nombre',
      place: 'En',
      values: 'Valores',
      meaning: 'Significado',
      field: 'Campo',
      type: 'Tipo',
      pathRequired: 'ruta, obligatorio',
      query: 'consulta',
      queryRequired: 'consulta, obligatorio',
      anAddress: 'la dirección de una cartera',
      aDate: 'una fecha, AAAA-MM-DD',
      addresses: (most) => `de 1 a ${most} direcciones de carteras, separadas por comas`,
      byDefault: 'por defecto',
      from: (least) => `desde ${least}`,
      range: (least, most) => `de ${least} a ${most}`,
      oneOf: 'Uno de',
      types: {
        string: 'texto',
        integer: 'entero',
        number: 'número',
        boolean: 'booleano',
        object: 'objeto',
      },
      arrayOf: {
        string: 'lista de textos',
        object: 'lista de objetos',
      },
      orNull: 'o null',
      deprecated: 'Obsoleto',
    },

    tryIt: {
      title: 'Pruébalo',
      send: 'Enviar la petición',
      leaveOut: 'sin indicar',
      sending: 'Enviando…',
      unreachable: 'No se puede contactar con Fathom. Comprueba tu conexión e inténtalo de nuevo.',
      copy: 'Copiar',
      copied: 'Copiado',
      marked: 'No se ha podido copiar. El texto está seleccionado: cópialo tú.',
    },

    limits: {
      title: 'Límites',
      table: 'Peticiones por minuto',
      who: 'Quién',
      perMinute: 'Peticiones por minuto',
      countedBy: 'Se cuentan por',
      withoutKey: 'Sin clave',
      withKey: 'Con clave',
      byAddress: 'dirección IP (en IPv6, el /64)',
      byKey: 'clave',
      about:
        'Cada minuto empieza con tu primera petición. Cuentan todas las peticiones a `/v1`, también los errores y los 304. Una lista de direcciones cuenta como una petición por cada 10, redondeando hacia arriba; si quedan menos, es un `429` que no gasta ninguna. Cada respuesta dice cuántas te quedan:',
      headers: 'Cabeceras del límite',
      header: 'Cabecera',
      example: 'Ejemplo',
      policy: 'El límite que se aplica: q peticiones en w segundos.',
      left: 'Quedan r peticiones; en t segundos vuelves a tenerlas todas.',
      sameLimit: 'El mismo límite, para clientes que conocen estos nombres.',
      remaining: 'Peticiones que quedan.',
      reset: 'Cuándo vuelves a tenerlas todas, en segundos desde 1970.',
      retryAfter: 'En un 429 o un 503: segundos que hay que esperar.',
    },

    keys: {
      title: 'Claves de API',
      about:
        'Una clave es gratis y sube el límite; no cambia nada más. Escribe `/apikey` en un chat y te la damos solo a ti, o ejecuta `fathom keys create` en tu propio servidor. Se muestra una sola vez, así que guárdala. Puedes tener tres y revocar la que se haya filtrado.',
      rules:
        '`X-API-Key: fth_…` hace lo mismo. No pongas nunca una clave en una URL: las URL acaban en registros. Una clave errónea es un `401`; nunca se trata como si no hubiera clave. Tras cinco claves erróneas en 30 segundos, las claves de tu dirección se ignoran hasta que pasen esos 30 segundos.',
    },

    http: {
      title: 'Caché y HTTP',
      points: {
        etag: 'Un `200` lleva un `ETag` y se puede guardar 30 segundos. Devuélvelo en `If-None-Match`: mientras los datos sean los mismos recibes un `304` sin cuerpo. `If-Modified-Since` hace lo mismo por fecha; un `If-Match` o `If-Unmodified-Since` que no se cumple es un `412`.',
        freshness:
          '`Last-Modified` es la hora de los datos más recientes de una respuesta. `Age` dice hace cuántos segundos se sabía que eran actuales. `Reputation-Status: stale` significa que pueden faltar datos más recientes.',
        demo: 'En una instancia con datos de demostración, cada respuesta lleva `Fathom-Data: demo`; mientras aún se leen cadenas, `Fathom-Data: partial`.',
        methods:
          '`HEAD` equivale a `GET` sin cuerpo; `OPTIONS` enumera los métodos. Cualquier otro es un `405`.',
        cors: 'Cualquier sitio web puede usar la API desde el navegador (CORS, sin credenciales).',
        compression:
          'Los cuerpos de más de 1 KiB se comprimen si envías `Accept-Encoding` con `br` o `gzip`.',
        requestId:
          'Cada respuesta lleva un `X-Request-Id`. Inclúyelo cuando avises de un problema.',
        tracing: '`traceparent` y `tracestate` se aceptan también desde navegadores.',
        paths: 'Las rutas son exactas: mayúsculas, barras dobles y barras al final son un `404`.',
        parameters:
          'Un parámetro desconocido o repetido es un error, para que una errata no devuelva nunca la lista equivocada.',
        sizes:
          'Las cabeceras pueden ocupar 16 KiB en total; ruta y consulta, 2.048 caracteres, u 8.192 si es una lista de direcciones. Las cabeceras deben llegar en 5 segundos y la petición entera en 10.',
      },
    },

    errors: {
      title: 'Errores',
      about:
        'Cada error es un documento RFC 9457, `application/problem+json`. `code` es estable y para programas; `detail` es para personas y puede cambiar; `errors` enumera los parámetros no válidos. Los textos de la API están en inglés.',
    },

    deprecation: {
      title: 'Obsolescencia',
      about:
        'Nada de `/v1` se quita ni cambia de significado sin un año de aviso. Se pueden añadir campos y recursos en cualquier momento, así que ignora los campos que no conozcas.',
      headers:
        'Desde el día del aviso, cada respuesta del recurso lleva `Deprecation` (RFC 9745) con la fecha del aviso, `Sunset` (RFC 8594) con la fecha desde la que puede dejar de funcionar y un `Link` a esta sección. El registro de cambios dice lo mismo.',
      none: 'Ahora no hay nada obsoleto.',
      table: 'Obsoleto',
      what: 'Qué',
      since: 'Desde',
      sunset: 'Funciona hasta',
      instead: 'En su lugar',
    },

    guides: {
      title: 'Guías',
      lead: 'De principio a fin: dar acceso por nivel, mostrar una clasificación, mantener una copia y recibir webhooks.',
      gate: {
        title: 'Proteger una página por nivel',
        points: [
          'Una dirección no demuestra nada: cualquiera puede escribirla. Pide primero que demuestren que la cartera es suya, por ejemplo con Sign-In with Ethereum, y consulta su nivel en tu servidor.',
          'Hay tres respuestas: sí, no y no se sabe. Una cartera sin actividad es un `404`, que es un no. Un error no lo es, ni tampoco una respuesta con `Reputation-Status: stale` o `Fathom-Data: partial`: deja lo que había y pregunta más tarde.',
        ],
      },
      leaderboard: {
        title: 'Mostrar una clasificación',
        points: [
          'Cualquier web puede preguntar desde el navegador, sin clave. El navegador guarda la respuesta 30 segundos y luego pregunta por su `ETag`, así que recargar la página cuesta poco.',
          'Escribe los nombres como texto: los elige la gente.',
        ],
      },
      copy: {
        title: 'Mantener una copia al día',
        points: [
          'Empieza por la clasificación y sigue con `GET /v1/changes`: los cambios antiguos se borran, así que no suman todas las carteras. Guarda su cursor con tus datos: desde ahí no falta nada ni viene nada dos veces. Como flujo, los cambios llegan según ocurren.',
          'Un `410` significa que no se conoce el cursor, como tras restaurar una copia de seguridad: lee de nuevo la clasificación y sigue sin cursor. La cabecera `Reputation-Cursor` dice hasta dónde llega cada respuesta, porque una réplica puede ir retrasada. `WalletCopy`, del cliente, hace todo eso.',
        ],
      },
      webhooks: {
        title: 'Recibir webhooks',
        points: [
          'El operador de la instancia añade tu URL con `fathom webhooks add` y te da el secreto. Los envíos siguen Standard Webhooks: comprueba la firma sobre el cuerpo tal como llegó y rechaza marcas de tiempo antiguas.',
          'Responde con un 2xx en 10 segundos y trabaja después. El mismo envío puede repetirse con el mismo `webhook-id`; los eventos de una cartera llegan en orden.',
        ],
      },
    },

    changelog: {
      title: 'Registro de cambios',
      language: 'Las versiones más recientes, con todo lo que nota quien usa Fathom. En inglés.',
    },
  },
};
