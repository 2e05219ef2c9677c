// node-coap's server with a handful of resources. Prints the port that it got.
'use strict'

const coap = require('coap')

const stored = new Map([['/hello', Buffer.from('hello from node')], ['/large', Buffer.alloc(65536, 0).map((_, i) => (i * 7 + (i >> 8)) & 255)]])
const observers = new Set()
let count = 0

const server = coap.createServer((request, response) => {
  const path = request.url.split('?')[0]
  if (path === '/clock' && request.headers.Observe === 0) {
    observers.add(response)
    response.on('finish', () => observers.delete(response))
    response.write('tick ' + count)
    return
  }

  switch (request.method) {
    case 'GET':
      if (path === '/clock') {
        response.end('tick ' + count)
      } else if (path === '/tick') {
        count++
        observers.forEach(observer => observer.write('tick ' + count))
        response.end('' + count)
      } else if (stored.has(path)) {
        response.end(stored.get(path))
      } else {
        response.code = '4.04'
        response.end()
      }
      break
    case 'PUT':
      response.code = stored.has(path) ? '2.04' : '2.01'
      stored.set(path, request.payload)
      response.end()
      break
    case 'DELETE':
      stored.delete(path)
      response.code = '2.02'
      response.end()
      break
    default:
      response.code = '2.05'
      response.end(Buffer.concat([Buffer.from(request.method + ' '), request.payload]))
  }
})

// As it is, it puts blocks together by the token, which may be another one in every message (RFC 7959 section 3.1 leaves it out; what counts is endpoint and URI), and throws on
// the last block of a body whose blocks had several.
server._toCacheKey = (request, packet) => server._clientIdentifier(request) + packet.code + request.url

server.listen(0, '127.0.0.1', () => console.log('listening on coap://127.0.0.1:' + server._sock.address().port))
