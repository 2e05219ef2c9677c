// node-coap-client over DTLS with a pre-shared key: dtls-client.js METHOD URI IDENTITY KEY [--block2 SIZE] [--in FILE] [--out FILE] [--observe COUNT]
// Writes the code to its standard output, and with --observe each body. Ends after COUNT notifications, and tells the server.
'use strict'

const { CoapClient } = require('node-coap-client')
const fs = require('fs')

const [method, uri, identity, key, ...rest] = process.argv.slice(2)
const option = name => rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined
const count = Number(option('--observe') ?? 0)
const body = option('--in') === undefined ? undefined : fs.readFileSync(option('--in'))
const size = option('--block2')
const end = code => { CoapClient.reset(); setTimeout(() => process.exit(code), 100) }
const fail = error => { console.error(error.message ?? error); process.exit(1) }

CoapClient.setSecurityParams(new URL(uri).hostname, { psk: { [identity]: key } })
CoapClient.tryToConnect(uri).then(async result => {
  if (result !== true) {
    throw result
  }

  if (count > 0) {
    let seen = 0
    await CoapClient.observe(uri, method, response => {
      console.log(response.payload.toString())
      if (++seen === count) {
        CoapClient.stopObserving(uri)
        end(0)
      }
    })
    return
  }

  const response = await CoapClient.request(uri, method, body, size === undefined ? undefined : { preferredBlockSize: Number(size) })
  if (option('--out') !== undefined) {
    fs.writeFileSync(option('--out'), response.payload ?? '')
  }
  console.log(response.code.toString())
  end(0)
}).catch(fail)
