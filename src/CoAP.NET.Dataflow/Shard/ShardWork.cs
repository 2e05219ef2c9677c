namespace CoAP.NET.Shard;

/// <summary>What was decided in one stretch under a shard's lock and is carried out by the same thread after it let go.</summary>
internal sealed class ShardWork
{
    private const int KeptCapacity = 1024;

    /// <summary>The first items of outboxes that were entered; whoever carries them out drains those outboxes.</summary>
    public List<CoapOutbound> Sends { get; } = [];

    public List<CoapInbound> Events { get; } = [];

    public List<ShardEffect> Effects { get; } = [];

    public bool IsEmpty => Sends.Count == 0 && Events.Count == 0 && Effects.Count == 0;

    public void Clear()
    {
        Clear(Sends);
        Clear(Events);
        Clear(Effects);
    }

    private static void Clear<T>(List<T> list)
    {
        list.Clear();
        if (list.Capacity > KeptCapacity)
        {
            list.Capacity = 0;
        }
    }
}
