namespace CoAP.NET.Blockwise;

/// <summary>A bound in bytes that all shards of an endpoint share. Thread-safe.</summary>
internal sealed class BodyBudget
{
    private long _used;
    private long _usedByNewcomers;

    /// <param name="max">How much all peers may take, in bytes.</param>
    /// <param name="share">Which part of it one peer may take.</param>
    public BodyBudget(long max, double share)
    {
        Max = max;
        PeerMax = (long)(max * share);
    }

    public long Max { get; }

    /// <summary>What one peer may take; and all newcomers together, so that addresses nobody has seen before cannot crowd out the others.</summary>
    public long PeerMax { get; }

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
        if (Interlocked.Add(ref _usedByNewcomers, bytes) <= PeerMax)
        {
            return true;
        }

        Interlocked.Add(ref _usedByNewcomers, -bytes);
        return false;
    }

    public void GiveBackAsNewcomer(long bytes) => Interlocked.Add(ref _usedByNewcomers, -bytes);
}
