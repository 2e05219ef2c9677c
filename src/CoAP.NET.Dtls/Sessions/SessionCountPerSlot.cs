namespace CoAP.NET.Dtls.Sessions;

/// <summary>Number of sessions per slot. Changed under the lock of the table; any thread may read it.</summary>
internal sealed class SessionCountPerSlot
{
    /// <summary>Number of slots: one for each first byte of a Connection ID.</summary>
    public const int Slots = 256;

    private readonly int[] _counts = new int[Slots];

    /// <summary>Number of sessions of a slot.</summary>
    /// <param name="slot">The slot.</param>
    public int this[byte slot] => Volatile.Read(ref _counts[slot]);

    /// <summary>Changes the count of a session's slot.</summary>
    /// <param name="session">The session.</param>
    /// <param name="by">The difference.</param>
    public void Add(DtlsSession session, int by)
    {
        if (session.Slot is { } slot)
        {
            Volatile.Write(ref _counts[slot], _counts[slot] + by);
        }
    }
}
