using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>
/// Messages to clients whose sessions wait for the confirmation of their numbers, as the first notification after a start: they are sent
/// when the session may send. Otherwise one that is not Confirmable would be lost, and another one come seconds later. Thread-safe; calls
/// nobody under its lock.
/// </summary>
/// <param name="counters">Counts those for which there was no room.</param>
/// <param name="sessions">The sessions.</param>
internal sealed class EarlyMessages(DtlsServerCounters counters, SessionTable sessions)
{
    /// <summary>How much memory all of them may take, in bytes.</summary>
    public const int MaxBytes = 16 << 20;

    private readonly EarlyItems _held = new(MaxBytes);

    /// <summary>How many are held.</summary>
    public int Count => _held.Count;

    /// <summary>Holds a message.</summary>
    /// <param name="session">The session.</param>
    /// <param name="content">The message.</param>
    public void Hold(KeptDtlsSession session, ReadOnlySpan<byte> content)
    {
        DtlsPath path = session.Path;
        counters.AddEarlyDropped(_held.Add(new EarlyItem(session, path, content.ToArray(), sessions.Keys.Rule.Of(path.Remote))));
    }

    /// <summary>A session may send, or has ended: what is held of it is sent, or dropped.</summary>
    /// <param name="session">The session.</param>
    public void Release(KeptDtlsSession session)
    {
        foreach (EarlyItem held in _held.Take(session))
        {
            if (session.IsClosed)
            {
                counters.AddEarlyDropped(1);
            }
            else
            {
                session.Send(held.Bytes);
            }
        }
    }
}
