using System.Diagnostics.CodeAnalysis;
using System.Formats.Cbor;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Content.Problems;

/// <summary>Reads concise problem details (RFC 9290 section 2): known entries must have their type, others are kept unchanged.</summary>
internal static class ProblemReader
{
    public static bool TryRead(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out CoapProblem? problem,
        [NotNullWhen(false)] out string? error)
    {
        ReadOnlyMemory<byte> data = bytes.ToArray();
        bool isRead = UntrustedCborReader.TryRead(data, reader => ReadMap(reader, data), out problem, out ContentFault fault);
        error = isRead ? null : $"{fault.Message} (offset {fault.Offset})";
        return isRead;
    }

    private static CoapProblem ReadMap(CborReader reader, ReadOnlyMemory<byte> data)
    {
        CoapProblem problem = new();
        HashSet<long> seen = [];
        reader.ReadStartMap();
        while (reader.PeekState() != CborReaderState.EndMap)
        {
            int start = reader.BytesRemaining;
            (long? number, string? text) = reader.ReadKey();

            // Different readers could interpret a duplicate key differently (RFC 8949 section 5.6).
            if ((number is { } key && !seen.Add(key)) || (text is not null && problem.NamedEntries.ContainsKey(text)))
            {
                throw new CborFaultException(start, "a key is a duplicate");
            }

            ReadValue(reader, data, problem, number, text);
        }

        reader.ReadEndMap();
        return problem;
    }

    private static void ReadValue(CborReader reader, ReadOnlyMemory<byte> data, CoapProblem problem, long? number, string? name)
    {
        switch (number)
        {
            case ProblemKey.Title:
                problem.TitleText = ReadText(reader);
                break;
            case ProblemKey.Detail:
                problem.DetailText = ReadText(reader);
                break;
            case ProblemKey.Instance:
                problem.Instance = reader.ReadText();
                break;
            case ProblemKey.ResponseCode:
                problem.ResponseCode = new CoapCode((byte)ReadUInt(reader, byte.MaxValue, "a response code"));
                break;
            case ProblemKey.BaseUri:
                problem.BaseUri = reader.ReadText();
                break;
            case ProblemKey.BaseLanguage:
                problem.BaseLanguage = reader.ReadText();
                break;
            case ProblemKey.BaseIsRightToLeft:
                problem.BaseIsRightToLeft = ReadDirection(reader);
                break;
            case ProblemKey.UnprocessedOption:
                ReadOptionNumbers(reader, problem.UnprocessedOptions);
                break;
            case { } key:
                problem.Entries.Add(key, reader.ReadItem(data));
                break;
            case null when name is not null:
                problem.NamedEntries.Add(name, reader.ReadItem(data));
                break;
            default:
                reader.Skip();
                break;
        }
    }

    private static ProblemText? ReadText(CborReader reader)
    {
        if (!reader.IsAtTag(ProblemKey.LanguageTag))
        {
            return new ProblemText(reader.ReadText());
        }

        int start = reader.BytesRemaining;
        reader.ReadTag();
        if (reader.ReadStartArray() is not (null or 2 or 3))
        {
            throw new CborFaultException(start, "a text with a language has two or three parts");
        }

        string language = reader.ReadText();
        string words = reader.ReadText();
        bool? isRightToLeft = reader.PeekState() == CborReaderState.EndArray ? null : ReadDirection(reader);
        if (reader.PeekState() != CborReaderState.EndArray)
        {
            throw new CborFaultException(start, "a text with a language has two or three parts, of which the last is a direction");
        }

        reader.ReadEndArray();
        return new ProblemText(words, language, isRightToLeft);
    }

    private static bool? ReadDirection(CborReader reader)
    {
        if (reader.PeekState() != CborReaderState.Null)
        {
            return reader.ReadBoolean();
        }

        reader.ReadNull();
        return null;
    }

    private static ulong ReadUInt(CborReader reader, ulong max, string what)
    {
        int start = reader.BytesRemaining;
        ulong value = reader.ReadUInt64();
        return value <= max ? value : throw new CborFaultException(start, $"{what} is at most {max}");
    }

    private static void ReadOptionNumbers(CborReader reader, IList<int> numbers)
    {
        if (reader.PeekState() != CborReaderState.StartArray)
        {
            numbers.Add(ReadOptionNumber(reader));
            return;
        }

        reader.ReadStartArray();
        while (reader.PeekState() != CborReaderState.EndArray)
        {
            numbers.Add(ReadOptionNumber(reader));
        }

        reader.ReadEndArray();
    }

    private static int ReadOptionNumber(CborReader reader) => (int)ReadUInt(reader, ushort.MaxValue, "an option number");
}
