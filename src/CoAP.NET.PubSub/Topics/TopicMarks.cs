using System.Formats.Cbor;

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
        writer.WriteStartArray(2 * Stamps.Length);
        foreach (TopicStamp stamp in Stamps)
        {
            stamp.Write(writer);
        }

        writer.WriteEndArray();
    }

    /// <summary>Reads them.</summary>
    public static TopicMarks Read(CborReader reader)
    {
        if (reader.ReadStartArray() is not (>= 0 and <= 2 * Most and int numbers) || (numbers & 1) != 0)
        {
            throw reader.Fault("the number of marks is wrong");
        }

        TopicStamp[] stamps = new TopicStamp[numbers / 2];
        for (int i = 0; i < stamps.Length; i++)
        {
            stamps[i] = TopicStamp.Read(reader);
        }

        reader.ReadEndArray();
        return new TopicMarks(stamps);
    }

    public bool Equals(TopicMarks other) => Stamps.SequenceEqual(other.Stamps);

    public override bool Equals(object? obj) => obj is TopicMarks other && Equals(other);

    public override int GetHashCode() => Newest.GetHashCode();

    private IEnumerable<TopicStamp> Of(Func<TopicStamp, bool> isKept) => (_stamps ?? []).Where(isKept).Take(Most - 1);
}
