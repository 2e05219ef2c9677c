using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>
/// Messages to clients whose sessions wait for the confirmation of their numbers, as the first notification after a start: they are sent
/// when the session may send. Otherwise one that is not Confirmable would be lost, and another one come seconds later. Thread-safe; calls
/// nobody under its lock.
/// </summary>
/// <param name="counters">Counts those for which there was no room.</param>
internal sealed class EarlyMessages(DtlsServerCounters counters)
{
    /// <summary>How many are held of one session. Those beyond are not sent.</summary>
    public const int MaxOfSession = 4;

    /// <summary>How much memory all of them may take, in bytes. Those beyond are not sent.</summary>
    public const int MaxBytes = 16 << 20;

    // What holding one takes beside its bytes.
    private const int Overhead = 160;

    private readonly Lock _gate = new();
    private readonly Dictionary<KeptDtlsSession, List<byte[]>> _bySession = [];
    private int _bytes;

    /// <summary>How many are held.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _bySession.Values.Sum(static held => held.Count);
            }
        }
    }

    /// <summary>Holds a message, if there is room.</summary>
    /// <param name="session">The session.</param>
    /// <param name="content">The message.</param>
    public void Hold(KeptDtlsSession session, ReadOnlySpan<byte> content)
    {
        lock (_gate)
        {
            List<byte[]>? held = _bySession.GetValueOrDefault(session);
            if (held?.Count != MaxOfSession && _bytes + content.Length + Overhead <= MaxBytes)
            {
                if (held is null)
                {
                    _bySession.Add(session, held = new List<byte[]>(1));
                }

                held.Add(content.ToArray());
                _bytes += content.Length + Overhead;
                return;
            }
        }

        counters.AddEarlyDropped(1);
    }

    /// <summary>A session may send, or has ended: what is held of it is sent, or dropped.</summary>
    /// <param name="session">The session.</param>
    public void Release(KeptDtlsSession session)
    {
        List<byte[]>? held;
        lock (_gate)
        {
            if (!_bySession.Remove(session, out held))
            {
                return;
            }

            _bytes -= held.Sum(static content => content.Length + Overhead);
            if (_bySession.Count == 0)
            {
                // There may have been very many.
                _bySession.TrimExcess();
            }
        }

        foreach (byte[] content in held)
        {
            if (session.IsClosed)
            {
                counters.AddEarlyDropped(1);
            }
            else
            {
                session.Send(content);
            }
        }
    }
}
