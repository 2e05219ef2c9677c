using System.Formats.Cbor;

namespace CoAP.NET.PubSub.Topics;

/// <summary>The entry of a topic in the table: its configuration, its creator, and the latest data. Immutable.</summary>
internal sealed record TopicState
{
    private const ulong Version = 1;
    private const int Items = 11;
    private const uint HasDataBit = 1;
    private const uint IsFirstBit = 2;
    private const int VersionBits = 2;

    /// <summary>The path of the collection, in URI form.</summary>
    public required string Collection { get; init; }

    /// <summary>The creator, if known; null for an unknown one.</summary>
    public string? Owner { get; init; }

    /// <summary>The source (<see cref="CoapQuotaSource"/>) that the topic counts for.</summary>
    public required string Source { get; init; }

    /// <summary>Distinguishes the creating request from others for the same name.</summary>
    public required ulong Creation { get; init; }

    /// <summary>The given properties, without topic-data and initialize.</summary>
    public required CoapTopicProperties Properties { get; init; }

    /// <summary>
    /// Distinguishes two states of the data: the number of publications and deletions, above two bits. The lowest bit is set while there
    /// are data, the other one after a publication that found none.
    /// </summary>
    public uint DataVersion { get; init; }

    /// <summary>The Content-Format of the data; null if their publisher gave none.</summary>
    public CoapContentFormat? Format { get; init; }

    /// <summary>The data; part of the entry in the table.</summary>
    public ReadOnlyMemory<byte> Data { get; init; }

    /// <summary>The last publications and deletions of the data, by the broker that was asked.</summary>
    public AppliedTopicRequests DataMarks { get; init; }

    /// <summary>The last changes of the properties.</summary>
    public AppliedTopicRequests PropertyMarks { get; init; }

    /// <summary>
    /// A number that identifies a state of the data; 0 without data. It stays unique even if the last states were lost with a node and
    /// others replaced them.
    /// </summary>
    public ulong DataTag => HasData ? TagOf(DataMarks) : 0;

    /// <summary>Like <see cref="DataTag"/>, for the properties.</summary>
    public ulong PropertyTag => TagOf(PropertyMarks);

    /// <summary>Whether there are data to read: FULLY CREATED in the draft.</summary>
    public bool HasData => (DataVersion & HasDataBit) != 0;

    /// <summary>Whether the last publication found no data, and was therefore answered 2.01.</summary>
    public bool IsFirstPublication => (DataVersion & IsFirstBit) != 0;

    private uint NextVersion => ((DataVersion >> VersionBits) + 1) << VersionBits;

    /// <summary>The state after a publication.</summary>
    public TopicState WithData(ReadOnlyMemory<byte> data, CoapContentFormat? format, TopicRequestId stamp) => this with
    {
        Data = data,
        Format = format,
        DataVersion = NextVersion | HasDataBit | (HasData ? 0 : IsFirstBit),
        DataMarks = DataMarks.WithLast(stamp),
    };

    /// <summary>The state after the deletion of the data.</summary>
    public TopicState WithoutData(TopicRequestId stamp) => HasData
        ? this with { Data = default, Format = null, DataVersion = NextVersion, DataMarks = DataMarks.WithLast(stamp) }
        : this;

    /// <summary>Serializes the entry. The data come last.</summary>
    public byte[] Write()
    {
        CborWriter writer = CborNumberWriter.Create(Data.Length + 1024);
        writer.WriteStartArray(Items);
        writer.WriteUInt64(Version);
        writer.WriteTextString(Collection);
        writer.WriteTextString(Owner ?? string.Empty);
        writer.WriteTextString(Source);
        writer.WriteUInt64(Creation);
        writer.WriteEncodedValue(TopicPropertiesSerializer.Write(Properties));
        writer.WriteUInt32(DataVersion);
        DataMarks.Write(writer);
        PropertyMarks.Write(writer);
        writer.WriteInt32(Format is { } format ? format.Value : -1);
        writer.WriteByteString(Data.Span);
        writer.WriteEndArray();
        return writer.Encode();
    }

    /// <summary>Deserializes an entry.</summary>
    /// <returns>Null if this version does not know its format.</returns>
    public static TopicState? Read(ReadOnlyMemory<byte> value) =>
        UntrustedCborReader.TryRead(value, Read, out TopicState? state, out _) ? state : null;

    private static TopicState Read(CborReader reader)
    {
        if (reader.ReadStartArray() != Items || reader.ReadUInt64() != Version)
        {
            throw reader.Fault("the format is another one");
        }

        // The initializer reads in the order of the bytes.
        string collection = reader.ReadText();
        string owner = reader.ReadText();
        TopicState state = new()
        {
            Collection = collection,
            Owner = owner.Length == 0 ? null : owner,
            Source = reader.ReadText(),
            Creation = reader.ReadUInt64(),
            Properties = TopicPropertiesSerializer.Read(reader),
            DataVersion = (uint)reader.ReadUInt64(),
            DataMarks = AppliedTopicRequests.Read(reader),
            PropertyMarks = AppliedTopicRequests.Read(reader),
            Format = TopicPropertiesSerializer.ReadFormat(reader),
            Data = reader.ReadDefiniteLengthByteString(),
        };
        reader.ReadEndArray();
        return state;
    }

    private ulong TagOf(AppliedTopicRequests marks) => (uint)Creation + (ulong)(uint)marks.Newest.Broker + marks.Newest.Number + 1;
}
