"""The sandboxed subject: judged code in a worker of its own, where nothing but values comes out."""
