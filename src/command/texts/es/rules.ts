import type { enRules, enWhy } from '#command/texts/en/rules';

/** Describes a rules file, in Spanish. */
export const esRules: typeof enRules = {
  rules: {
    points: (points, isOne) => `${points} ${isOne ? 'punto' : 'puntos'}`,
    days: (days, isOne) => `${days} ${isOne ? 'día' : 'días'}`,
    pointsByAmount: (points, per, argument) => `${points} por cada ${per} de ${argument}`,
    most: (points) => `como máximo ${points} cada vez`,
    forEach: (points, event) => `${points} por cada ${event}`,
    forEachDay: (points, holding) => `${points} por cada día completo con ${holding}`,
    forEachDayAsked: (points, holding) =>
      `${points} por cada día que empieza y acaba con ${holding}, según el contrato`,
    event: {
      imported: (event) => `evento importado ${event}`,
      contract: (event, contracts, source) => `${event} de ${contracts} en ${source}`,
      instruction: (program, source) => `instrucción de ${program} en ${source}`,
      prefix: (event, prefix) => `${event} con datos que empiezan por ${prefix}`,
      appEvent: (event, app, source) => `${event} de la aplicación ${app} en ${source}`,
      appMethod: (method, app, source) =>
        `llamada a ${method} de la aplicación ${app} en ${source}`,
      received: (asset, source) => `transferencia recibida del activo ${asset} en ${source}`,
      sent: (asset, source) => `transferencia enviada del activo ${asset} en ${source}`,
      optin: (asset, source) => `primera adhesión al activo ${asset} en ${source}`,
      vote: (space, source) => `voto en ${space} en ${source}`,
    },
    holding: {
      erc20: (min, contract, source) => `al menos ${min} unidades base de ${contract} en ${source}`,
      token: (amount, contract, source) => `al menos ${amount} de ${contract} en ${source}`,
      asset: (amount, asset, source) => `al menos ${amount} del activo ${asset} en ${source}`,
      erc721: (min, contract, source) => `al menos ${min} de la colección ${contract} en ${source}`,
      erc1155: (min, token, contract, source) =>
        `al menos ${min} del token ${token} de ${contract} en ${source}`,
      asa: (min, asset, source) => `al menos ${min} unidades base del activo ${asset} en ${source}`,
      contract: (min, contract, source) =>
        `un saldo de al menos ${min} en ${contract} en ${source}`,
    },
    members: {
      each: (points) => `${points} cada vez`,
      eachDay: (points) => `${points} por cada día completo`,
      eachDayAsked: (points) => `${points} por cada día, si se tiene al empezar y al acabar`,
      atLeast: (amount) => `con al menos ${amount}`,
      forEvery: (points, per) => `${points} por cada ${per}`,
      byAmount: 'puntos según la cantidad',
    },
    where: (conditions) => `si ${conditions}`,
    compare: {
      eq: 'es',
      ne: 'no es',
      gt: '>',
      gte: '≥',
      lt: '<',
      lte: '≤',
      in: 'es uno de',
    },
    and: 'y',
    argument: (name) => `«${name}»`,
    place: (place) => `«argumento ${place}»`,
    to: (whom) => `para ${whom}`,
    account: (place) => `la cuenta ${place} de la instrucción`,
    ownerOf: (place) => `el propietario de la cuenta ${place} de la instrucción`,
    once: (names) => `una vez por ${names}`,
    capPer: (points, days) => `como máximo ${points} en ${days}`,
    capEver: (points) => `como máximo ${points} en total`,
    halfLife: (days) => `se reduce a la mitad cada ${days}`,
    earns: (badge) => `da la insignia «${badge}»`,
    badge: (name, need) => `«${name}» por ${need}`,
    needCount: (count, isOne, type) =>
      `${count} ${isOne ? 'actividad' : 'actividades'} de tipo ${type}`,
    needWithin: (need, days) => `${need} en ${days}`,
    needScore: (score) => `una puntuación de ${score}`,
    whileKept: 'se pierde cuando deja de cumplirse',
    discountList: (wallets, isOne, percent) =>
      `${wallets} ${isOne ? 'cartera de una lista conserva' : 'carteras de una lista conservan'} el ${percent} de sus puntos`,
    discountYoung: (days, percent) =>
      `las carteras conservan el ${percent} de sus puntos durante ${days} desde que se ven por primera vez`,
    nobody: (addresses) =>
      `las reglas sobre cadenas nunca las cuentan, porque nadie puede firmar con ellas: ${addresses}`,
    exempt: (wallets, isOne) =>
      `${wallets} ${isOne ? 'cartera está exenta' : 'carteras están exentas'} de descuentos`,
  },
};

export const esWhy: typeof enWhy = {
  whyScore: {
    title: (wallet) => `${wallet} · Por qué`,
    byRules: 'Por reglas',
    imported: 'Importados',
    rules: 'Puntos por regla',
    evidence: 'Actividad más reciente',
    noRules: 'Aquí no hay reglas vigentes: todos los puntos se importaron.',
    nothingGiven: 'Ninguna regla le ha dado puntos a esta cartera.',
    floored: (sum) => `Los puntos suman ${sum}, pero una puntuación nunca baja de 0.`,
    counted: {
      events: (count, shown) => `${shown} ${count === 1 ? 'evento' : 'eventos'}`,
      days: (count, shown) => `${shown} ${count === 1 ? 'día' : 'días'}`,
      times: (count, shown) => `${shown} ${count === 1 ? 'registro' : 'registros'}`,
    },
    newest: 'el último',
    capped: (points) => `${points} retenidos por el tope`,
    discounted: (points) => `${points} retenidos por descuentos`,
    decayed: (points) => `${points} perdidos por la semivida`,
    otherRules: (count, shown) =>
      count === 1 ? `de ${shown} regla más` : `de otras ${shown} reglas`,
  },
  ledger: {
    halfLife: (days, rule) => `Semivida de ${days}: ${rule}`,
    restored: (discounts, rule) => `Ya no se retiene (${discounts}): ${rule}`,
    cap: (points, worth) => `tope alcanzado: ${points} de ${worth}`,
    limit: (most, points, worth, isOne) =>
      `límite de ${most} ${isOne ? 'punto' : 'puntos'} por regla alcanzado: ${points} de ${worth}`,
    retracted: (reason) => `retirado: ${reason}`,
    discount: (id, percent) => `${id}: ${percent}`,
  },
  explorer: { transaction: 'Transacción', proposal: 'Propuesta' },
};
