"""Takes mail by aiosmtpd, with STARTTLS and a login, and writes a line of JSON for each to its log.

Usage: smtp_server.py CERTIFICATE KEY
"""
import email
import email.policy
import json
import signal
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult


class Mailbox:
    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        print(json.dumps({
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "subject": message["Subject"],
            "recipient": message["To"], "text": message.get_content(), "tls": session.ssl is not None,
            "defects": len(message.defects),
        }), file=sys.stderr, flush=True)
        return "250 taken"


def authenticate(server, session, envelope, mechanism, data):
    is_right = getattr(data, "login", b"") == b"gate" and getattr(data, "password", b"") == b"house"
    return AuthResult(success=is_right)


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])


class Post(Controller):
    def factory(self):
        return SMTP(self.handler, tls_context=context, require_starttls=True, auth_required=True,
                    authenticator=authenticate)


import socket
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
post = Post(Mailbox(), hostname="127.0.0.1", port=port)
post.start()
print(port, flush=True)
signal.sigwait([signal.SIGTERM])
post.stop()
