'use strict';
// `context.users`: the roles of users, for functions that run as the system.

const channel = require('channel');
const problemText = require('problem');

function request(method, id, roles) {
  const question = {question: 'data', method, target: `/v1/users/${encodeURIComponent(id)}/roles`, isText: true};
  if (roles !== undefined) question.content = Buffer.from(JSON.stringify(roles));
  const {status, content} = channel.ask(question);
  const answer = JSON.parse(content.buffer.toString('utf8'));
  if (status < 400) return answer;
  throw Object.assign(new Error(problemText(answer)), {code: answer.code});
}

module.exports = Object.freeze({
  roles: id => request('GET', id),
  setRoles: (id, roles) => request('PUT', id, roles),
});
