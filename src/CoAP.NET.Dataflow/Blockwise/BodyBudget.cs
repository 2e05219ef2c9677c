namespace CoAP.NET.Blockwise;

/// <summary>A bound in bytes that all shards of an endpoint share. Thread-safe.</summary>
internal sealed class BodyBudget
{
    private long _used;
    private long _usedByNewcomers;

    /// <param name="max">How much all peers may take, in bytes.</param>
    /// <param name="share">Which part of it one peer may take.</param>
    /// <param name="newcomerMax">How much all newcomers together may take, in bytes, if one peer may take as much.</param>
    public BodyBudget(long max, double share, long newcomerMax = long.MaxValue)
    {
        Max = max;
        PeerMax = (long)(max * share);
        NewcomerMax = Math.Min(PeerMax, newcomerMax);
    }

    public long Max { get; }

    /// <summary>What one peer may take.</summary>
    public long PeerMax { get; }

    /// <summary>What all newcomers together may take, so that addresses nobody has seen before neither crowd out the others nor take much memory.</summary>
    public long NewcomerMax { get; }

    public long Used => Volatile.Read(ref _used);

    public long UsedByNewcomers => Volatile.Read(ref _usedByNewcomers);

    public bool TryTake(long bytes)
    {
        if (Interlocked.Add(ref _used, bytes) <= Max)
        {
            return true;
        }

        Interlocked.Add(ref _used, -bytes);
        return false;
    }

    public void GiveBack(long bytes) => Interlocked.Add(ref _used, -bytes);

    public bool TryTakeAsNewcomer(long bytes)
    {
        if (Interlocked.Add(ref _usedByNewcomers, bytes) <= NewcomerMax)
        {
            return true;
        }

        Interlocked.Add(ref _usedByNewcomers, -bytes);
        return false;
    }

    public void GiveBackAsNewcomer(long bytes) => Interlocked.Add(ref _usedByNewcomers, -bytes);
}
