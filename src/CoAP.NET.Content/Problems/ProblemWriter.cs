using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Content.Problems;

/// <summary>Writes concise problem details (RFC 9290 section 2), with keys in the order of their bytes (RFC 8949 section 4.2.1).</summary>
internal static class ProblemWriter
{
    public static byte[] Write(CoapProblem problem)
    {
        List<(byte[] Key, byte[] Value)> pairs = [];
        AddText(pairs, ProblemKey.Title, problem.Title);
        AddText(pairs, ProblemKey.Detail, problem.Detail);
        AddString(pairs, ProblemKey.Instance, problem.Instance);
        if (problem.ResponseCode is { } code)
        {
            pairs.Add((Key(ProblemKey.ResponseCode), new CborWriter().WriteUInt(code.Value).ToArray()));
        }

        AddString(pairs, ProblemKey.BaseUri, problem.BaseUri);
        AddString(pairs, ProblemKey.BaseLanguage, problem.BaseLanguage);
        if (problem.BaseIsRightToLeft is { } isRightToLeft)
        {
            pairs.Add((Key(ProblemKey.BaseIsRightToLeft), new CborWriter().WriteBoolean(isRightToLeft).ToArray()));
        }

        if (problem.UnprocessedOptions.Count != 0)
        {
            pairs.Add((Key(ProblemKey.UnprocessedOption), OptionNumbers(problem.UnprocessedOptions)));
        }

        foreach ((long key, ReadOnlyMemory<byte> value) in problem.Entries)
        {
            if (key is <= ProblemKey.Title and >= ProblemKey.UnprocessedOption)
            {
                throw new InvalidOperationException($"The entry {key} of a problem has a property of its own. Set that property instead.");
            }

            pairs.Add((Key(key), Check(key.ToString(System.Globalization.CultureInfo.InvariantCulture), value.Span, mustBeMap: key >= 0)));
        }

        foreach ((string key, ReadOnlyMemory<byte> value) in problem.NamedEntries)
        {
            pairs.Add((new CborWriter().WriteText(key).ToArray(), Check(key, value.Span, mustBeMap: true)));
        }

        if (pairs.Count == 0)
        {
            throw new InvalidOperationException("The problem details are empty (RFC 9290 section 2). Set at least the title.");
        }

        pairs.Sort(static (left, right) => left.Key.AsSpan().SequenceCompareTo(right.Key));
        CborWriter writer = new();
        writer.WriteMap(pairs.Count);
        foreach ((byte[] key, byte[] value) in pairs)
        {
            writer.WriteEncoded(key).WriteEncoded(value);
        }

        return writer.ToArray();
    }

    private static byte[] Key(long key) => new CborWriter().WriteInt(key).ToArray();

    private static void AddString(List<(byte[] Key, byte[] Value)> pairs, long key, string? text)
    {
        if (text is not null)
        {
            pairs.Add((Key(key), new CborWriter().WriteText(text).ToArray()));
        }
    }

    private static void AddText(List<(byte[] Key, byte[] Value)> pairs, long key, CoapProblemText? text)
    {
        if (text is not { Language: { } language })
        {
            AddString(pairs, key, text?.Text);
            return;
        }

        CborWriter value = new CborWriter().WriteTag(ProblemKey.LanguageTag).WriteArray(text.IsRightToLeft is null ? 2 : 3)
            .WriteText(language).WriteText(text.Text);
        if (text.IsRightToLeft is { } isRightToLeft)
        {
            value.WriteBoolean(isRightToLeft);
        }

        pairs.Add((Key(key), value.ToArray()));
    }

    // A single number stands alone, several are in an array.
    private static byte[] OptionNumbers(IList<int> numbers)
    {
        CborWriter value = new();
        if (numbers.Count > 1)
        {
            value.WriteArray(numbers.Count);
        }

        foreach (int number in numbers)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(number);
            value.WriteUInt((ulong)number);
        }

        return value.ToArray();
    }

    private static byte[] Check(string key, ReadOnlySpan<byte> value, bool mustBeMap)
    {
        CborReader reader = new(value);
        if (!reader.TrySkip() || !reader.TryEnd())
        {
            throw new InvalidOperationException(
                $"The entry {key} of a problem is not a single item of CBOR: {reader.Fault.Message} (offset {reader.Fault.Offset}).");
        }

        CborReader head = new(value);
        return !mustBeMap || (head.TryReadMap(out int? count) && count != 0 && !head.TryTakeBreak())
            ? value.ToArray()
            : throw new InvalidOperationException(
                $"The entry {key} of a problem must be a map with at least one pair (RFC 9290 section 2).");
    }
}
