namespace CoAP.NET.Groups;

/// <summary>How an endpoint answers requests that were sent to groups; shared by its shards.</summary>
internal sealed class GroupSettings
{
    private readonly Func<CoapMessage, long> _sizeOf;

    /// <summary>Makes it.</summary>
    /// <param name="maxDelayedReplies">How many answers may wait for their moment in a shard.</param>
    /// <param name="sizeOf">The size of a message in bytes.</param>
    public GroupSettings(int maxDelayedReplies, Func<CoapMessage, long> sizeOf)
    {
        MaxDelayedReplies = maxDelayedReplies;
        _sizeOf = sizeOf;
    }

    public int MaxDelayedReplies { get; }

    /// <summary>What the user said when the endpoint joined groups; null when it joined none.</summary>
    public CoapGroupOptions? Options { get; set; }

    /// <summary>The Leisure for an answer.</summary>
    public TimeSpan LeisureOf(CoapMessage answer, CoapTransmissionParameters parameters) =>
        GroupRules.LeisureOf(_sizeOf(answer), Options?.GroupSize, Options?.ResponseRate, parameters);
}
