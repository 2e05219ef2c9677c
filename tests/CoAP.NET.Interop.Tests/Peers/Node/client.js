// node-coap's client with what the command line of coap-cli, which brings an older node-coap, has no option for: client.js METHOD URI [--block1 EXPONENT] [--block2 EXPONENT] [--in FILE] [--out FILE] [--observe COUNT] [--etag HEX] [--proxy URI]
// Writes the code to its standard output, and with --observe each body. Ends after COUNT notifications, and tells the server.
'use strict'

const coap = require('coap')
const fs = require('fs')

const [method, uri, ...rest] = process.argv.slice(2)
const option = name => rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined
const url = new URL(uri)
const count = Number(option('--observe') ?? 0)

// The path stands beside Proxy-Uri as well: node-coap's own proxy takes it from there.
const asked = option('--proxy') === undefined ? url : new URL(option('--proxy'))
const request = coap.request({
  method, hostname: asked.hostname, port: Number(asked.port), pathname: url.pathname, query: url.search.slice(1), observe: count > 0,
  proxyUri: option('--proxy') === undefined ? undefined : uri
})

// It must be there, and say the size, for a body to go in blocks.
if (option('--block1') !== undefined) {
  request.setOption('Block1', Buffer.from([Number(option('--block1'))]))
}
if (option('--block2') !== undefined) {
  request.setOption('Block2', Buffer.from([Number(option('--block2'))]))
}

// As bytes: node-coap makes text of the tags of responses, which destroys those that are not UTF-8.
if (option('--etag') !== undefined) {
  request.setOption('ETag', Buffer.from(option('--etag'), 'hex'))
}

request.on('error', error => { console.error(error.message); process.exit(1) })
request.on('response', response => {
  if (count === 0) {
    if (option('--out') !== undefined) {
      fs.writeFileSync(option('--out'), response.payload)
    }
    console.log(response.code)
    process.exit(0)
  }

  let seen = 0
  response.on('data', body => {
    console.log(body.toString())
    if (++seen === count) {
      response.close(true)
    }
  })
})
request.end(option('--in') !== undefined ? fs.readFileSync(option('--in')) : undefined)
