namespace CoAP.NET.Peers;

/// <summary>
/// Counts the unanswered requests of the peer of one connection. At the limit the endpoint stops reading the connection, so one peer cannot
/// take all serving capacity. There are two counts, one of which takes new requests. After <see cref="Swap"/> the other one only falls, so
/// the end of earlier requests is visible although more arrive (RFC 8323 section 5.4.1). Lock-free and thread-safe.
/// </summary>
/// <param name="channel">The channel of the connection.</param>
/// <param name="owner">Notified when an awaited count is reached.</param>
internal sealed class ConnectionRequestCounter(CoapChannel channel, IConnectionRequestWaiter owner)
{
    private const long FirstUnit = 1;
    private const long SecondUnit = 1L << 32;

    private const int Reading = 0;
    private const int Pausing = 1;
    private const int Paused = 2;

    private readonly int _max = channel.Shard.Environment.Limits.Connections.MaxRequests;
    private long _counts;
    private int _side = 1;
    private int _pause;
    private bool _isAwaited;

    public CoapChannel Channel => channel;

    public int Count => Total(Volatile.Read(ref _counts));

    /// <summary>Whether reading is paused because there are too many.</summary>
    public bool IsPaused => Volatile.Read(ref _pause) != Reading;

    /// <summary>Whether the owner wants a notification when a side, or all, has ended. Set it before you look at the counts.</summary>
    public bool IsAwaited
    {
        get => Volatile.Read(ref _isAwaited);
        set
        {
            Volatile.Write(ref _isAwaited, value);
            Interlocked.MemoryBarrier();
        }
    }

    /// <summary>Lets the other side take new requests. Under Shard.Gate.</summary>
    /// <returns>The side that only falls from now on.</returns>
    public byte Swap()
    {
        int side = _side;
        Volatile.Write(ref _side, 3 - side);
        return (byte)side;
    }

    public int CountOf(byte side) => CountOf(Volatile.Read(ref _counts), side);

    /// <summary>Counts a request. Called on the receiving thread, one request after another.</summary>
    /// <returns>The side that counted it, for <see cref="End"/>; never 0.</returns>
    public byte Begin()
    {
        byte side = (byte)Volatile.Read(ref _side);
        if (Total(Interlocked.Add(ref _counts, UnitOf(side))) >= _max)
        {
            Pause();
        }

        return side;
    }

    /// <summary>Ends a request: it has its answer, or will never have one.</summary>
    /// <param name="side">The result of <see cref="Begin"/>.</param>
    public void End(byte side)
    {
        long counts = Interlocked.Add(ref _counts, -UnitOf(side));
        if (Volatile.Read(ref _pause) == Paused)
        {
            ResumeIfBelow();
        }

        if (CountOf(counts, side) == 0 && Volatile.Read(ref _isAwaited))
        {
            owner.OnRequestsEnded(channel);
        }
    }

    private void Pause()
    {
        if (Interlocked.CompareExchange(ref _pause, Pausing, Reading) != Reading)
        {
            return;
        }

        channel.Shard.Environment.Counters.Add(CoapCounter.ReadingPauses);
        channel.Connection!.PauseReading();
        Interlocked.Exchange(ref _pause, Paused);

        // A thread that ended a request in between saw no pause to end.
        ResumeIfBelow();
    }

    private void ResumeIfBelow()
    {
        if (Total(Interlocked.Read(ref _counts)) < _max && Interlocked.CompareExchange(ref _pause, Reading, Paused) == Paused)
        {
            channel.Connection!.ResumeReading();
        }
    }

    private static long UnitOf(byte side) => side == 1 ? FirstUnit : SecondUnit;

    private static int CountOf(long counts, byte side) => side == 1 ? (int)counts : (int)(counts >> 32);

    private static int Total(long counts) => (int)counts + (int)(counts >> 32);
}
