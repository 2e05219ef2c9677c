namespace CoAP.NET.PubSub.Topics;

/// <summary>
/// A topic as it stands in the table: its configuration, who made it, and the latest data. Not changed once it is made.
/// </summary>
internal sealed record TopicState
{
    private const ulong Version = 1;
    private const int Items = 11;

    /// <summary>The path of the collection, in URI form.</summary>
    public required string Collection { get; init; }

    /// <summary>Who made it, when that is known; null when anybody could have.</summary>
    public string? Owner { get; init; }

    /// <summary>The source (<see cref="CoapSource"/>) by which it counts.</summary>
    public required string Source { get; init; }

    /// <summary>What tells the request that made it from others for the same name.</summary>
    public required ulong Creation { get; init; }

    /// <summary>The properties that were given, but for topic-data and initialize.</summary>
    public required CoapTopicProperties Properties { get; init; }

    /// <summary>How often data were published or deleted; even while there are none. So it tells two states of the data apart.</summary>
    public uint DataVersion { get; init; }

    /// <summary>The Content-Format of the data; null when their publisher named none.</summary>
    public CoapContentFormat? Format { get; init; }

    /// <summary>The data; part of the entry in the table.</summary>
    public ReadOnlyMemory<byte> Data { get; init; }

    /// <summary>Who published or deleted the data last, by the broker that was asked.</summary>
    public TopicMarks DataMarks { get; init; }

    /// <summary>The last changes of the properties.</summary>
    public TopicMarks PropertyMarks { get; init; }

    /// <summary>
    /// A number that changes with the data and is never the same for two of their states, even where the last ones were lost with a node
    /// and others took their place; 0 when there are none.
    /// </summary>
    public ulong DataTag => HasData ? TagOf(DataMarks) : 0;

    /// <summary>The same of the properties.</summary>
    public ulong PropertyTag => TagOf(PropertyMarks);

    /// <summary>Whether something was published, so that it can be read: FULLY CREATED in the words of the draft.</summary>
    public bool HasData => (DataVersion & 1) != 0;

    /// <summary>The state after something was published.</summary>
    public TopicState WithData(ReadOnlyMemory<byte> data, CoapContentFormat? format, TopicStamp stamp) => this with
    {
        Data = data, Format = format, DataVersion = HasData ? DataVersion + 2 : DataVersion + 1, DataMarks = DataMarks.WithLast(stamp),
    };

    /// <summary>The state after the data were deleted.</summary>
    public TopicState WithoutData(TopicStamp stamp) => HasData
        ? this with { Data = default, Format = null, DataVersion = DataVersion + 1, DataMarks = DataMarks.WithLast(stamp) }
        : this;

    /// <summary>The entry. The data come last.</summary>
    public byte[] Write()
    {
        CborWriter writer = new();
        writer.WriteArray(Items).WriteUInt(Version).WriteText(Collection).WriteText(Owner ?? string.Empty).WriteText(Source)
            .WriteUInt(Creation).WriteEncoded(TopicMap.Write(Properties)).WriteUInt(DataVersion);
        DataMarks.Write(writer);
        PropertyMarks.Write(writer);
        writer.WriteInt(Format is { } format ? format.Value : -1).WriteBytes(Data.Span);
        return writer.ToArray();
    }

    /// <summary>Reads an entry.</summary>
    /// <returns>Null when it is none that this version knows.</returns>
    public static TopicState? Read(ReadOnlyMemory<byte> value)
    {
        CborReader reader = new(value.Span);
        if (!reader.TryReadArray(out int? count) || count != Items || !reader.TryReadUInt(out ulong version) || version != Version
            || !reader.TryReadText(out string collection) || !reader.TryReadText(out string owner) || !reader.TryReadText(out string source)
            || !reader.TryReadUInt(out ulong creation) || !reader.TryReadItem(out byte[] map)
            || !TopicMap.TryRead(map, isStrict: false, out CoapTopicProperties properties, out _)
            || !reader.TryReadUInt(out ulong data) || !TopicMarks.TryRead(ref reader, out TopicMarks dataMarks)
            || !TopicMarks.TryRead(ref reader, out TopicMarks propertyMarks)
            || !reader.TryReadInt(out long format) || format > ushort.MaxValue
            || !reader.TryReadHead(out CborHead head) || head.Argument != (ulong)(value.Length - reader.Position))
        {
            return null;
        }

        return new TopicState
        {
            Collection = collection,
            Owner = owner.Length == 0 ? null : owner,
            Source = source,
            Creation = creation,
            Properties = properties,
            DataVersion = (uint)data,
            DataMarks = dataMarks,
            PropertyMarks = propertyMarks,
            Format = format < 0 ? null : (CoapContentFormat)(int)format,
            Data = value[reader.Position..],
        };
    }

    private ulong TagOf(TopicMarks marks) => (uint)Creation + (ulong)(uint)marks.Newest.Broker + marks.Newest.Number + 1;
}
