using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Guarding;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>
/// Holds records in sessions without confirmed record numbers, or whose client is not admitted yet, such as the first one after loading a
/// session. It processes them when the session may answer. Without it, each client whose session moves under load would have to
/// retransmit. The records are not yet authenticated. Thread-safe; runs no callbacks under its lock.
/// </summary>
/// <param name="server">The server of the sessions.</param>
/// <param name="sessions">The sessions.</param>
internal sealed class UnconfirmedSessionReceiveQueue(DtlsServer server, SessionTable sessions)
{
    /// <summary>Maximum memory of all records, in bytes: some 13,000 small ones.</summary>
    public const int MaxBytes = 4 << 20;

    /// <summary>Maximum bytes of a held record; the client retransmits a longer one.</summary>
    public const int MaxLength = 1_500;

    private readonly SourceQueue<DtlsSessionWithBackup, HeldSessionMessage> _held = new(MaxBytes, HeldSessionMessage.MaxOfSession);

    /// <summary>Number of held records.</summary>
    public int Count => _held.Count;

    /// <summary>Holds a record of a session that cannot answer, and requests what it needs if the session has not done so.</summary>
    /// <param name="session">The session.</param>
    /// <param name="path">The path that it came from.</param>
    /// <param name="record">The record, unmodified.</param>
    /// <returns>Whether it holds the record.</returns>
    public bool TryEnqueue(DtlsSessionWithBackup session, in DtlsPath path, ReadOnlySpan<byte> record)
    {
        session.PrepareToAnswer();
        if (session.IsClosed || record.Length > MaxLength)
        {
            return false;
        }

        server.Counters.AddEarlyDropped(
            _held.Add(new HeldSessionMessage(session, path, record.ToArray(), sessions.Keys.Rule.Of(path.Remote))).Count);
        if (!session.IsNotReady || session.IsClosed)
        {
            // The numbers arrived in the meantime.
            Release(session);
        }

        return true;
    }

    /// <summary>Processes the held records of a session that may answer now, or drops them if it has ended.</summary>
    /// <param name="session">The session.</param>
    public void Release(DtlsSessionWithBackup session)
    {
        IReadOnlyList<HeldSessionMessage> taken = _held.Take(session);
        if (taken.Count > 0 && session.IsClosed)
        {
            // After a handover, the next server processes them.
            int dropped = taken.Count(held => !session.IsRetiring || server.Steering?.TryEnqueue(session, held.Path, held.Bytes) != true);
            server.Counters.AddEarlyDropped(dropped);
        }
        else if (taken.Count > 0)
        {
            // Processing runs user code, on a thread for that purpose.
            server.Run(session.Source, () =>
            {
                foreach (HeldSessionMessage held in taken)
                {
                    server.Receive(held.Path, held.Bytes, isSteered: true);
                }
            });
        }
    }
}
