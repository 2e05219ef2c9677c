// node-coap's server as a forward proxy, which passes messages on as they are: Proxy-Uri names the host, Uri-Path and Uri-Query the resource. Prints the port that it got.
'use strict'

const coap = require('coap')

const server = coap.createServer({ proxy: true }, (request, response) => response.end('the proxy itself'))

server.listen(0, '127.0.0.1', () => console.log('listening on coap://127.0.0.1:' + server._sock.address().port))
