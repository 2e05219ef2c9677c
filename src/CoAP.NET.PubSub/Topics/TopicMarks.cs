namespace CoAP.NET.PubSub.Topics;

/// <summary>
/// The stamps of the last questions that changed a part of a topic, newest first. They are part of the entry, so that each owner recognizes
/// a repeated question. A value.
/// </summary>
internal readonly struct TopicMarks : IEquatable<TopicMarks>
{
    /// <summary>The maximum number of stamps. A question repeated after as many others is not recognized.</summary>
    public const int Most = 8;

    private readonly TopicStamp[]? _stamps;

    private TopicMarks(TopicStamp[] stamps) => _stamps = stamps;

    /// <summary>The newest stamp; default if there is none.</summary>
    public TopicStamp Newest => _stamps is { Length: > 0 } stamps ? stamps[0] : default;

    private ReadOnlySpan<TopicStamp> Stamps => _stamps;

    /// <summary>Whether this question was applied.</summary>
    public bool Has(TopicStamp stamp) => Stamps.Contains(stamp);

    /// <summary>Whether this question or a later one of the same broker was applied.</summary>
    public bool HasReached(TopicStamp stamp)
    {
        foreach (TopicStamp one in Stamps)
        {
            if (one.Broker == stamp.Broker && one.Number >= stamp.Number)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The marks after a question, keeping only the last question of each broker.</summary>
    public TopicMarks WithLast(TopicStamp stamp) => new([stamp, .. Of(one => one.Broker != stamp.Broker)]);

    /// <summary>The marks after a question, keeping each one.</summary>
    public TopicMarks With(TopicStamp stamp) => new([stamp, .. Of(static _ => true)]);

    /// <summary>Writes them.</summary>
    public void Write(CborWriter writer)
    {
        writer.WriteArray(2 * Stamps.Length);
        foreach (TopicStamp stamp in Stamps)
        {
            writer.WriteUInt(stamp.Broker).WriteUInt(stamp.Number);
        }
    }

    /// <summary>Reads them.</summary>
    /// <returns>Whether the data are valid marks.</returns>
    public static bool TryRead(ref CborReader reader, out TopicMarks marks)
    {
        marks = default;
        if (!reader.TryReadArray(out int? count) || count is not { } numbers || numbers > 2 * Most || (numbers & 1) != 0)
        {
            return false;
        }

        TopicStamp[] stamps = new TopicStamp[numbers / 2];
        for (int i = 0; i < stamps.Length; i++)
        {
            if (!reader.TryReadUInt(out ulong broker) || !reader.TryReadUInt(out ulong number))
            {
                return false;
            }

            stamps[i] = new TopicStamp(broker, number);
        }

        marks = new TopicMarks(stamps);
        return true;
    }

    public bool Equals(TopicMarks other) => Stamps.SequenceEqual(other.Stamps);

    public override bool Equals(object? obj) => obj is TopicMarks other && Equals(other);

    public override int GetHashCode() => Newest.GetHashCode();

    private IEnumerable<TopicStamp> Of(Func<TopicStamp, bool> isKept) => (_stamps ?? []).Where(isKept).Take(Most - 1);
}
