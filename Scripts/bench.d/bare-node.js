// The least that Node can do for an answer: no HTTP parser, no JSON. Usage: node bare-node.js PORT
require('node:net').createServer(socket => {
  socket.setNoDelay(true);
  const answer = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1\r\n\r\n6';
  socket.on('data', () => socket.write(answer));
  socket.on('error', () => {});
}).listen(Number(process.argv[2]), '127.0.0.1');
