using CoAP.NET.Serialization;

namespace CoAP.NET.Groups;

/// <summary>How an endpoint answers requests that were sent to groups; shared by its shards.</summary>
internal sealed class GroupSettings
{
    private readonly ICoapMessageSerializer _serializer;

    /// <summary>Makes it.</summary>
    /// <param name="maxDelayedReplies">How many answers may wait for their moment in a shard.</param>
    /// <param name="serializer">Says how large a message is.</param>
    public GroupSettings(int maxDelayedReplies, ICoapMessageSerializer serializer)
    {
        MaxDelayedReplies = maxDelayedReplies;
        _serializer = serializer;
    }

    public int MaxDelayedReplies { get; }

    /// <summary>What the user said when the endpoint joined groups; null when it joined none.</summary>
    public CoapGroupOptions? Options { get; set; }

    /// <summary>The Leisure for an answer.</summary>
    public TimeSpan LeisureOf(CoapMessage answer, CoapTransmissionParameters parameters) =>
        GroupRules.LeisureOf(_serializer.GetSize(answer), Options?.GroupSize, Options?.ResponseRate, parameters);
}
