using System.Buffers;
using System.Formats.Cbor;
using System.Globalization;
using System.Text;

namespace CoAP.NET.PubSub.Topics;

/// <summary>The properties of a topic as a CBOR map with integer keys (application/core-pubsub+cbor).</summary>
internal static class TopicPropertiesSerializer
{
    private const int MaxTextLength = 128;
    private static readonly SearchValues<char> s_noType = SearchValues.Create(" \"\\<>,;\t");

    /// <summary>Reads a map.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="isStrict">Whether unknown properties are an error instead of being skipped.</param>
    /// <param name="properties">The properties.</param>
    /// <param name="error">A human-readable description of the error; null if there is none.</param>
    /// <returns>Whether it is a map of properties.</returns>
    public static bool TryRead(
        ReadOnlyMemory<byte> bytes, bool isStrict, out CoapTopicProperties properties, [NotNullWhen(false)] out string? error)
    {
        string place = string.Empty;
        bool isRead = UntrustedCborReader.TryRead(
            bytes, reader => Read(reader, isStrict, ref place), out CoapTopicProperties? read, out ContentFault fault);
        properties = read ?? new CoapTopicProperties();
        error = !isRead ? $"{place}{fault.Message} (byte {fault.Offset})" : isStrict ? FindFault(properties) : null;
        return error is null;
    }

    /// <summary>Reads a map that is an item of something else.</summary>
    public static CoapTopicProperties Read(CborReader reader)
    {
        string place = string.Empty;
        return Read(reader, isStrict: false, ref place);
    }

    /// <summary>Reads the Content-Format of data, which is negative for none.</summary>
    public static CoapContentFormat? ReadFormat(CborReader reader)
    {
        long format = reader.ReadInt64();
        return format > ushort.MaxValue ? throw reader.Fault("the Content-Format is out of range")
            : format < 0 ? null : (CoapContentFormat)(int)format;
    }

    /// <summary>Reads an array of keys.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="keys">A bit for each of the keys that the draft knows.</param>
    /// <returns>Whether the bytes are such an array.</returns>
    public static bool TryReadKeys(ReadOnlyMemory<byte> bytes, out uint keys) =>
        UntrustedCborReader.TryRead(bytes, ReadKeys, out keys, out _);

    /// <summary>Writes the properties that are given, in the order of their keys.</summary>
    /// <param name="properties">The properties.</param>
    /// <param name="keys">A bit for each property to write, if it is given.</param>
    public static byte[] Write(CoapTopicProperties properties, uint keys = uint.MaxValue)
    {
        uint given = KeysOf(properties) & keys;
        CborWriter writer = CborNumberWriter.Create();
        writer.WriteStartMap(System.Numerics.BitOperations.PopCount(given));
        for (ulong key = 0; key < PubSubDraft.Keys; key++)
        {
            if ((given & (1u << (int)key)) != 0)
            {
                writer.WriteUInt64(key);
                WriteValue(writer, key, properties);
            }
        }

        writer.WriteEndMap();
        return writer.Encode();
    }

    /// <summary>A bit for each property that is given.</summary>
    public static uint KeysOf(CoapTopicProperties properties) =>
        Bit(properties.Name is not null, PubSubDraft.TopicName)
        | Bit(properties.DataUri is not null, PubSubDraft.TopicData)
        | Bit(properties.ResourceType is not null, PubSubDraft.ResourceType)
        | Bit(properties.ContentFormat is not null, PubSubDraft.TopicContentFormat)
        | Bit(properties.TopicType is not null, PubSubDraft.TopicKind)
        | Bit(properties.Expiration is not null, PubSubDraft.ExpirationDate)
        | Bit(properties.MaxSubscribers is not null, PubSubDraft.MaxSubscribers)
        | Bit(properties.ObserverCheck is not null, PubSubDraft.ObserverCheck)
        | Bit(properties.Initial is not null, PubSubDraft.Initialize);

    /// <summary>Describes what is wrong with properties of any origin; null for nothing.</summary>
    public static string? FindFault(CoapTopicProperties properties) =>
        properties.Name is { } name && (name.Length == 0 || !IsPlain(name))
            ? $"topic-name has 1 to {MaxTextLength} bytes and no control characters."
        : properties.TopicType is { } kind && !IsPlain(kind)
            ? $"topic-type has at most {MaxTextLength} bytes and no control characters."
        : properties.ResourceType is { } type && (type.Length == 0 || !IsPlain(type) || type.AsSpan().ContainsAny(s_noType))
            ? $"resource-type is one resource type of 1 to {MaxTextLength} bytes."
        : properties.ObserverCheck is { } check && check < TimeSpan.FromSeconds(1) ? "observer-check must be at least 1 s."
        : null;

    private static CoapTopicProperties Read(CborReader reader, bool isStrict, ref string place)
    {
        CoapTopicProperties properties = new();
        uint seen = 0;
        reader.ReadStartMap();
        while (reader.PeekState() != CborReaderState.EndMap)
        {
            int start = reader.BytesRemaining;
            (long? number, string? text) = reader.ReadKey();
            if (number is >= 0 and < (long)PubSubDraft.Keys)
            {
                place = $"{PubSubDraft.Names[number.Value]}: ";
                if ((seen & (1u << (int)number)) != 0)
                {
                    throw new CborFaultException(start, "it is given twice");
                }

                seen |= 1u << (int)number;
                properties = ReadValue(reader, (ulong)number, properties);
                place = string.Empty;
            }
            else if (isStrict)
            {
                string key = text ?? number?.ToString(CultureInfo.InvariantCulture) ?? "of that key";
                throw new CborFaultException(start, $"there is no topic property {key}");
            }
            else
            {
                reader.Skip();
            }
        }

        reader.ReadEndMap();
        return properties;
    }

    private static CoapTopicProperties ReadValue(CborReader reader, ulong key, CoapTopicProperties properties)
    {
        switch (key)
        {
            case PubSubDraft.TopicName:
                return properties with { Name = reader.ReadText() };
            case PubSubDraft.TopicData:
                return properties with { DataUri = reader.ReadText() };
            case PubSubDraft.ResourceType:
                return properties with { ResourceType = reader.ReadText() };
            case PubSubDraft.TopicKind:
                return properties with { TopicType = reader.ReadText() };
            case PubSubDraft.Initialize:
                return properties with { Initial = reader.ReadByteString() };
            case PubSubDraft.ExpirationDate:
                return properties with { Expiration = DateTimeOffset.FromUnixTimeSeconds(ReadSeconds(reader)) };
            case PubSubDraft.TopicContentFormat:
                return properties with { ContentFormat = (CoapContentFormat)(int)ReadUInt(reader, 0, ushort.MaxValue) };
            case PubSubDraft.MaxSubscribers:
                return properties with { MaxSubscribers = ReadUInt(reader, 0, uint.MaxValue) };
            default:
                return properties with { ObserverCheck = TimeSpan.FromSeconds(ReadUInt(reader, 1, uint.MaxValue)) };
        }
    }

    private static uint ReadUInt(CborReader reader, uint min, uint max)
    {
        int start = reader.BytesRemaining;
        ulong value = reader.PeekState() == CborReaderState.UnsignedInteger ? reader.ReadUInt64() : ulong.MaxValue;
        return value >= min && value <= max
            ? (uint)value
            : throw new CborFaultException(start, $"a number from {min} to {max} was expected");
    }

    // Some implementations leave out the tag. A floating-point number is truncated to whole seconds.
    private static long ReadSeconds(CborReader reader)
    {
        int start = reader.BytesRemaining;
        if (reader.IsAtTag(CborTag.UnixTimeSeconds))
        {
            reader.ReadTag();
        }

        double value = reader.PeekState() switch
        {
            CborReaderState.UnsignedInteger => reader.ReadUInt64(),
            CborReaderState.HalfPrecisionFloat or CborReaderState.SinglePrecisionFloat or CborReaderState.DoublePrecisionFloat =>
                reader.ReadDouble(),
            _ => -1,
        };
        return value >= 0 && value <= DateTimeOffset.MaxValue.ToUnixTimeSeconds()
            ? (long)value
            : throw new CborFaultException(start, "a number of seconds since 1970, with tag 1, was expected");
    }

    private static uint ReadKeys(CborReader reader)
    {
        uint keys = 0;
        reader.ReadStartArray();
        while (reader.PeekState() != CborReaderState.EndArray)
        {
            ulong key = reader.ReadUInt64();
            keys |= key < PubSubDraft.Keys ? 1u << (int)key : 0;
        }

        reader.ReadEndArray();
        return keys;
    }

    private static void WriteValue(CborWriter writer, ulong key, CoapTopicProperties properties)
    {
        switch (key)
        {
            case PubSubDraft.TopicName:
                writer.WriteTextString(properties.Name!);
                break;
            case PubSubDraft.TopicData:
                writer.WriteTextString(properties.DataUri!);
                break;
            case PubSubDraft.ResourceType:
                writer.WriteTextString(properties.ResourceType!);
                break;
            case PubSubDraft.TopicContentFormat:
                writer.WriteUInt64(properties.ContentFormat!.Value.Value);
                break;
            case PubSubDraft.TopicKind:
                writer.WriteTextString(properties.TopicType!);
                break;
            case PubSubDraft.ExpirationDate:
                writer.WriteUnixTimeSeconds(Math.Max(0, properties.Expiration!.Value.ToUnixTimeSeconds()));
                break;
            case PubSubDraft.MaxSubscribers:
                writer.WriteUInt64(properties.MaxSubscribers!.Value);
                break;
            case PubSubDraft.ObserverCheck:
                writer.WriteUInt64((ulong)properties.ObserverCheck!.Value.TotalSeconds);
                break;
            default:
                writer.WriteByteString(properties.Initial!.Value.Span);
                break;
        }
    }

    private static bool IsPlain(string text) =>
        Encoding.UTF8.GetByteCount(text) <= MaxTextLength && !text.Any(char.IsControl);

    private static uint Bit(bool isGiven, ulong key) => isGiven ? 1u << (int)key : 0;
}
