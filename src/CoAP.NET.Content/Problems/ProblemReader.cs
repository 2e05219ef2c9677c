using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Content.Problems;

/// <summary>Reads concise problem details (RFC 9290 section 2): known entries must have their type, others are kept unchanged.</summary>
internal static class ProblemReader
{
    public static bool TryRead(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out CoapProblem? problem,
        [NotNullWhen(false)] out string? error)
    {
        CborReader reader = new(bytes);
        CoapProblem read = new();
        if (TryReadMap(ref reader, read) && reader.TryEnd())
        {
            (problem, error) = (read, null);
            return true;
        }

        problem = null;
        error = $"{reader.Fault.Message} (offset {reader.Fault.Offset})";
        return false;
    }

    private static bool TryReadMap(ref CborReader reader, CoapProblem problem)
    {
        if (!reader.TryReadMap(out int? count))
        {
            return false;
        }

        HashSet<long> seen = [];
        for (int i = 0; count is { } pairs ? i < pairs : !reader.TryTakeBreak(); i++)
        {
            int start = reader.Position;
            if (!reader.TryReadKey(out long? number, out string? text))
            {
                return false;
            }

            // Different readers could interpret a duplicate key differently (RFC 8949 section 5.6).
            if ((number is { } key && !seen.Add(key)) || (text is not null && problem.NamedEntries.ContainsKey(text)))
            {
                return reader.Fail(start, "a key is a duplicate");
            }

            if (!TryReadValue(ref reader, problem, number, text))
            {
                return false;
            }
        }

        return true;
    }

    private static bool TryReadValue(ref CborReader reader, CoapProblem problem, long? number, string? name)
    {
        switch (number)
        {
            case ProblemKey.Title:
                return TryReadText(ref reader, text => problem.Title = text);
            case ProblemKey.Detail:
                return TryReadText(ref reader, text => problem.Detail = text);
            case ProblemKey.Instance:
                return TryReadString(ref reader, text => problem.Instance = text);
            case ProblemKey.ResponseCode:
                return TryReadCode(ref reader, problem);
            case ProblemKey.BaseUri:
                return TryReadString(ref reader, text => problem.BaseUri = text);
            case ProblemKey.BaseLanguage:
                return TryReadString(ref reader, text => problem.BaseLanguage = text);
            case ProblemKey.BaseIsRightToLeft:
                return TryReadDirection(ref reader, value => problem.BaseIsRightToLeft = value);
            case ProblemKey.UnprocessedOption:
                return TryReadOptionNumbers(ref reader, problem.UnprocessedOptions);
        }

        if (!reader.TryReadItem(out byte[] item))
        {
            return false;
        }

        if (name is not null)
        {
            problem.NamedEntries.Add(name, item);
        }
        else if (number is { } key)
        {
            problem.Entries.Add(key, item);
        }

        return true;
    }

    private static bool TryReadString(ref CborReader reader, Action<string> set)
    {
        bool isRead = reader.TryReadText(out string text);
        set(text);
        return isRead;
    }

    private static bool TryReadText(ref CborReader reader, Action<CoapProblemText?> set)
    {
        int start = reader.Position;
        if (!reader.TryTakeTag(ProblemKey.LanguageTag))
        {
            return TryReadString(ref reader, text => set(text));
        }

        if (!reader.TryReadArray(out int? count))
        {
            return false;
        }

        if (count is not (null or 2 or 3))
        {
            return reader.Fail(start, "a text with a language has two or three parts");
        }

        if (!reader.TryReadText(out string language) || !reader.TryReadText(out string words))
        {
            return false;
        }

        bool? isRightToLeft = null;
        bool hasDirection = count == 3 || (count is null && !reader.TryTakeBreak());
        if (hasDirection && (!TryReadDirection(ref reader, value => isRightToLeft = value) || (count is null && !reader.TryTakeBreak())))
        {
            return reader.Fail(start, "a text with a language has two or three parts, of which the last is a direction");
        }

        set(new CoapProblemText(words, language, isRightToLeft));
        return true;
    }

    private static bool TryReadDirection(ref CborReader reader, Action<bool?> set)
    {
        if (reader.TryTakeNull())
        {
            set(null);
            return true;
        }

        bool isRead = reader.TryReadBoolean(out bool value);
        set(value);
        return isRead;
    }

    private static bool TryReadCode(ref CborReader reader, CoapProblem problem)
    {
        int start = reader.Position;
        if (!reader.TryReadUInt(out ulong value))
        {
            return false;
        }

        if (value > byte.MaxValue)
        {
            return reader.Fail(start, "a response code is at most 255");
        }

        problem.ResponseCode = new CoapCode((byte)value);
        return true;
    }

    private static bool TryReadOptionNumbers(ref CborReader reader, IList<int> numbers)
    {
        int start = reader.Position;
        if (!reader.TryPeek(out CborMajor major))
        {
            return false;
        }

        int? count = 1;
        if (major == CborMajor.Array && !reader.TryReadArray(out count))
        {
            return false;
        }

        for (int i = 0; count is { } all ? i < all : !reader.TryTakeBreak(); i++)
        {
            if (!reader.TryReadUInt(out ulong number))
            {
                return false;
            }

            if (number > ushort.MaxValue)
            {
                return reader.Fail(start, "an option number is at most 65535");
            }

            numbers.Add((int)number);
        }

        return true;
    }
}
