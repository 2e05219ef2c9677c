using CoAP.NET.Signalling;

namespace CoAP.NET.Peers;

/// <summary>
/// How many requests of the peer of one connection have no answer yet. At the bound nothing more is read from the connection, so that one
/// peer does not take all that the endpoint serves. They are counted on two sides, of which one takes new requests: after
/// <see cref="Swap"/> the other only falls, so that the end of what came before is seen though more comes (RFC 8323 section 5.4.1). Takes
/// no lock; safe for several threads.
/// </summary>
/// <param name="channel">The channel of the connection.</param>
/// <param name="owner">Who is told when what is awaited has come.</param>
internal sealed class RequestsUnderWay(CoapChannel channel, SignallingLayer owner)
{
    private const long FirstUnit = 1;
    private const long SecondUnit = 1L << 32;

    private const int Reading = 0;
    private const int Pausing = 1;
    private const int Paused = 2;

    private readonly int _max = channel.Shard.Environment.Limits.MaxRequestsPerConnection;
    private long _counts;
    private int _side = 1;
    private int _pause;
    private bool _isAwaited;

    /// <summary>How many there are.</summary>
    public int Count => Total(Volatile.Read(ref _counts));

    /// <summary>Whether reading was stopped because there are too many.</summary>
    public bool IsPaused => Volatile.Read(ref _pause) != Reading;

    /// <summary>Whether the owner wants to know when a side, or all, has ended. Set it before looking at the counts.</summary>
    public bool IsAwaited
    {
        get => Volatile.Read(ref _isAwaited);
        set
        {
            Volatile.Write(ref _isAwaited, value);
            Interlocked.MemoryBarrier();
        }
    }

    /// <summary>Has the other side take new requests. Under Shard.Gate.</summary>
    /// <returns>The side that only falls from now on.</returns>
    public byte Swap()
    {
        int side = _side;
        Volatile.Write(ref _side, 3 - side);
        return (byte)side;
    }

    /// <summary>How many of a side there are.</summary>
    public int CountOf(byte side) => CountOf(Volatile.Read(ref _counts), side);

    /// <summary>A request came. Called on the thread that receives, one request after another.</summary>
    /// <returns>The side on which it was counted, which goes into <see cref="End"/>; never 0.</returns>
    public byte Begin()
    {
        byte side = (byte)Volatile.Read(ref _side);
        if (Total(Interlocked.Add(ref _counts, UnitOf(side))) >= _max)
        {
            Pause();
        }

        return side;
    }

    /// <summary>A request has its answer, or will never have one.</summary>
    /// <param name="side">What <see cref="Begin"/> gave.</param>
    public void End(byte side)
    {
        long counts = Interlocked.Add(ref _counts, -UnitOf(side));
        if (Volatile.Read(ref _pause) == Paused)
        {
            ResumeIfBelow();
        }

        if (CountOf(counts, side) == 0 && Volatile.Read(ref _isAwaited))
        {
            channel.Shard.Enter();
            try
            {
                owner.OnDrained(channel);
            }
            finally
            {
                channel.Shard.Exit();
            }
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

        // Whoever ended a request in between saw no pause to end.
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
