/**
 * Spanish for the descriptions in `/openapi.json`, keyed by the English sentence: a reworded sentence
 * has no translation rather than a wrong one, and a test fails.
 */
export const esReference: Readonly<Record<string, string>> = {
  'Wallet reputation on Ethereum, Solana and Algorand':
    'Reputación de carteras en Ethereum, Solana y Algorand',

  // Resources and parameters
  'Reputation of a wallet': 'Reputación de una cartera',
  "A wallet's score, tier, rank and badges.":
    'Puntuación, nivel, puesto e insignias de una cartera.',
  'An Ethereum, Solana or Algorand wallet address.':
    'Dirección de una cartera de Ethereum, Solana o Algorand.',
  "The wallet's chain. Detected from the address if omitted; a chain that contradicts the address is an error.":
    'La cadena de la cartera. Si falta, se deduce de la dirección; una cadena que la contradice es un error.',
  'Badges of a wallet': 'Insignias de una cartera',
  'All badges a wallet has earned. A wallet with activity but no badges has an empty list.':
    'Todas las insignias que ha ganado una cartera. Una cartera con actividad pero sin insignias tiene una lista vacía.',
  'All activities of a wallet': 'Todas las actividades de una cartera',
  'All activities, page by page, newest first and equal times by id. `after` names the last activity you have seen, so activities that arrive meanwhile neither repeat nor hide any.':
    'Todas las actividades, página a página, de la más reciente a la más antigua y, a igual hora, por id. `after` indica la última actividad que has visto, así que las que llegan entretanto no repiten ni ocultan ninguna.',
  'Continue after the activity with this id: `next` of the page before. Without it, the newest.':
    'Sigue después de la actividad con este id: el `next` de la página anterior. Si falta, empieza por las más recientes.',
  'Maximum number of activities to list. Values above 1000 are treated as 1000.':
    'Número máximo de actividades de la lista. Los valores superiores a 1000 se tratan como 1000.',
  'Continue with `after` and this; null on the last page.':
    'Sigue con `after` y este valor; null en la última página.',
  'Whether another page follows.': 'Si sigue otra página.',
  'Top users by reputation score': 'Usuarios con más puntuación',
  'Users by score, paginated. An offset past the end returns an empty page, not an error. Equal scores share a rank and are sorted by address, so pages are stable.':
    'Usuarios por puntuación, en páginas. Un `offset` más allá del final da una página vacía, no un error. A igual puntuación, igual puesto, y orden por dirección, así que las páginas son estables.',
  'Maximum number of users to list. Values above 500 are treated as 500.':
    'Máximo de usuarios de la lista. Los valores por encima de 500 se toman como 500.',
  'Number of users to skip.': 'Número de usuarios que se saltan.',
  "Only this chain's users; `rank` and `total` then count among them.":
    'Solo usuarios de esta cadena; `rank` y `total` cuentan entonces entre ellos.',
  'Recent activity of a wallet': 'Actividad reciente de una cartera',
  "A wallet's latest activities with the points they earned.":
    'Las últimas actividades de una cartera con los puntos que dieron.',
  'Maximum number of activities to list. Values above 200 are treated as 200.':
    'Máximo de actividades de la lista. Los valores por encima de 200 se toman como 200.',
  'Platform-wide statistics': 'Estadísticas globales',
  'Number of users, by chain and by tier.': 'Número de usuarios, por cadena y por nivel.',

  'What changed': 'Qué ha cambiado',
  'Each change of a score, tier or badges, in the order of commits: from a cursor on, no change is missing or repeated. Without `after` it starts with the next change; `after=0` starts at the oldest change that is kept, by default from the last 30 days. A wallet that new rules leave without activity is listed with a score of 0 and `noActivity`. With `Accept: text/event-stream`, changes arrive as server-sent events (`change` and `rules`) as they happen; `Last-Event-ID` takes precedence over `after`. A stream costs one request.':
    'Cada cambio de puntuación, nivel o insignias, en el orden en que se guardaron: desde un cursor no falta ninguno ni se repite. Sin `after` empieza por el próximo cambio; `after=0` empieza por el cambio más antiguo que se guarda, por defecto de los últimos 30 días. Una cartera que se queda sin actividad por unas reglas nuevas figura con 0 puntos y `noActivity`. Con `Accept: text/event-stream`, los cambios llegan según ocurren, como eventos enviados por el servidor (`change` y `rules`); `Last-Event-ID` prevalece sobre `after`. Un flujo cuesta una petición.',
  'Continue after this cursor; 0 for the oldest change.':
    'Sigue después de este cursor; 0 para el cambio más antiguo.',
  'Maximum number of changes. Values above 1000 are treated as 1000.':
    'Máximo de cambios. Los valores por encima de 1000 se toman como 1000.',
  "Only this chain's wallets; new rules are always included.":
    'Solo carteras de esta cadena; las reglas nuevas se anuncian siempre.',
  'In the order of commits. New rules come before the changes they cause.':
    'En el orden en que se guardaron. Las reglas nuevas se anuncian antes que sus cambios.',
  'Continue after this change with `after`.': 'Sigue después de este cambio con `after`.',
  'The score before; null for a wallet without any activity before.':
    'La puntuación anterior; null para una cartera que no tenía actividad.',
  'The tier before; null as `previousScore`.': 'El nivel anterior; null como `previousScore`.',
  'Only for a wallet that new rules left without activity: it leaves the leaderboard, and asking for it is a 404. Otherwise missing.':
    'Solo en una cartera que se quedó sin actividad por unas reglas nuevas: deja la clasificación, y consultarla da un 404. Si no, falta.',
  'Ids of the badges earned, sorted.': 'Identificadores de las insignias ganadas, en orden.',
  'When it was committed. UTC, whole seconds.': 'Cuándo se guardó. UTC, segundos enteros.',
  'Continue with the changes caused by the rules.': 'Sigue con los cambios que traen las reglas.',
  'Their version.': 'Su versión.',
  'SHA-256 of the rules file.': 'SHA-256 del archivo de reglas.',
  'When they went live. UTC, whole seconds.': 'Cuándo entraron en vigor. UTC, segundos enteros.',
  'Cursor for the next request, also if there is nothing new.':
    'Cursor para la petición siguiente, también si no hay nada nuevo.',
  'Whether the next page has changes already.': 'Si la página siguiente ya tiene cambios.',

  'Where a score comes from': 'De dónde viene una puntuación',
  'Points by rule, what was held back, and imported points separately. They add up to the score before its floor of 0.':
    'Los puntos por regla, con lo que se retuvo, y aparte los importados. Suman la puntuación antes de limitarla a 0.',
  'History of a score': 'Historial de una puntuación',
  'The score at the end of each UTC day on which it changed, oldest first; at most the newest 1,000 days of the range.':
    'La puntuación al final de cada día UTC en que cambió, el más antiguo primero; como mucho los 1.000 días más recientes del intervalo.',
  'First day of the range (UTC), inclusive.': 'Primer día del intervalo (UTC), incluido.',
  'Last day of the range (UTC), inclusive.': 'Último día del intervalo (UTC), incluido.',
  'What all scores are based on': 'En qué se basan todas las puntuaciones',
  'The live rules, how far the scores include each source, and a digest of all scores that anyone can verify.':
    'Las reglas vigentes, hasta dónde entra cada fuente en las puntuaciones, y un resumen criptográfico de todas ellas con el que cualquiera puede verificarlas.',

  'Reputation of several wallets': 'Reputación de varias carteras',
  'Up to 100 records at once, all from the same state of the data. It counts as one request for each 10 addresses, rounded up; if fewer are left, it is rejected as a whole and uses none.':
    'Hasta 100 registros de una vez, todos del mismo estado de los datos. Cuenta como una petición por cada 10 direcciones, redondeando hacia arriba; si quedan menos, se rechaza entera y no gasta ninguna.',
  'Badges of several wallets': 'Insignias de varias carteras',
  'The badges of up to 100 wallets at once. It counts like the list of reputations: one request per 10 addresses.':
    'Las insignias de hasta 100 carteras de una vez. Cuenta como la lista de reputaciones: una petición por cada 10 direcciones.',
  'Wallet addresses, separated by commas. Duplicates are answered and counted each time.':
    'Direcciones de carteras, separadas por comas. Las repetidas se responden y cuentan cada vez.',

  // Fields
  'One per address, in the same order.': 'Uno por dirección, en el orden pedido.',
  'What is wrong and how to fix it.': 'Qué está mal y cómo arreglarlo.',
  'The address as you sent it.': 'La dirección tal como la enviaste.',
  'Why there is no record; the codes are those of single requests.':
    'Por qué no hay registro; como en los errores de peticiones sueltas.',
  'The last daily step included in the scores, always 00:00. Null without rules. UTC, whole seconds.':
    'El último paso diario incluido en las puntuaciones, siempre a las 00:00. Null sin reglas. UTC, segundos enteros.',
  'Id of the rule.': 'Identificador de la regla.',
  'Version of the rules file.': 'Versión del archivo de reglas.',
  'The rule in words, in English.': 'La regla en palabras, en inglés.',
  'Sum of the points the rule gave.': 'Suma de los puntos que dio la regla.',
  'Number of events; for a rule about holding, of days that gave points. Adjustments aren’t counted.':
    'Número de eventos; en una regla de tenencia, de días que dieron puntos. Los ajustes no cuentan.',
  'Points held back by a cap.': 'Puntos retenidos por un tope.',
  'Points lost to a half-life.': 'Puntos perdidos por la semivida.',
  'Points held back by discounts.': 'Puntos retenidos por descuentos.',
  'When the newest of these events was, or its newest day ended. UTC, whole seconds.':
    'Cuándo fue el más reciente de estos eventos, o cuándo acabó el último de estos días. UTC, segundos enteros.',
  'The rules that gave anything, in the order of the rules file.':
    'Las reglas que dieron algo, en el orden del archivo de reglas.',
  'Sum of the points of imported activities.': 'Suma de los puntos de las actividades importadas.',
  'Number of imported activities.': 'Número de actividades importadas.',
  'Activities that were imported with their own points.': 'Lo que se importó con puntos propios.',
  'UTC day.': 'Día UTC.',
  'Score at the end of the day.': 'Puntuación al final del día.',
  'The days on which the score changed, oldest first: at most the newest 1,000 in the range.':
    'Los días en que cambió la puntuación, el más antiguo primero: como mucho los 1.000 más recientes del intervalo.',
  'Name of the rules.': 'Nombre de las reglas.',
  'SHA-256 of the canonical form of the rules.': 'SHA-256 de la forma canónica de las reglas.',
  'When these rules went live. UTC, whole seconds.':
    'Cuándo entraron en vigor estas reglas. UTC, segundos enteros.',
  'The rules that are live. Null without rules.': 'Las reglas vigentes. Null sin reglas.',
  'Id of the source; `import` for all imported events.':
    'Identificador de la fuente; `import` para todos los eventos importados.',
  'Chain of the source, as in the rules file. Null for imports.':
    'Cadena de la fuente, como en el archivo de reglas. Null en las importaciones.',
  'The block, slot or round up to which the scores include the source. For imports, the number of events.':
    'El bloque, slot o ronda hasta el que la fuente entra en las puntuaciones. En las importaciones, el número de eventos.',
  'Hash of that block. Null if there is none.': 'Hash de ese bloque. Null si no lo hay.',
  "That block's time; for imports, that of the newest event. Null before the first. UTC, whole seconds.":
    'La hora de ese bloque; en las importaciones, la del evento más reciente. Null antes del primero. UTC, segundos enteros.',
  '1 if only a single node was read, so nothing could be compared; otherwise absent.':
    '1 si se preguntó a un solo nodo y no se pudo comparar nada; si no, falta.',
  'The sources of the live rules. Empty without rules.':
    'Las fuentes de las reglas vigentes. Vacío sin reglas.',
  'SHA-256 over a line `address score` for each wallet with activity, in byte order of the addresses.':
    'SHA-256 sobre una línea `address score` por cada cartera con actividad, en el orden de bytes de las direcciones.',

  'Wallet address in its canonical form: EIP-55 for Ethereum, base58 for Solana, base32 for Algorand.':
    'Dirección de la cartera en su forma canónica: EIP-55 en Ethereum, base58 en Solana, base32 en Algorand.',
  'Full name of the chain.': 'Nombre completo de la cadena.',
  'Sum of the points of all activities, never below 0.':
    'Suma de los puntos de todas las actividades, nunca menos de 0.',
  'Tier of the score.': 'Nivel de la puntuación.',
  '1 + the number of users with a higher score among all users. Equal scores share a rank.':
    '1 + el número de usuarios con más puntuación, entre todos. A igual puntuación, igual puesto.',
  'Wallets with at least one activity.': 'Carteras con al menos una actividad.',
  'Display names of the badges.': 'Nombres visibles de las insignias.',
  "When the wallet's record last changed. UTC, whole seconds.":
    'Cuándo cambió por última vez el registro de la cartera. UTC, segundos enteros.',
  'Sorted by id.': 'Ordenadas por identificador.',
  'Badge id.': 'Identificador de la insignia.',
  'Display name.': 'Nombre visible.',
  'What the badge is awarded for.': 'Por qué se da la insignia.',
  'Rarity.': 'Rareza.',
  'When the wallet earned it. UTC, whole seconds.':
    'Cuándo la ganó la cartera. UTC, segundos enteros.',
  'Absolute image URL.': 'URL absoluta de la imagen.',
  "Whether it can't be transferred to another wallet.": 'Si no se puede transferir a otra cartera.',
  'Number of badges.': 'Número de insignias.',
  'By score, highest first; equal scores by address.':
    'Por puntuación, la más alta primero; a igual puntuación, por dirección.',
  '1 + the number of users with a higher score among the filtered users. Equal scores share a rank.':
    '1 + el número de usuarios con más puntuación, entre los filtrados. A igual puntuación, igual puesto.',
  "The user's display name, or the shortened address.":
    'El nombre visible del usuario, o la dirección abreviada.',
  'Number of filtered users.': 'Número de usuarios filtrados.',
  'The limit that was applied.': 'El límite que se ha aplicado.',
  'The offset that was applied.': 'El `offset` que se ha aplicado.',
  'Newest first; equal times by id.': 'Las más recientes primero; a igual hora, por identificador.',
  'Stable across imports.': 'El mismo en cada importación.',
  'Kind of activity. An open list: `badge_earned`, `governance_vote` and any other label in this format.':
    'Tipo de actividad. Lista abierta: `badge_earned`, `governance_vote` y cualquier otra etiqueta con este formato.',
  'Human-readable description.': 'Descripción para personas.',
  'Points earned; may be negative.': 'Puntos que dio; pueden ser negativos.',
  'When it happened. UTC, whole seconds.': 'Cuándo ocurrió. UTC, segundos enteros.',
  'Total number of activities of the wallet, not only those listed.':
    'Número total de actividades de la cartera, no solo las de la lista.',
  'Badges earned by all users.': 'Insignias ganadas por todos los usuarios.',
  'Users on this chain.': 'Usuarios de esta cadena.',
  'Rounded to 2 decimals.': 'Redondeada a 2 decimales.',
  'Users by tier.': 'Usuarios por nivel.',
  'Users in this tier.': 'Usuarios de este nivel.',

  // Errors
  'Not a wallet address': 'No es la dirección de una cartera',
  'The address has an unknown format, a wrong checksum, or invalid percent-encoding.':
    'La dirección tiene un formato desconocido, una suma de control errónea o una codificación con % no válida.',
  'Copy the address again. A mixed-case Ethereum address must have a valid EIP-55 checksum; on the other chains, addresses are case-sensitive.':
    'Copia de nuevo la dirección. Una de Ethereum con mayúsculas y minúsculas debe llevar su suma EIP-55; en las otras cadenas se distinguen mayúsculas y minúsculas.',
  'Address belongs to another chain': 'La dirección es de otra cadena',
  'The address is valid, but not on the chain given in `chain`.':
    'La dirección es válida, pero no de la cadena indicada en `chain`.',
  'Omit `chain` to detect it from the address, or use the chain named in `detail`.':
    'Omite `chain` para deducirla de la dirección, o usa la cadena que nombra `detail`.',
  'Invalid parameter': 'Parámetro no válido',
  'A parameter has an invalid value.': 'Un parámetro tiene un valor no válido.',
  'See `errors`: it lists each parameter and what it accepts.':
    'Mira `errors`: enumera cada parámetro y lo que acepta.',
  'Unknown parameter': 'Parámetro desconocido',
  'The resource has no parameter of this name, so the response might not be what you want.':
    'El recurso no tiene ningún parámetro con este nombre, así que la respuesta podría no ser la que quieres.',
  'Check the spelling. `errors` lists the parameters that exist.':
    'Comprueba cómo está escrito. `errors` enumera los parámetros que hay.',
  'Duplicate parameter': 'Parámetro repetido',
  'A parameter occurs more than once, and picking one would be a guess.':
    'Un parámetro aparece más de una vez, y elegir uno sería adivinar.',
  'Send each parameter once.': 'Envía cada parámetro una sola vez.',
  'Malformed request': 'Petición mal formada',
  "The request isn't valid HTTP, or it doesn't have exactly one valid Host header.":
    'La petición no es HTTP válido, o no lleva exactamente una cabecera Host válida.',
  'Check what your client actually sends. Any common HTTP library gets this right.':
    'Comprueba qué envía de verdad tu cliente. Cualquier biblioteca HTTP corriente lo hace bien.',
  'Invalid API key': 'Clave de API no válida',
  'The key is mistyped, unknown or revoked, or the header is malformed.':
    'La clave está mal escrita, no se conoce o se ha revocado, o la cabecera está mal formada.',
  'Send one key as `Authorization: Bearer …` or `X-API-Key: …`. Without a key the public limit applies; an invalid key is never treated as no key.':
    'Envía una sola clave como `Authorization: Bearer …` o `X-API-Key: …`. Sin clave se aplica el límite público; una clave no válida nunca se trata como si no hubiera clave.',
  'Wallet not found': 'Cartera no encontrada',
  'The address is valid, but the wallet has no activity.':
    'La dirección es válida, pero la cartera no tiene actividad.',
  'The request is fine. A wallet whose score fell to zero is still found; this one has no activity yet.':
    'La petición es correcta. Una cartera cuya puntuación bajó a cero se encuentra; esta aún no tiene actividad.',
  'Resource not found': 'Recurso no encontrado',
  "No resource exists at this path, or the upstream that this instance reads from doesn't have it.":
    'No hay ningún recurso en esta ruta, o la instancia de la que lee esta no lo tiene.',
  'Compare the path with the resources on this page. Case, double slashes and trailing slashes matter.':
    'Compara la ruta con los recursos de esta página. Importan las mayúsculas, las barras dobles y las del final.',
  'Method not allowed': 'Método no permitido',
  'The resource is read-only.': 'El recurso es de solo lectura.',
  'Use one of the methods in the `Allow` header.': 'Usa uno de los métodos de la cabecera `Allow`.',
  'Request timeout': 'La petición tardó demasiado',
  'The headers did not arrive within 5 seconds, or the whole request within 10.':
    'Las cabeceras no llegaron en 5 segundos, o la petición entera en 10.',
  'Send the request at once, over a new connection.':
    'Envía la petición de una vez, por una conexión nueva.',
  'URI too long': 'URI demasiado larga',
  'Path and query together exceed 2,048 characters, or 8,192 for a list of addresses.':
    'Ruta y consulta juntas pasan de 2.048 caracteres, u 8.192 si es una lista de direcciones.',
  'No request to this API needs that many. Check what your client adds.':
    'Ninguna petición a esta API necesita tantos. Comprueba qué añade tu cliente.',
  'Too many requests': 'Demasiadas peticiones',
  'You have used up the limit for this minute, opened too many streams, or sent too many wrong keys from this address.':
    'Has agotado el límite de este minuto, has abierto demasiados flujos, o han llegado demasiadas claves erróneas desde esta dirección.',
  'Wait the number of seconds in `Retry-After`. A free API key raises the limit.':
    'Espera los segundos de `Retry-After`. Una clave de API, gratis, sube el límite.',
  'Headers too large': 'Cabeceras demasiado grandes',
  'The headers exceed 16 KiB.': 'Las cabeceras pasan de 16 KiB.',
  "Send fewer or shorter headers. Cookies are the usual cause and aren't needed here.":
    'Envía menos cabeceras o más cortas. Suelen ser las cookies, que aquí no hacen falta.',
  'Internal error': 'Error interno',
  'Something went wrong on our side, and it has been logged.':
    'Algo ha fallado por nuestra parte y ha quedado registrado.',
  'Try again later. If it keeps happening, report it with the `requestId`.':
    'Inténtalo de nuevo más tarde. Si se repite, avisa e incluye el `requestId`.',
  'Cursor gone': 'El cursor ya no vale',
  "The cursor's commit is no longer known (after a restored backup or a failover), or the changes after it are no longer kept. In a list of activities: the wallet doesn't have that activity.":
    'El punto que señala el cursor ya no se conoce (tras restaurar una copia de seguridad o una conmutación por error), o los cambios posteriores ya no se guardan. En una lista de actividades: la cartera no tiene esa actividad.',
  'Read the leaderboard again, then continue without `after`, or with `after=0` for the oldest change that is kept. Read a list of activities again without `after`.':
    'Vuelve a leer la clasificación y sigue sin `after`, o con `after=0` para el cambio más antiguo que se guarda. Una lista de actividades se vuelve a leer sin `after`.',
  'Precondition failed': 'No se cumple la condición',
  'A condition of the request, `If-Match` or `If-Unmodified-Since`, is false.':
    'Una condición de la petición, `If-Match` o `If-Unmodified-Since`, no se cumple.',
  'Send the request without it. ETags here are weak and never match in `If-Match`; use `If-None-Match` to ask whether data has changed.':
    'Envía la petición sin ella. Aquí los ETag son débiles y nunca coinciden en `If-Match`; usa `If-None-Match` para preguntar si los datos han cambiado.',
  'Data unavailable': 'Datos no disponibles',
  'Data is unavailable right now, and no response is better than a wrong one.':
    'Ahora no hay datos disponibles, y más vale ninguna respuesta que una errónea.',
  'Try again after the number of seconds in `Retry-After`.':
    'Inténtalo de nuevo tras los segundos de `Retry-After`.',
};
