namespace CoAP.NET.Shard;

/// <summary>The decisions of one period under a shard's lock, which the same thread carries out after the release.</summary>
internal sealed class PendingEffects
{
    private const int KeptCapacity = 1024;

    /// <summary>The first items of entered outboxes; the thread that carries them out drains those outboxes.</summary>
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
