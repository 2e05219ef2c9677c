using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Guarding;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>
/// Holds messages to clients whose sessions wait for the confirmation of their record numbers, or for the check of the client's
/// credentials, such as the first notification after a start. It sends them when the session may send. Otherwise a message that is not
/// Confirmable would be lost, and a Confirmable one would arrive seconds later. Thread-safe; runs no callbacks under its lock.
/// </summary>
/// <param name="counters">Counts messages dropped for lack of room.</param>
/// <param name="sessions">The sessions.</param>
internal sealed class UnconfirmedSessionSendQueue(DtlsServerCounters counters, SessionTable sessions)
{
    /// <summary>Maximum memory of all messages, in bytes.</summary>
    public const int MaxBytes = 16 << 20;

    private readonly SourceQueue<DtlsSessionWithBackup, HeldSessionMessage> _held = new(MaxBytes, HeldSessionMessage.MaxOfSession);

    /// <summary>Number of held messages.</summary>
    public int Count => _held.Count;

    /// <summary>Holds a message.</summary>
    /// <param name="session">The session.</param>
    /// <param name="content">The message.</param>
    public void Enqueue(DtlsSessionWithBackup session, ReadOnlySpan<byte> content)
    {
        DtlsPath path = session.Path;
        counters.AddEarlyDropped(
            _held.Add(new HeldSessionMessage(session, path, content.ToArray(), sessions.Keys.Rule.Of(path.Remote))).Count);
    }

    /// <summary>Sends the held messages of a session that may send now, or drops them if it has ended.</summary>
    /// <param name="session">The session.</param>
    public void Release(DtlsSessionWithBackup session)
    {
        foreach (HeldSessionMessage held in _held.Take(session))
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
