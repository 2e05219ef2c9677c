using CoAP.NET.Guarding;

namespace CoAP.NET.PubSub.Topics;

/// <summary>A topic as this node knows it, with its limits for subscribers. Thread-safe.</summary>
internal sealed class Topic
{
    private TopicState _state;

    public Topic(CoapTableKey key, TopicState state)
    {
        Key = key;
        Id = key.ToString();
        _state = state;
        SourceHash = TopicQuota.HashOf(state.Source);
    }

    public CoapTableKey Key { get; }

    /// <summary>Its path segment.</summary>
    public string Id { get; }

    /// <summary>The path of its configuration.</summary>
    public string Path => $"{State.Collection}/{Id}";

    public string DataPath => $"{State.Collection}/data/{Id}";

    /// <summary>The hash of the source that created it.</summary>
    public ulong SourceHash { get; }

    /// <summary>
    /// Its index in the shares of sources, set by them; <see cref="CompactSourceUsage{T}.None"/> while it does not count.
    /// </summary>
    public int Member { get; set; } = CompactSourceUsage<Topic>.None;

    public CoapResourceObserverLimits ObserverLimits { get; } = new();

    public PublishRates Rates { get; } = new();

    /// <summary>The current state. Replaced as a whole.</summary>
    public TopicState State { get => Volatile.Read(ref _state); set => Volatile.Write(ref _state, value); }

    /// <summary>The number of bytes that count: everything that strangers chose.</summary>
    public static long BytesOf(TopicState state) => state.Data.Length + state.Collection.Length + (2 * state.Source.Length) + 512;

    /// <summary>All properties, including defaults and those that the broker chose.</summary>
    public CoapTopicProperties Describe(CoapTopicProperties properties) => properties with
    {
        DataUri = DataPath,
        ObserverCheck = properties.ObserverCheck ?? TimeSpan.FromSeconds(PubSubDraft.DefaultObserverCheck),
    };

    /// <summary>Applies the limits and checks of the properties to subscribers. It may end observations.</summary>
    /// <param name="limit">The maximum number of subscribers of the broker; null for no limit.</param>
    public void ApplyTerms(int? limit)
    {
        CoapTopicProperties properties = State.Properties;
        long max = Math.Min(properties.MaxSubscribers ?? long.MaxValue, limit ?? long.MaxValue);
        ObserverLimits.MaxObservers = max < int.MaxValue ? (int)max : null;
        ObserverLimits.ConfirmableEvery = properties.ObserverCheck is { } check
            ? TimeSpan.FromTicks(Math.Min(check.Ticks, TimeSpan.TicksPerDay))
            : null;
    }
}
