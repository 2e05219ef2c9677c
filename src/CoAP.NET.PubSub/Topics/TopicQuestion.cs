namespace CoAP.NET.PubSub.Topics;

/// <summary>What the owner of a topic is asked, as bytes between nodes.</summary>
internal sealed record TopicQuestion
{
    private const int Items = 6;

    /// <summary>What is asked.</summary>
    public required TopicOperation Operation { get; init; }

    /// <summary>The topic as it is to be created; null for other operations.</summary>
    public TopicState? Topic { get; init; }

    /// <summary>The properties of a change; null for other operations.</summary>
    public CoapTopicProperties? Properties { get; init; }

    /// <summary>The data of a publication.</summary>
    public ReadOnlyMemory<byte> Data { get; init; }

    /// <summary>Their Content-Format; null when the publisher named none.</summary>
    public CoapContentFormat? Format { get; init; }

    /// <summary>The bytes. The data come last.</summary>
    public byte[] Write()
    {
        CborWriter writer = new();
        writer.WriteArray(Items).WriteUInt(1).WriteUInt((ulong)Operation).WriteBytes(Topic?.Write() ?? [])
            .WriteEncoded(TopicMap.Write(Properties ?? new CoapTopicProperties())).WriteInt(Format is { } format ? format.Value : -1)
            .WriteBytes(Data.Span);
        return writer.ToArray();
    }

    /// <summary>Reads one.</summary>
    /// <returns>Null when it is none that this version knows.</returns>
    public static TopicQuestion? Read(ReadOnlyMemory<byte> bytes)
    {
        CborReader reader = new(bytes.Span);
        if (!reader.TryReadArray(out int? count) || count != Items || !reader.TryReadUInt(out ulong version) || version != 1
            || !reader.TryReadUInt(out ulong operation) || !reader.TryReadBytes(out byte[] topic) || !reader.TryReadItem(out byte[] map)
            || !TopicMap.TryRead(map, isStrict: false, out CoapTopicProperties properties, out _) || !reader.TryReadInt(out long format)
            || format > ushort.MaxValue
            || !reader.TryReadHead(out CborHead head) || head.Argument != (ulong)(bytes.Length - reader.Position))
        {
            return null;
        }

        return new TopicQuestion
        {
            Operation = (TopicOperation)operation,
            Topic = topic.Length == 0 ? null : TopicState.Read(topic),
            Properties = properties,
            Format = format < 0 ? null : (CoapContentFormat)(int)format,
            Data = bytes[reader.Position..],
        };
    }
}
