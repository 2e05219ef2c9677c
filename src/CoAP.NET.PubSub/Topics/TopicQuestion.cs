namespace CoAP.NET.PubSub.Topics;

/// <summary>A question to the owner of a topic, serialized between nodes.</summary>
internal sealed record TopicQuestion
{
    private const int Items = 11;

    /// <summary>The operation.</summary>
    public required TopicOperation Operation { get; init; }

    /// <summary>Identifies the question.</summary>
    public required TopicStamp Stamp { get; init; }

    /// <summary>
    /// Identifies the topic among those of its name (<see cref="TopicState.Creation"/>), to protect a topic that was created after the
    /// deletion of another; 0 for creations.
    /// </summary>
    public ulong Creation { get; init; }

    /// <summary>
    /// The state that the client made a condition (<see cref="TopicState.DataTag"/> or <see cref="TopicState.PropertyTag"/>); null for
    /// none.
    /// </summary>
    public ulong? Expected { get; init; }

    /// <summary>The topic to create; null for other operations.</summary>
    public TopicState? Topic { get; init; }

    /// <summary>The properties of a change; null for other operations.</summary>
    public CoapTopicProperties? Properties { get; init; }

    /// <summary>The data of a publication.</summary>
    public ReadOnlyMemory<byte> Data { get; init; }

    /// <summary>The Content-Format of the data; null if the publisher gave none.</summary>
    public CoapContentFormat? Format { get; init; }

    /// <summary>Whether to answer a publication only after the store has confirmed it; the first one always waits.</summary>
    public bool IsDurable { get; init; }

    /// <summary>Whether a state shows that the question was applied.</summary>
    /// <param name="state">The topic as a node knows it; null for none.</param>
    public bool IsDoneIn(TopicState? state) => Operation switch
    {
        TopicOperation.Create => state?.Creation == Topic!.Creation,
        TopicOperation.Publish or TopicOperation.DeleteData => state?.Creation != Creation || state.DataMarks.HasReached(Stamp),
        TopicOperation.Replace or TopicOperation.Change => state?.Creation != Creation || state.PropertyMarks.Has(Stamp),
        _ => state?.Creation != Creation,
    };

    /// <summary>Serializes the question. The data come last.</summary>
    public byte[] Write()
    {
        CborWriter writer = new();
        writer.WriteArray(Items).WriteUInt(1).WriteUInt((ulong)Operation).WriteUInt(Stamp.Broker).WriteUInt(Stamp.Number)
            .WriteUInt(Creation).WriteUInt(Expected is { } tag ? tag + 1 : 0).WriteBoolean(IsDurable)
            .WriteBytes(Topic?.Write() ?? [])
            .WriteEncoded(TopicMap.Write(Properties ?? new CoapTopicProperties())).WriteInt(Format is { } format ? format.Value : -1)
            .WriteBytes(Data.Span);
        return writer.ToArray();
    }

    /// <summary>Deserializes a question.</summary>
    /// <returns>Null if this version does not know its format.</returns>
    public static TopicQuestion? Read(ReadOnlyMemory<byte> bytes)
    {
        CborReader reader = new(bytes.Span);
        if (!reader.TryReadArray(out int? count) || count != Items || !reader.TryReadUInt(out ulong version) || version != 1
            || !reader.TryReadUInt(out ulong operation) || !reader.TryReadUInt(out ulong broker) || !reader.TryReadUInt(out ulong number)
            || !reader.TryReadUInt(out ulong creation) || !reader.TryReadUInt(out ulong expected)
            || !reader.TryReadBoolean(out bool durable)
            || !reader.TryReadBytes(out byte[] topic) || !reader.TryReadItem(out byte[] map)
            || !TopicMap.TryRead(map, isStrict: false, out CoapTopicProperties properties, out _) || !reader.TryReadInt(out long format)
            || format > ushort.MaxValue
            || !reader.TryReadHead(out CborHead head) || head.Argument != (ulong)(bytes.Length - reader.Position))
        {
            return null;
        }

        return new TopicQuestion
        {
            Operation = (TopicOperation)operation,
            Stamp = new TopicStamp(broker, number),
            Creation = creation,
            Expected = expected == 0 ? null : expected - 1,
            IsDurable = durable,
            Topic = topic.Length == 0 ? null : TopicState.Read(topic),
            Properties = properties,
            Format = format < 0 ? null : (CoapContentFormat)(int)format,
            Data = bytes[reader.Position..],
        };
    }
}
