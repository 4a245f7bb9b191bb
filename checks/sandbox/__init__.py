"""The sandboxed subject: judged code in a worker of its own, where nothing but values comes out.

    host (trusted)                         inside bubblewrap
    SandboxTransport -> Session -> Channel == two pipes == worker: Runtime, judged code
    Sandbox ------------------------------ socket ======== zygote (trusted, has loaded torch) -> keeper -> worker

A zygote is started once and forks a worker for every lesson of every submission. Every worker has namespaces, a
/tmp, limits and a filter of system calls of its own; its keeper waits for it and tells how it ended.
"""
