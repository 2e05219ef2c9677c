using System.Buffers;
using System.Globalization;
using System.Text;

namespace CoAP.NET.PubSub.Topics;

/// <summary>The properties of a topic as a CBOR map with integer keys (application/core-pubsub+cbor).</summary>
internal static class TopicMap
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
        ReadOnlySpan<byte> bytes, bool isStrict, out CoapTopicProperties properties, [NotNullWhen(false)] out string? error)
    {
        properties = new CoapTopicProperties();
        CborReader reader = new(bytes);
        uint seen = 0;
        error = null;
        if (!reader.TryReadMap(out int? count))
        {
            error = Say(reader.Fault);
            return false;
        }

        for (int i = 0; count is { } pairs ? i < pairs : !reader.TryTakeBreak(); i++)
        {
            if (!reader.TryReadKey(out long? number, out string? text))
            {
                error = Say(reader.Fault);
                return false;
            }

            if (number is not (>= 0 and < (long)PubSubDraft.Keys))
            {
                if (isStrict || !reader.TrySkip())
                {
                    string key = text ?? number?.ToString(CultureInfo.InvariantCulture) ?? "of that key";
                    error = isStrict ? $"There is no topic property {key}." : Say(reader.Fault);
                    return false;
                }

                continue;
            }

            if ((seen & (1u << (int)number)) != 0)
            {
                error = $"{PubSubDraft.Names[number.Value]} is given twice. Give it once.";
                return false;
            }

            seen |= 1u << (int)number;
            if (!TryReadValue(ref reader, (ulong)number, ref properties, out error))
            {
                error ??= $"{PubSubDraft.Names[number.Value]}: {Say(reader.Fault)}";
                return false;
            }
        }

        if (!reader.TryEnd())
        {
            error = Say(reader.Fault);
            return false;
        }

        error = isStrict ? FindFault(properties) : null;
        return error is null;
    }

    /// <summary>Reads an array of keys.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="keys">A bit for each of the keys that the draft knows.</param>
    /// <returns>Whether the bytes are such an array.</returns>
    public static bool TryReadKeys(ReadOnlySpan<byte> bytes, out uint keys)
    {
        keys = 0;
        CborReader reader = new(bytes);
        if (!reader.TryReadArray(out int? count))
        {
            return false;
        }

        for (int i = 0; count is { } items ? i < items : !reader.TryTakeBreak(); i++)
        {
            if (!reader.TryReadUInt(out ulong key))
            {
                return false;
            }

            keys |= key < PubSubDraft.Keys ? 1u << (int)key : 0;
        }

        return reader.TryEnd();
    }

    /// <summary>Writes an array of keys.</summary>
    /// <param name="keys">A bit for each.</param>
    public static byte[] WriteKeys(uint keys)
    {
        CborWriter writer = new();
        writer.WriteArray(System.Numerics.BitOperations.PopCount(keys));
        for (ulong key = 0; key < PubSubDraft.Keys; key++)
        {
            if ((keys & (1u << (int)key)) != 0)
            {
                writer.WriteUInt(key);
            }
        }

        return writer.ToArray();
    }

    /// <summary>Writes the properties that are given, in the order of their keys.</summary>
    /// <param name="properties">The properties.</param>
    /// <param name="keys">A bit for each property to write, if it is given.</param>
    public static byte[] Write(CoapTopicProperties properties, uint keys = uint.MaxValue)
    {
        uint given = KeysOf(properties) & keys;
        CborWriter writer = new();
        writer.WriteMap(System.Numerics.BitOperations.PopCount(given));
        for (ulong key = 0; key < PubSubDraft.Keys; key++)
        {
            if ((given & (1u << (int)key)) != 0)
            {
                WriteValue(writer.WriteUInt(key), key, properties);
            }
        }

        return writer.ToArray();
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

    private static bool TryReadValue(ref CborReader reader, ulong key, ref CoapTopicProperties properties, out string? error)
    {
        error = null;
        ulong value;
        switch (key)
        {
            case PubSubDraft.TopicName or PubSubDraft.TopicData or PubSubDraft.ResourceType or PubSubDraft.TopicKind:
                bool isText = reader.TryReadText(out string text);
                properties = key switch
                {
                    PubSubDraft.TopicName => properties with { Name = text },
                    PubSubDraft.TopicData => properties with { DataUri = text },
                    PubSubDraft.ResourceType => properties with { ResourceType = text },
                    _ => properties with { TopicType = text },
                };
                return isText;
            case PubSubDraft.Initialize:
                bool isBytes = reader.TryReadBytes(out byte[] bytes);
                properties = properties with { Initial = bytes };
                return isBytes;
            case PubSubDraft.ExpirationDate:
                // Some implementations leave out the tag.
                reader.TryTakeTag(PubSubDraft.EpochTag);
                if (!TryReadSeconds(ref reader, out value) || value > (ulong)DateTimeOffset.MaxValue.ToUnixTimeSeconds())
                {
                    error = "expiration-date is a number of seconds since 1970, with tag 1.";
                    return false;
                }

                properties = properties with { Expiration = DateTimeOffset.FromUnixTimeSeconds((long)value) };
                return true;
            case PubSubDraft.TopicContentFormat:
                if (!reader.TryReadUInt(out value) || value > ushort.MaxValue)
                {
                    error = "topic-content-format is the number of a Content-Format.";
                    return false;
                }

                properties = properties with { ContentFormat = (CoapContentFormat)(int)value };
                return true;
            default:
                if (!reader.TryReadUInt(out value) || value > uint.MaxValue || (key == PubSubDraft.ObserverCheck && value == 0))
                {
                    error = $"{PubSubDraft.Names[key]} is a number {(key == PubSubDraft.ObserverCheck ? "from 1" : "from 0")} to 2^32 - 1.";
                    return false;
                }

                properties = key == PubSubDraft.MaxSubscribers
                    ? properties with { MaxSubscribers = (uint)value }
                    : properties with { ObserverCheck = TimeSpan.FromSeconds((double)value) };
                return true;
        }
    }

    // A floating-point number is truncated to whole seconds.
    private static bool TryReadSeconds(ref CborReader reader, out ulong value)
    {
        value = 0;
        if (!reader.TryPeek(out CborMajor major) || major != CborMajor.Simple)
        {
            return reader.TryReadUInt(out value);
        }

        if (!reader.TryReadSimple(out _, out double? number) || number is not (>= 0 and < 1e12))
        {
            return false;
        }

        value = (ulong)number;
        return true;
    }

    private static void WriteValue(CborWriter writer, ulong key, CoapTopicProperties properties)
    {
        switch (key)
        {
            case PubSubDraft.TopicName:
                writer.WriteText(properties.Name!);
                break;
            case PubSubDraft.TopicData:
                writer.WriteText(properties.DataUri!);
                break;
            case PubSubDraft.ResourceType:
                writer.WriteText(properties.ResourceType!);
                break;
            case PubSubDraft.TopicContentFormat:
                writer.WriteUInt(properties.ContentFormat!.Value.Value);
                break;
            case PubSubDraft.TopicKind:
                writer.WriteText(properties.TopicType!);
                break;
            case PubSubDraft.ExpirationDate:
                writer.WriteTag(PubSubDraft.EpochTag).WriteUInt((ulong)Math.Max(0, properties.Expiration!.Value.ToUnixTimeSeconds()));
                break;
            case PubSubDraft.MaxSubscribers:
                writer.WriteUInt(properties.MaxSubscribers!.Value);
                break;
            case PubSubDraft.ObserverCheck:
                writer.WriteUInt((ulong)properties.ObserverCheck!.Value.TotalSeconds);
                break;
            default:
                writer.WriteBytes(properties.Initial!.Value.Span);
                break;
        }
    }

    private static bool IsPlain(string text) =>
        Encoding.UTF8.GetByteCount(text) <= MaxTextLength && !text.Any(char.IsControl);

    private static string Say(ContentFault fault) => $"{fault.Message} (byte {fault.Offset})";

    private static uint Bit(bool isGiven, ulong key) => isGiven ? 1u << (int)key : 0;
}
