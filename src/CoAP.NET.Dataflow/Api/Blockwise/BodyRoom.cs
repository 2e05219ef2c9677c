namespace CoAP.NET.Blockwise;

/// <summary>Counts an entry and tracks its time. Guarded by Shard.Gate.</summary>
internal abstract class BodyRoom
{
    /// <summary>An entry was not used for a time, so it is looked at.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public abstract void OnIdle(BodyEntry entry, long now);
}
