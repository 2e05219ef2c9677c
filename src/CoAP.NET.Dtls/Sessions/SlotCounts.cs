namespace CoAP.NET.Dtls.Sessions;

/// <summary>How many sessions of each slot there are. Changed under the lock of the table; read by any thread.</summary>
internal sealed class SlotCounts
{
    /// <summary>How many slots there are: one for each first byte of a Connection ID.</summary>
    public const int Slots = 256;

    private readonly int[] _counts = new int[Slots];

    /// <summary>How many of a slot there are.</summary>
    /// <param name="slot">The slot.</param>
    public int this[byte slot] => Volatile.Read(ref _counts[slot]);

    /// <summary>There is one more, or one less.</summary>
    /// <param name="session">The session.</param>
    /// <param name="by">How many more.</param>
    public void Add(DtlsSession session, int by)
    {
        if (session.Slot is { } slot)
        {
            Volatile.Write(ref _counts[slot], _counts[slot] + by);
        }
    }
}
