namespace CoAP.NET.PubSub.Topics;

/// <summary>Creates the ids of a broker's requests to topic owners. Thread-safe.</summary>
internal sealed class TopicRequestIdSource(CoapRandomSource random)
{
    private readonly ulong _broker = random.NextUInt64();
    private ulong _last;

    public TopicRequestId Next() => new(_broker, Interlocked.Increment(ref _last));
}
