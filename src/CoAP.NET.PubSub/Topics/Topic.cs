using CoAP.NET.Cluster;

namespace CoAP.NET.PubSub.Topics;

/// <summary>A topic as this node knows it, with what it asks of its subscribers. Thread-safe.</summary>
internal sealed class Topic
{
    private TopicState _state;

    public Topic(CoapTableKey key, TopicState state)
    {
        Key = key;
        Id = key.ToString();
        _state = state;
        Share = TopicShares.HashOf(state.Source);
    }

    /// <summary>The key of its entry.</summary>
    public CoapTableKey Key { get; }

    /// <summary>Its segment in paths.</summary>
    public string Id { get; }

    /// <summary>The path of its configuration.</summary>
    public string Path => $"{State.Collection}/{Id}";

    /// <summary>The path of its data.</summary>
    public string DataPath => $"{State.Collection}/data/{Id}";

    /// <summary>The hash of the source that made it.</summary>
    public ulong Share { get; }

    /// <summary>Its number in the shares of sources, which keep it; <see cref="SourceShares{T}.None"/> while it does not count.</summary>
    public int Member { get; set; } = SourceShares<Topic>.None;

    /// <summary>What it says of its subscribers.</summary>
    public CoapObserverTerms Terms { get; } = new();

    /// <summary>Who publishes how fast.</summary>
    public PublishRates Rates { get; } = new();

    /// <summary>What is there. Replaced as a whole.</summary>
    public TopicState State { get => Volatile.Read(ref _state); set => Volatile.Write(ref _state, value); }

    /// <summary>How many bytes count: all that strangers chose.</summary>
    public static long BytesOf(TopicState state) => state.Data.Length + state.Collection.Length + (2 * state.Source.Length) + 512;

    /// <summary>All its properties, with those that the broker chose and defaults.</summary>
    public CoapTopicProperties Describe(CoapTopicProperties properties) => properties with
    {
        DataUri = DataPath,
        ObserverCheck = properties.ObserverCheck ?? TimeSpan.FromSeconds(PubSubDraft.DefaultObserverCheck),
    };

    /// <summary>Has subscribers be counted and checked as the properties say. It may end observations.</summary>
    /// <param name="limit">How many the broker allows at most; null for any number.</param>
    public void ApplyTerms(int? limit)
    {
        CoapTopicProperties properties = State.Properties;
        long max = Math.Min(properties.MaxSubscribers ?? long.MaxValue, limit ?? long.MaxValue);
        Terms.MaxObservers = max < int.MaxValue ? (int)max : null;
        Terms.ConfirmableEvery = properties.ObserverCheck is { } check
            ? TimeSpan.FromTicks(Math.Min(check.Ticks, TimeSpan.TicksPerDay))
            : null;
    }
}
