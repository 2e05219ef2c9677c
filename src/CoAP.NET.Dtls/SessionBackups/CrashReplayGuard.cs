using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Guarding;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>
/// Protects sessions loaded after a crash against replay of records from the last seconds before it, because it is unknown which of them
/// arrived. It holds the first unsafe request until the client has answered an Empty message in the session (RFC 7252 section 4.3). The
/// record of the answer has the client's newest number, so the session rejects all older ones from then on. It serves the held request if
/// its number is the one just before the answer. Thread-safe; runs no callbacks under its lock.
/// </summary>
/// <remarks>
/// It holds PUT and DELETE as well, though they are idempotent (RFC 7252 section 5.1): a replay may be older than a later request, such as
/// opening a door that a later request closed. Only GET and FETCH change nothing. The held request may be the very last record that the
/// client sent before the crash, if an attacker replays it before the client speaks again. That one request may run twice, which is
/// possible after any crash: its client retransmits it by itself when the answer was lost.
/// </remarks>
/// <param name="server">The server of the sessions.</param>
/// <param name="sessions">The sessions.</param>
internal sealed class CrashReplayGuard(DtlsServer server, SessionTable sessions)
{
    /// <summary>Maximum number of held requests, one per session. One more drops the oldest of the source with most.</summary>
    public const int MaxRequestsInDoubt = 1_024;

    /// <summary>Maximum bytes of a held request; the client retransmits a longer one.</summary>
    public const int MaxLength = 1_280;

    // The server cannot serve unsafe requests of a client that answers no Empty message: a new session serves it better.
    private const int MaxAskedInVain = 3;

    private readonly Lock _gate = new();
    private readonly SourceQueue<DtlsSessionWithBackup, RequestAwaitingReplayCheck> _held = new(MaxRequestsInDoubt, maxOfKey: 1);
    private readonly Dictionary<DtlsSessionWithBackup, SessionInDoubt> _doubts = [];

    /// <summary>Number of held requests.</summary>
    public int Count => _held.Count;

    /// <summary>Processes a message of a session in doubt.</summary>
    /// <param name="session">The session.</param>
    /// <param name="path">The path that it came from.</param>
    /// <param name="content">The message.</param>
    /// <param name="sequence">The number of its record.</param>
    public void Receive(DtlsSessionWithBackup session, in DtlsPath path, ReadOnlySpan<byte> content, ulong sequence)
    {
        if (!CoapHeaderReader.IsUnsafeRequest(content))
        {
            server.Sink.Received(session, path, content);
            return;
        }

        server.Counters.AddRequestInDoubt();
        bool asks;
        lock (_gate)
        {
            if (session.IsClosed)
            {
                return;
            }

            if (!_doubts.TryGetValue(session, out SessionInDoubt? doubt))
            {
                _doubts.Add(session, doubt = new SessionInDoubt());
            }

            if (session.IsInDoubt && content.Length <= MaxLength && !(doubt.RequestAwaitingReplayCheck?.Sequence > sequence))
            {
                // Only the newest can be just before the answer.
                RequestAwaitingReplayCheck held =
                    new(session, path, content.ToArray(), sequence, sessions.Keys.Rule.Of(session.Path.Remote));
                foreach (RequestAwaitingReplayCheck dropped in _held.Add(held))
                {
                    _doubts[dropped.Key].RequestAwaitingReplayCheck = null;
                }

                doubt.RequestAwaitingReplayCheck = held;
            }

            asks = !doubt.IsAsked;
            doubt.IsAsked = true;
        }

        if (asks)
        {
            _ = AskAsync(session);
        }
    }

    /// <summary>Removes a session that has ended.</summary>
    /// <param name="session">The session.</param>
    public void Forget(DtlsSessionWithBackup session)
    {
        lock (_gate)
        {
            _doubts.Remove(session);
            _held.Take(session);
        }
    }

    private async Task AskAsync(DtlsSessionWithBackup session)
    {
        bool isAnswered = false;
        try
        {
            await server.AskAsync(session).ConfigureAwait(false);
            isAnswered = true;
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            // The server asks again when the client sends another message.
        }

        // The next step runs user code, on a thread for that purpose.
        server.Run(session.Source, () => OnAsked(session, isAnswered));
    }

    private void OnAsked(DtlsSessionWithBackup session, bool isAnswered)
    {
        ulong next = isAnswered ? session.EndDoubt() : 0;
        RequestAwaitingReplayCheck? held;
        bool isInVain;
        lock (_gate)
        {
            if (!_doubts.TryGetValue(session, out SessionInDoubt? doubt))
            {
                // The session has ended.
                return;
            }

            held = doubt.RequestAwaitingReplayCheck;
            doubt.RequestAwaitingReplayCheck = null;
            _held.Take(session);
            doubt.IsAsked = false;
            doubt.AskedInVain += isAnswered ? 0 : 1;
            isInVain = doubt.AskedInVain >= MaxAskedInVain;
            if (isAnswered)
            {
                _doubts.Remove(session);
            }
        }

        if (isInVain)
        {
            session.End(DtlsSessionEndReason.Unanswered, tells: true);
        }
        else if (isAnswered && held is not null)
        {
            // The answer is the newest record, and the request the one before; if there were others in between, the client has to
            // retransmit.
            if (held.Sequence + 2 == next)
            {
                server.Sink.Received(session, held.Path, held.Content);
            }
            else
            {
                server.Counters.AddReplayed();
            }
        }
    }

    // The state of a session from its first unsafe request until its client has answered. At most one per session.
    private sealed class SessionInDoubt
    {
        public RequestAwaitingReplayCheck? RequestAwaitingReplayCheck { get; set; }

        // Whether a question to the client is pending.
        public bool IsAsked { get; set; }

        public int AskedInVain { get; set; }
    }
}

/// <summary>A request that waits for the decision whether it is new.</summary>
/// <param name="session">Its session.</param>
/// <param name="path">The path that it came from.</param>
/// <param name="content">The message.</param>
/// <param name="sequence">The number of its record.</param>
/// <param name="source">The source whose place it takes.</param>
internal sealed class RequestAwaitingReplayCheck(
    DtlsSessionWithBackup session, in DtlsPath path, byte[] content, ulong sequence, CoapQuotaSource source)
    : SourceQueue<DtlsSessionWithBackup, RequestAwaitingReplayCheck>.Item(session, source, cost: 1)
{
    public DtlsPath Path { get; } = path;

    public byte[] Content => content;

    public ulong Sequence => sequence;
}
