// A server of CoAP over WebSockets made by hand with ws, so that the bytes are somebody else's (RFC 8323 section 4). GET /hello, GET /large (100,000 bytes, in fragments), GET /close, POST /echo; Ping.
// Writes each message that comes, and what must not come.
'use strict'

const { WebSocketServer } = require('ws')

const large = Buffer.from(Array.from({ length: 100000 }, (_, i) => (i * 7 + (i >> 8)) & 255))
const server = new WebSocketServer({
  host: '127.0.0.1', port: 0, path: '/.well-known/coap', perMessageDeflate: false,
  handleProtocols: protocols => protocols.has('coap') ? 'coap' : false
})

server.on('connection', (socket, request) => {
  console.log('connected ' + request.headers.host + ' ' + socket.protocol)
  // CSM with Max-Message-Size 1 MiB and Block-Wise-Transfer.
  socket.send(Buffer.from('00e12310000020', 'hex'))
  socket.on('ping', () => console.log('a WebSocket Ping came'))
  socket.on('pong', () => console.log('a WebSocket Pong came'))
  socket.on('close', code => console.log('closed ' + code))
  socket.on('message', (data, isBinary) => {
    console.log((isBinary ? '' : 'text ') + data.subarray(0, 40).toString('hex'))
    answer(socket, data)
  })
})

function answer (socket, data) {
  const token = data.subarray(2, 2 + (data[0] & 15))
  const reply = (code, ...rest) => Buffer.concat([Buffer.from([token.length, code]), token, ...rest])
  const marker = Buffer.from([255])
  if (data[0] >> 4 !== 0) {
    socket.close(1002)
  } else if (data[1] === 0xe2) {
    socket.send(reply(0xe3))
  } else if (data[1] === 0xe4) {
    socket.close(1000)
  } else if (data[1] >> 5 === 0) {
    const { path, payload } = read(data.subarray(2 + token.length))
    if (path === 'hello') {
      socket.send(reply(0x45, marker, Buffer.from('hello from ws')))
    } else if (path === 'large') {
      const whole = reply(0x45, marker, large)
      for (let at = 0; at < whole.length; at += 9999) {
        socket.send(whole.subarray(at, at + 9999), { binary: true, fin: at + 9999 >= whole.length })
      }
    } else if (path === 'echo') {
      socket.send(reply(0x44, marker, payload))
    } else if (path === 'close') {
      socket.close(1001)
    } else {
      socket.send(reply(0x84))
    }
  }
}

function read (rest) {
  let number = 0
  let at = 0
  const path = []
  const extended = nibble => nibble < 13 ? nibble : nibble === 13 ? rest[at++] + 13 : 269 + (rest[at++] << 8) + rest[at++]
  while (at < rest.length && rest[at] !== 255) {
    const first = rest[at++]
    number += extended(first >> 4)
    const length = extended(first & 15)
    if (number === 11) {
      path.push(rest.subarray(at, at + length).toString())
    }
    at += length
  }
  return { path: path.join('/'), payload: rest.subarray(at + 1) }
}

server.on('listening', () => console.log('listening on coap+ws://127.0.0.1:' + server.address().port))
