// A WebSocket with the sub-protocol coap and messages of hexadecimal digits: ws-client.js URL COUNT MESSAGE...
// A vertical bar in a message cuts it into fragments; one that begins with "text:" is sent as text. Writes each message that comes, after COUNT of them closes, and writes how it was closed.
'use strict'

const WebSocket = require('ws')

const [url, count, ...messages] = process.argv.slice(2)
const socket = new WebSocket(url, 'coap', { perMessageDeflate: false })
let seen = 0

socket.on('open', () => {
  console.log('open ' + socket.protocol)
  for (const message of messages) {
    if (message.startsWith('text:')) {
      socket.send(message.slice(5))
      continue
    }

    const parts = message.split('|')
    parts.forEach((part, i) => socket.send(Buffer.from(part, 'hex'), { binary: true, fin: i === parts.length - 1 }))
  }
})
socket.on('message', (data, isBinary) => {
  if (seen === Number(count)) {
    return // Under way when it was closed.
  }

  console.log(isBinary ? data.toString('hex') : 'text')
  if (++seen === Number(count)) {
    socket.close(1000)
  }
})
socket.on('ping', () => console.log('ping'))
socket.on('error', error => console.log('error ' + error.message))
socket.on('close', code => { console.log('close ' + code); process.exit(0) })
