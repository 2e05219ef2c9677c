using System.Formats.Cbor;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Content.Problems;

/// <summary>Writes concise problem details (RFC 9290 section 2), with keys in the order of their bytes (RFC 8949 section 4.2.1).</summary>
internal static class ProblemWriter
{
    public static byte[] Write(CoapProblem problem)
    {
        List<(byte[] Key, byte[] Value)> pairs = [];
        AddText(pairs, ProblemKey.Title, problem.TitleText);
        AddText(pairs, ProblemKey.Detail, problem.DetailText);
        AddString(pairs, ProblemKey.Instance, problem.Instance);
        if (problem.ResponseCode is { } code)
        {
            pairs.Add((Key(ProblemKey.ResponseCode), Item(writer => writer.WriteUInt32(code.Value))));
        }

        AddString(pairs, ProblemKey.BaseUri, problem.BaseUri);
        AddString(pairs, ProblemKey.BaseLanguage, problem.BaseLanguage);
        if (problem.BaseIsRightToLeft is { } isRightToLeft)
        {
            pairs.Add((Key(ProblemKey.BaseIsRightToLeft), Item(writer => writer.WriteBoolean(isRightToLeft))));
        }

        if (problem.UnprocessedOptions.Count != 0)
        {
            pairs.Add((Key(ProblemKey.UnprocessedOption), Item(writer => WriteOptionNumbers(writer, problem.UnprocessedOptions))));
        }

        foreach ((long key, ReadOnlyMemory<byte> value) in problem.Entries)
        {
            if (key is <= ProblemKey.Title and >= ProblemKey.UnprocessedOption)
            {
                throw new InvalidOperationException($"The entry {key} of a problem has a property of its own. Set that property instead.");
            }

            pairs.Add((Key(key), Check(key.ToString(System.Globalization.CultureInfo.InvariantCulture), value, mustBeMap: key >= 0)));
        }

        foreach ((string key, ReadOnlyMemory<byte> value) in problem.NamedEntries)
        {
            pairs.Add((Text(key), Check(key, value, mustBeMap: true)));
        }

        if (pairs.Count == 0)
        {
            throw new InvalidOperationException("The problem details are empty (RFC 9290 section 2). Set at least the title.");
        }

        pairs.Sort(static (left, right) => left.Key.AsSpan().SequenceCompareTo(right.Key));
        CborWriter writer = CborNumberWriter.Create();
        writer.WriteStartMap(pairs.Count);
        foreach ((byte[] key, byte[] value) in pairs)
        {
            writer.WriteEncodedValue(key);
            writer.WriteEncodedValue(value);
        }

        writer.WriteEndMap();
        return writer.Encode();
    }

    private static byte[] Item(Action<CborWriter> write)
    {
        // Most items are short; the default of the writer is 1 KiB.
        CborWriter writer = CborNumberWriter.Create(64);
        write(writer);
        return writer.Encode();
    }

    private static byte[] Key(long key) => Item(writer => writer.WriteInt64(key));

    private static byte[] Text(string text) => Item(writer => writer.WriteTextString(text));

    private static void AddString(List<(byte[] Key, byte[] Value)> pairs, long key, string? text)
    {
        if (text is not null)
        {
            pairs.Add((Key(key), Text(text)));
        }
    }

    private static void AddText(List<(byte[] Key, byte[] Value)> pairs, long key, ProblemText? text)
    {
        if (text is not { Language: { } language })
        {
            AddString(pairs, key, text?.Text);
            return;
        }

        pairs.Add((Key(key), Item(writer =>
        {
            writer.WriteTag(ProblemKey.LanguageTag);
            writer.WriteStartArray(text.IsRightToLeft is null ? 2 : 3);
            writer.WriteTextString(language);
            writer.WriteTextString(text.Text);
            if (text.IsRightToLeft is { } isRightToLeft)
            {
                writer.WriteBoolean(isRightToLeft);
            }

            writer.WriteEndArray();
        })));
    }

    // A single number is written as such, several as an array.
    private static void WriteOptionNumbers(CborWriter writer, IList<int> numbers)
    {
        if (numbers.Count > 1)
        {
            writer.WriteStartArray(numbers.Count);
        }

        foreach (int number in numbers)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(number);
            writer.WriteInt32(number);
        }

        if (numbers.Count > 1)
        {
            writer.WriteEndArray();
        }
    }

    private static byte[] Check(string key, ReadOnlyMemory<byte> value, bool mustBeMap)
    {
        if (!UntrustedCborReader.TryRead(value, IsMapWithPairs, out bool isMap, out ContentFault fault))
        {
            throw new InvalidOperationException(
                $"The entry {key} of a problem is not a single item of CBOR: {fault.Message} (offset {fault.Offset}).");
        }

        return isMap || !mustBeMap
            ? value.ToArray()
            : throw new InvalidOperationException(
                $"The entry {key} of a problem must be a map with at least one pair (RFC 9290 section 2).");
    }

    private static bool IsMapWithPairs(CborReader reader)
    {
        if (reader.PeekState() != CborReaderState.StartMap)
        {
            reader.Skip();
            return false;
        }

        reader.ReadStartMap();
        bool hasPairs = reader.PeekState() != CborReaderState.EndMap;
        while (reader.PeekState() != CborReaderState.EndMap)
        {
            reader.Skip(UntrustedCborReader.MaxDepth - 1);
        }

        reader.ReadEndMap();
        return hasPairs;
    }
}
