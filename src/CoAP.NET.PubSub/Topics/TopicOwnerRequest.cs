using System.Formats.Cbor;

namespace CoAP.NET.PubSub.Topics;

/// <summary>A request to the node that owns a topic, in the form that nodes exchange.</summary>
internal sealed record TopicOwnerRequest
{
    private const int Items = 11;

    public required TopicOwnerOperation Operation { get; init; }

    public required TopicRequestId Stamp { get; init; }

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

    /// <summary>Whether a state shows that the request was applied.</summary>
    /// <param name="state">The topic as a node knows it; null for none.</param>
    public bool IsDoneIn(TopicState? state) => Operation switch
    {
        TopicOwnerOperation.Create => state?.Creation == Topic!.Creation,
        TopicOwnerOperation.Publish or TopicOwnerOperation.DeleteData => state?.Creation != Creation || state.DataMarks.HasReached(Stamp),
        TopicOwnerOperation.Replace or TopicOwnerOperation.Change => state?.Creation != Creation || state.PropertyMarks.Has(Stamp),
        _ => state?.Creation != Creation,
    };

    /// <summary>Serializes the request. The data come last.</summary>
    public byte[] Write()
    {
        CborWriter writer = CborNumberWriter.Create(Data.Length + 1024);
        writer.WriteStartArray(Items);
        writer.WriteUInt64(1);
        writer.WriteUInt64((ulong)Operation);
        Stamp.Write(writer);
        writer.WriteUInt64(Creation);
        writer.WriteUInt64(Expected is { } tag ? tag + 1 : 0);
        writer.WriteBoolean(IsDurable);
        writer.WriteByteString(Topic?.Write() ?? []);
        writer.WriteEncodedValue(TopicPropertiesSerializer.Write(Properties ?? new CoapTopicProperties()));
        writer.WriteInt32(Format is { } format ? format.Value : -1);
        writer.WriteByteString(Data.Span);
        writer.WriteEndArray();
        return writer.Encode();
    }

    /// <summary>Deserializes a request.</summary>
    /// <returns>Null if this version does not know its format.</returns>
    public static TopicOwnerRequest? Read(ReadOnlyMemory<byte> bytes) =>
        UntrustedCborReader.TryRead(bytes, Read, out TopicOwnerRequest? request, out _) ? request : null;

    private static TopicOwnerRequest Read(CborReader reader)
    {
        if (reader.ReadStartArray() != Items || reader.ReadUInt64() != 1)
        {
            throw reader.Fault("the format is another one");
        }

        // The initializer reads in the order of the bytes.
        TopicOwnerRequest request = new()
        {
            Operation = (TopicOwnerOperation)reader.ReadUInt64(),
            Stamp = TopicRequestId.Read(reader),
            Creation = reader.ReadUInt64(),
            Expected = reader.ReadUInt64() is > 0 and var expected ? expected - 1 : null,
            IsDurable = reader.ReadBoolean(),
            Topic = reader.ReadByteString() is { Length: > 0 } topic ? TopicState.Read(topic) : null,
            Properties = TopicPropertiesSerializer.Read(reader),
            Format = TopicPropertiesSerializer.ReadFormat(reader),
            Data = reader.ReadDefiniteLengthByteString(),
        };
        reader.ReadEndArray();
        return request;
    }
}
