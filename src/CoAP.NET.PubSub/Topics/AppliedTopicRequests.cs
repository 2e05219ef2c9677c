using System.Formats.Cbor;

namespace CoAP.NET.PubSub.Topics;

/// <summary>
/// The stamps of the last requests that changed a part of a topic, newest first. They are part of the entry, so that each owner recognizes
/// a repeated request. A value.
/// </summary>
internal readonly struct AppliedTopicRequests : IEquatable<AppliedTopicRequests>
{
    /// <summary>The maximum number of stamps. A request repeated after as many others is not recognized.</summary>
    public const int Most = 8;

    private readonly TopicRequestId[]? _stamps;

    private AppliedTopicRequests(TopicRequestId[] stamps) => _stamps = stamps;

    /// <summary>The newest stamp; default if there is none.</summary>
    public TopicRequestId Newest => _stamps is { Length: > 0 } stamps ? stamps[0] : default;

    private ReadOnlySpan<TopicRequestId> Stamps => _stamps;

    /// <summary>Whether this request was applied.</summary>
    public bool Has(TopicRequestId stamp) => Stamps.Contains(stamp);

    /// <summary>Whether this request or a later one of the same broker was applied.</summary>
    public bool HasReached(TopicRequestId stamp)
    {
        foreach (TopicRequestId one in Stamps)
        {
            if (one.Broker == stamp.Broker && one.Number >= stamp.Number)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The marks after a request, keeping only the last request of each broker.</summary>
    public AppliedTopicRequests WithLast(TopicRequestId stamp) => new([stamp, .. Of(one => one.Broker != stamp.Broker)]);

    /// <summary>The marks after a request, keeping each one.</summary>
    public AppliedTopicRequests With(TopicRequestId stamp) => new([stamp, .. Of(static _ => true)]);

    public void Write(CborWriter writer)
    {
        writer.WriteStartArray(2 * Stamps.Length);
        foreach (TopicRequestId stamp in Stamps)
        {
            stamp.Write(writer);
        }

        writer.WriteEndArray();
    }

    public static AppliedTopicRequests Read(CborReader reader)
    {
        if (reader.ReadStartArray() is not (>= 0 and <= 2 * Most and int numbers) || (numbers & 1) != 0)
        {
            throw reader.Fault("the number of marks is wrong");
        }

        TopicRequestId[] stamps = new TopicRequestId[numbers / 2];
        for (int i = 0; i < stamps.Length; i++)
        {
            stamps[i] = TopicRequestId.Read(reader);
        }

        reader.ReadEndArray();
        return new AppliedTopicRequests(stamps);
    }

    public bool Equals(AppliedTopicRequests other) => Stamps.SequenceEqual(other.Stamps);

    public override bool Equals(object? obj) => obj is AppliedTopicRequests other && Equals(other);

    public override int GetHashCode() => Newest.GetHashCode();

    private IEnumerable<TopicRequestId> Of(Func<TopicRequestId, bool> isKept) => (_stamps ?? []).Where(isKept).Take(Most - 1);
}
