import type { ProofErrorCode } from '#base';

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
    'Lo ha firmado {}, o es la firma de otro texto. Si vinculas una cartera de contrato, como una Safe, no se puede comprobar: el operador no ha configurado un nodo de Ethereum.',
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
  'multisig-unsupported':
    'Las cuentas multifirma y las firmas lógicas no se pueden vincular. Vincula una cuenta que firme una sola clave.',
  'account-rekeyed':
    'La clave de esta cuenta se reasignó: solo {} puede firmar por ella, y esta no es su firma. Elige esa cuenta en tu cartera y firma de nuevo.',
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
    'El contrato de tu cartera ha rechazado la firma. Firma el texto entero en la red principal de Ethereum, como propietario de la cartera.',
  'signature-undelegated':
    'Tu cartera ha firmado para una cuenta inteligente que aún no ha activado (ERC-8010). Firma como cuenta normal o activa antes la cuenta inteligente en la red principal de Ethereum.',
  'owners-missing':
    'Faltan firmas de propietarios: hay {} de las {} que necesita esta cartera. Pide a los demás que firmen también.',
  'proof-unchecked':
    'No hemos podido comprobar tu firma a tiempo: el servicio que conoce esta cartera no responde. No es culpa tuya. Inténtalo de nuevo más tarde.',
  'text-expired':
    'Este texto ha caducado: hay que firmarlo en 5 minutos, o en un día si es una cartera de contrato.',
};
