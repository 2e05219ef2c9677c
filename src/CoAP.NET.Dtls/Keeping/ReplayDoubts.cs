using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>
/// Sessions that were loaded after a crash, of which nobody knows which records came in the last seconds before: whoever recorded those
/// could have them taken once more. The first request that is not safe is held until the client has answered an Empty message in the
/// session (RFC 7252 section 4.3). The record of the answer has the client's newest number, so all older ones are refused from then on, and
/// what was held is served if it stands just before it. Thread-safe; calls nobody under its lock.
/// </summary>
/// <remarks>
/// PUT and DELETE are held as well, though they are idempotent (RFC 7252 section 5.1): what is repeated may be older than what came after
/// it, as a door that was opened and then closed. Only GET and FETCH change nothing. What is held may be the very last record that the
/// client sent before the crash, if somebody repeats it before the client speaks again. That one request may run twice, which it may after
/// any crash: its client repeats it by itself when the answer was lost.
/// </remarks>
/// <param name="server">Whose sessions they are.</param>
/// <param name="time">The clock.</param>
internal sealed class ReplayDoubts(DtlsServer server, TimeProvider time)
{
    /// <summary>How many requests are held at most: one of each session. For one more, the oldest goes of the source with most.</summary>
    public const int MaxHeld = 1_024;

    /// <summary>How many bytes a request may have to be held; a longer one is left to the client, who says it again.</summary>
    public const int MaxLength = 1_280;

    // A client that answers no Empty message cannot be served anything unsafe: it is better off with a new session.
    private const int MaxAskedInVain = 3;

    private readonly Lock _gate = new();
    private readonly Shares<HeldRequest> _held = new();
    private readonly Dictionary<KeptDtlsSession, Doubt> _doubts = [];

    /// <summary>How many requests are held.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _held.Count;
            }
        }
    }

    /// <summary>Takes a message of a session in doubt.</summary>
    /// <param name="session">The session.</param>
    /// <param name="path">How it came.</param>
    /// <param name="content">The message.</param>
    /// <param name="sequence">The number of its record.</param>
    public void Receive(KeptDtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content, ulong sequence)
    {
        if (!MessageKind.IsUnsafeRequest(content))
        {
            server.Sink.Received(session, path, content);
            return;
        }

        server.Counters.AddHeld();
        bool asks;
        lock (_gate)
        {
            if (session.IsClosed)
            {
                return;
            }

            if (!_doubts.TryGetValue(session, out Doubt? doubt))
            {
                _doubts.Add(session, doubt = new Doubt());
            }

            if (session.IsInDoubt && content.Length <= MaxLength && !(doubt.Held?.Sequence > sequence))
            {
                // Of several only the newest can stand just before the answer.
                Drop(doubt);
                doubt.Held = new HeldRequest(session, path, content.ToArray(), sequence, session.Source, time.GetTimestamp());
                _held.Add(doubt.Held);
                if (_held.Count > MaxHeld && _held.OfGreediest().MinBy(static held => held.LastOfUse) is { } victim)
                {
                    Drop(_doubts[victim.Session]);
                }
            }

            asks = !doubt.IsAsked;
            doubt.IsAsked = true;
        }

        if (asks)
        {
            _ = AskAsync(session);
        }
    }

    /// <summary>A session has ended.</summary>
    /// <param name="session">The session.</param>
    public void Forget(KeptDtlsSession session)
    {
        lock (_gate)
        {
            if (_doubts.Remove(session, out Doubt? doubt))
            {
                Drop(doubt);
            }
        }
    }

    private async Task AskAsync(KeptDtlsSession session)
    {
        bool isAnswered = false;
        try
        {
            await server.AskAsync(session).ConfigureAwait(false);
            isAnswered = true;
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            // It is asked again when it says something more.
        }

        // What goes on now runs code of users, on a thread for such things.
        server.Run(() => OnAsked(session, isAnswered));
    }

    private void OnAsked(KeptDtlsSession session, bool isAnswered)
    {
        ulong next = isAnswered ? session.EndDoubt() : 0;
        HeldRequest? held;
        bool isInVain;
        lock (_gate)
        {
            if (!_doubts.TryGetValue(session, out Doubt? doubt))
            {
                // It has ended.
                return;
            }

            held = doubt.Held;
            Drop(doubt);
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
            session.End(DtlsEnd.Unanswered, tells: true);
        }
        else if (isAnswered && held is not null)
        {
            // The answer is the newest record, and the request the one before; what came between them leaves it to the client.
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

    private void Drop(Doubt doubt)
    {
        if (doubt.Held is { } held)
        {
            doubt.Held = null;
            _held.Remove(held);
        }
    }

    // What is known of a session from its first unsafe request until its client has answered. There are no more than sessions.
    private sealed class Doubt
    {
        public HeldRequest? Held { get; set; }

        // Whether the client is asked at the moment.
        public bool IsAsked { get; set; }

        public int AskedInVain { get; set; }
    }
}
