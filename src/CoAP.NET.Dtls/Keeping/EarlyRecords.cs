using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>
/// Records that come in sessions without confirmed numbers to answer with, as the first one after a session was loaded, which has it ask
/// for some: they are held as they came, and taken when the session may answer. Without that each client whose session moves under load
/// would have to say something twice. Nobody knows yet whether they are authentic. Thread-safe; calls nobody under its lock.
/// </summary>
/// <param name="server">Whose sessions they are.</param>
/// <param name="sessions">The sessions.</param>
/// <param name="time">The clock.</param>
internal sealed class EarlyRecords(DtlsServer server, SessionTable sessions, TimeProvider time)
{
    /// <summary>How many are held at most; for one more, the oldest goes of the source with most.</summary>
    public const int MaxHeld = 1_024;

    /// <summary>How many of one session; for one more, the oldest goes.</summary>
    public const int MaxOfSession = 4;

    /// <summary>How many bytes a record may have to be held; a longer one is left to the client, who says it again.</summary>
    public const int MaxLength = 1_500;

    private readonly Lock _gate = new();
    private readonly Shares<EarlyRecord> _held = new();
    private readonly Dictionary<KeptDtlsSession, List<EarlyRecord>> _bySession = [];

    /// <summary>How many are held.</summary>
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

    /// <summary>Holds a record of a session that cannot answer, which asks for numbers where it has not yet.</summary>
    /// <param name="session">The session.</param>
    /// <param name="path">How it came.</param>
    /// <param name="record">The record, as it came.</param>
    /// <returns>Whether it is held.</returns>
    public bool TryHold(KeptDtlsSession session, in DtlsPath path, ReadOnlySpan<byte> record)
    {
        session.AskForNumbers();
        if (session.IsClosed || record.Length > MaxLength)
        {
            return false;
        }

        EarlyRecord early = new(session, path, record.ToArray(), sessions.Keys.Of(path.Remote), time.GetTimestamp());
        lock (_gate)
        {
            if (!_bySession.TryGetValue(session, out List<EarlyRecord>? ofSession))
            {
                _bySession.Add(session, ofSession = []);
            }

            ofSession.Add(early);
            _held.Add(early);
            if (ofSession.Count > MaxOfSession)
            {
                Drop(ofSession[0]);
            }
            else if (_held.Count > MaxHeld && _held.OfGreediest().MinBy(static held => held.LastOfUse) is { } victim)
            {
                Drop(victim);
            }
        }

        if (!session.IsWaiting || session.IsClosed)
        {
            // Meanwhile.
            Release(session);
        }

        return true;
    }

    /// <summary>A session may answer, or has ended: what is held of it is taken.</summary>
    /// <param name="session">The session.</param>
    public void Release(KeptDtlsSession session)
    {
        List<EarlyRecord>? taken;
        lock (_gate)
        {
            if (_bySession.Remove(session, out taken))
            {
                taken.ForEach(held => _held.Remove(held));
            }
        }

        if (taken is { Count: > 0 } && session.IsClosed)
        {
            server.Counters.AddEarlyDropped(taken.Count);
        }
        else if (taken is { Count: > 0 })
        {
            // It runs code of users, on a thread for such things.
            server.Run(() => taken.ForEach(held => server.Receive(held.Path, held.Record, isSteered: true)));
        }
    }

    private void Drop(EarlyRecord held)
    {
        server.Counters.AddEarlyDropped(1);
        _held.Remove(held);
        List<EarlyRecord> ofSession = _bySession[held.Session];
        ofSession.Remove(held);
        if (ofSession.Count == 0)
        {
            _bySession.Remove(held.Session);
        }
    }
}
