namespace CoAP.NET.Groups;

/// <summary>The settings of an endpoint for answers to group requests; shared by its shards.</summary>
internal sealed class GroupResponseSettings
{
    private readonly ICoapMessageSerializer _serializer;

    /// <summary>Creates the settings.</summary>
    /// <param name="maxDelayedReplies">The maximum number of waiting answers in a shard.</param>
    /// <param name="serializer">Measures messages.</param>
    public GroupResponseSettings(int maxDelayedReplies, ICoapMessageSerializer serializer)
    {
        MaxDelayedReplies = maxDelayedReplies;
        _serializer = serializer;
    }

    public int MaxDelayedReplies { get; }

    /// <summary>The options from joining groups; null when the endpoint joined none.</summary>
    public CoapGroupOptions? Options { get; set; }

    public TimeSpan LeisureOf(CoapMessage answer, CoapTransmissionParameters parameters) =>
        GroupRequestRules.LeisureOf(_serializer.GetSize(answer), Options?.GroupSize, Options?.ResponseRate, parameters);
}
