using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>
/// Records that come in sessions without confirmed numbers to answer with, as the first one after a session was loaded, which has it ask
/// for some: they are held as they came, and taken when the session may answer. Without that each client whose session moves under load
/// would have to say something twice. Nobody knows yet whether they are authentic. Thread-safe; calls nobody under its lock.
/// </summary>
/// <param name="server">Whose sessions they are.</param>
/// <param name="sessions">The sessions.</param>
internal sealed class EarlyRecords(DtlsServer server, SessionTable sessions)
{
    /// <summary>How much memory all of them may take, in bytes: some 13,000 small ones.</summary>
    public const int MaxBytes = 4 << 20;

    /// <summary>How many bytes a record may have to be held; a longer one is left to the client, who says it again.</summary>
    public const int MaxLength = 1_500;

    private readonly EarlyItems _held = new(MaxBytes);

    /// <summary>How many are held.</summary>
    public int Count => _held.Count;

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

        server.Counters.AddEarlyDropped(
            _held.Add(new EarlyItem(session, path, record.ToArray(), sessions.Keys.Rule.Of(path.Remote))));
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
        IReadOnlyList<EarlyItem> taken = _held.Take(session);
        if (taken.Count > 0 && session.IsClosed)
        {
            // Where it was handed over, whoever has it next takes them.
            int dropped = taken.Count(held => !session.IsRetiring || server.Steering?.TryHold(session, held.Path, held.Bytes) != true);
            server.Counters.AddEarlyDropped(dropped);
        }
        else if (taken.Count > 0)
        {
            // It runs code of users, on a thread for such things.
            server.Run(() =>
            {
                foreach (EarlyItem held in taken)
                {
                    server.Receive(held.Path, held.Bytes, isSteered: true);
                }
            });
        }
    }
}
