'use strict';
// `utils`, as App Services gives it to functions: tokens and cryptography, on Node's.

const crypto = require('node:crypto');
const tag = require('tag');
const types = require('types');
const ejson = require('ejson');

const binary = bytes => new types.Binary(bytes);

function bytesOf(value, name) {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (tag(value) === 'Binary') return value.buffer;
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new TypeError(`${name} must be a string or BSON.Binary`);
}

function textOf(value, name) {
  if (typeof value === 'string') return value;
  if (tag(value) === 'Binary') return value.text();
  throw new TypeError(`${name} must be a string`);
}

// Exports and values often have keys in one line.
const keyText = (value, name) => textOf(value, name).replaceAll('\\n', '\n');
const privateKey = (value, name) => crypto.createPrivateKey(keyText(value, name));
const publicKey = (value, name) => crypto.createPublicKey(keyText(value, name));

// Tokens (RFC 7519), signed as RFC 7518 has it.

const hashes = {256: 'sha256', 384: 'sha384', 512: 'sha512'};
const curves = {ES256: 'prime256v1', ES384: 'secp384r1', ES512: 'secp521r1'};
const pss = {padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: crypto.constants.RSA_PSS_SALTLEN_DIGEST};
const kinds = {RS: 'rsa', PS: 'rsa', ES: 'ec', Ed: 'ed25519'};

function algorithm(name) {
  const match = /^(HS|RS|PS|ES)(256|384|512)$|^(Ed)DSA$/.exec(name);
  if (match === null) throw new Error(`unsupported signing method: '${name}'`);
  return {name, family: match[1] ?? match[3], hash: hashes[match[2]] ?? null};
}

function checkKey(key, {name, family}) {
  const {asymmetricKeyType: type, asymmetricKeyDetails: details} = key;
  if (type !== kinds[family] || family === 'ES' && details.namedCurve !== curves[name]) {
    throw new Error(`key is invalid for signing method '${name}'`);
  }
  return key;
}

const options = (key, {family}) => ({key, ...(family === 'PS' ? pss : {}), ...(family === 'ES' ? {dsaEncoding: 'ieee-p1363'} : {})});

function signature(content, method, secret) {
  if (method.family === 'HS') return crypto.createHmac(method.hash, bytesOf(secret, 'secret')).update(content).digest();
  return crypto.sign(method.hash, content, options(checkKey(privateKey(secret, 'secret'), method), method));
}

function isSigned(content, bytes, method, key) {
  if (method.family !== 'HS') {
    return crypto.verify(method.hash, content, options(checkKey(publicKey(key, 'key'), method), method), bytes);
  }
  // A public key is no secret: whoever knows it could sign with it.
  if (/-----BEGIN/.test(textOf(key, 'key'))) throw new Error(`key is invalid for signing method '${method.name}'`);
  const expected = signature(content, method, key);
  return expected.length === bytes.length && crypto.timingSafeEqual(expected, bytes);
}

const part = value => Buffer.from(typeof value === 'string' ? value : ejson.stringify(value), 'utf8').toString('base64url');

function parsed(text) {
  try {
    const value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value;
  } catch {
    // Told below.
  }
  throw new Error('token is malformed');
}

// The claims that say when a token holds, in seconds.
function checkTimes({exp, nbf, iat}) {
  const now = Date.now() / 1000;
  for (const time of [exp, nbf, iat]) {
    if (time !== undefined && typeof time !== 'number') throw new Error('token is malformed');
  }
  if (exp !== undefined && now >= exp) throw new Error('token is expired');
  if (nbf !== undefined && now < nbf) throw new Error('token is not valid yet');
  if (iat !== undefined && now < iat) throw new Error('token used before issued');
}

const jwt = {
  encode(signingMethod, payload, secret, customHeaderFields = {}) {
    const method = algorithm(signingMethod);
    const content = `${part({...customHeaderFields, alg: method.name, typ: 'JWT'})}.${part(payload)}`;
    return `${content}.${signature(Buffer.from(content), method, secret).toString('base64url')}`;
  },

  decode(jwtString, key, returnHeader = false, acceptedSigningMethods = undefined) {
    const parts = textOf(jwtString, 'jwtString').split('.');
    if (parts.length !== 3) throw new Error('token contains an invalid number of segments');
    const header = parsed(parts[0]);
    const method = algorithm(header.alg);
    const accepted = acceptedSigningMethods ?? [];
    if (accepted.length > 0 && !accepted.includes(method.name)) throw new Error(`signing method ${method.name} is invalid`);
    const content = Buffer.from(`${parts[0]}.${parts[1]}`);
    if (!isSigned(content, Buffer.from(parts[2], 'base64url'), method, key)) throw new Error('signature is invalid');
    const payload = parsed(parts[1]);
    checkTimes(payload);
    return returnHeader === true ? {header, payload} : payload;
  },
};

// Encryption: AES in Galois/Counter Mode, the key's length says which. The result is a nonce of 12 bytes, the text, and a tag of 16:
// what has been changed is not decrypted.

const nonceLength = 12;
const tagLength = 16;

function cipherName(type, key) {
  if (type !== 'aes') throw new Error(`unsupported encryption type: '${type}'`);
  if (![16, 24, 32].includes(key.length)) throw new Error('an AES key has 16, 24 or 32 bytes');
  return `aes-${key.length * 8}-gcm`;
}

function checkRSA(type) {
  if (type !== 'rsa') throw new Error(`unsupported encryption type: '${type}'`);
}

function scheme(name, salt) {
  switch (name) {
    case 'pss': return {padding: crypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: salt};
    case 'pkcs1v15': return {padding: crypto.constants.RSA_PKCS1_PADDING};
    default: throw new Error(`unsupported signature scheme: '${name}'`);
  }
}

function hashName(name) {
  if (!['sha1', 'sha256', 'sha384', 'sha512', 'md5'].includes(name)) throw new Error(`unsupported hash function: '${name}'`);
  return name;
}

const signing = {
  encrypt(encryptionType, message, key) {
    const secret = bytesOf(key, 'key');
    const nonce = crypto.randomBytes(nonceLength);
    const cipher = crypto.createCipheriv(cipherName(encryptionType, secret), secret, nonce);
    const text = Buffer.concat([cipher.update(bytesOf(message, 'message')), cipher.final()]);
    return binary(Buffer.concat([nonce, text, cipher.getAuthTag()]));
  },

  decrypt(encryptionType, encryptedMessage, key) {
    const secret = bytesOf(key, 'key');
    const name = cipherName(encryptionType, secret);
    const bytes = typeof encryptedMessage === 'string'
      ? Buffer.from(encryptedMessage, 'base64') : bytesOf(encryptedMessage, 'encryptedMessage');
    if (bytes.length < nonceLength + tagLength) throw new Error('the message is no encrypted one');
    const decipher = crypto.createDecipheriv(name, secret, bytes.subarray(0, nonceLength), {authTagLength: tagLength});
    decipher.setAuthTag(bytes.subarray(-tagLength));
    try {
      return binary(Buffer.concat([decipher.update(bytes.subarray(nonceLength, -tagLength)), decipher.final()]));
    } catch {
      throw new Error('the message was encrypted with another key, or has been changed');
    }
  },

  sign(encryptionType, message, key, signatureScheme = 'pss') {
    checkRSA(encryptionType);
    const how = {key: privateKey(key, 'privateKey'), ...scheme(signatureScheme, crypto.constants.RSA_PSS_SALTLEN_DIGEST)};
    return binary(crypto.sign('sha256', bytesOf(message, 'message'), how));
  },

  verify(encryptionType, message, key, signature, signatureScheme = 'pss') {
    checkRSA(encryptionType);
    const how = {key: publicKey(key, 'publicKey'), ...scheme(signatureScheme, crypto.constants.RSA_PSS_SALTLEN_AUTO)};
    const bytes = typeof signature === 'string' ? Buffer.from(signature, 'base64') : bytesOf(signature, 'signature');
    return crypto.verify('sha256', bytesOf(message, 'message'), how, bytes);
  },

  hmac(input, secret, hashFunction, outputFormat) {
    if (!['base64', 'hex'].includes(outputFormat)) throw new Error(`unsupported output format: '${outputFormat}'`);
    return crypto.createHmac(hashName(hashFunction), bytesOf(secret, 'secret')).update(bytesOf(input, 'input')).digest(outputFormat);
  },

  hash(hashFunction, input) {
    return binary(crypto.createHash(hashName(hashFunction)).update(bytesOf(input, 'input')).digest());
  },
};

// Calls share it, so that none may change it for others.
module.exports = Object.freeze({jwt: Object.freeze(jwt), crypto: Object.freeze(signing)});
