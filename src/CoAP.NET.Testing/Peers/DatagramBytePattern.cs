using System.Text;

namespace CoAP.NET.Testing.Peers;

/// <summary>A compact pattern for the bytes of a datagram.</summary>
/// <remarks><see cref="ScriptedPeer"/> describes the syntax.</remarks>
internal sealed class DatagramBytePattern
{
    private readonly string _text;
    private readonly IReadOnlyList<PatternPart> _parts;

    private DatagramBytePattern(string text, IReadOnlyList<PatternPart> parts)
    {
        _text = text;
        _parts = parts;
    }

    /// <summary>Parses a pattern.</summary>
    /// <exception cref="FormatException">The text is not a pattern; the message has the position of the error.</exception>
    public static DatagramBytePattern Parse(string pattern)
    {
        ArgumentNullException.ThrowIfNull(pattern);
        return new DatagramBytePattern(pattern, BytePatternParser.Parse(pattern));
    }

    /// <summary>Compares bytes with the pattern.</summary>
    /// <param name="data">The bytes.</param>
    /// <param name="remembered">The captures of earlier patterns; null for none.</param>
    /// <returns>The captures, or the position and reason of the difference.</returns>
    public BytePatternMatch Match(ReadOnlySpan<byte> data, IReadOnlyDictionary<string, byte[]>? remembered = null)
    {
        Dictionary<string, byte[]> captures = [];
        int at = 0;
        foreach (PatternPart part in _parts)
        {
            ReadOnlySpan<byte> left = data[at..];
            switch (part.Kind)
            {
                case PatternPartKind.Rest:
                    return new BytePatternMatch(captures);

                case PatternPartKind.Byte when left.IsEmpty:
                    return new BytePatternMatch(at, $"the datagram ends, {Describe(part)} expected");

                case PatternPartKind.Byte when (left[0] & part.Mask) != part.Value:
                    return new BytePatternMatch(at, $"{left[0]:x2}, {Describe(part)} expected");

                case PatternPartKind.Byte:
                    at++;
                    break;

                case PatternPartKind.Capture:
                    int length = part.Length switch
                    {
                        PatternPart.TokenLength => data.IsEmpty ? 0 : data[0] & 15,
                        PatternPart.Rest => left.Length,
                        _ => part.Length,
                    };
                    if (left.Length < length)
                    {
                        return new BytePatternMatch(at, $"{left.Length} bytes left, {length} for <{part.Name}> expected");
                    }

                    captures[part.Name] = left[..length].ToArray();
                    at += length;
                    break;

                default:
                    if (!captures.TryGetValue(part.Name, out byte[]? known) && remembered?.TryGetValue(part.Name, out known) != true)
                    {
                        return new BytePatternMatch(at, $"nothing is remembered by the name <{part.Name}>");
                    }

                    if (!left.StartsWith(known))
                    {
                        return new BytePatternMatch(at,
                            $"{Convert.ToHexStringLower(left[..Math.Min(left.Length, known!.Length)])}, <{part.Name}> "
                                + $"= {Convert.ToHexStringLower(known)} expected");
                    }

                    at += known!.Length;
                    break;
            }
        }

        return at == data.Length
            ? new BytePatternMatch(captures)
            : new BytePatternMatch(at, $"{data.Length - at} more bytes, the end expected");
    }

    /// <summary>Creates the bytes of a pattern without wildcards.</summary>
    /// <param name="remembered">The captures of earlier patterns; null for none.</param>
    /// <returns>The bytes.</returns>
    /// <exception cref="FormatException">The pattern has a wildcard, a capture or an unknown name.</exception>
    public byte[] ToBytes(IReadOnlyDictionary<string, byte[]>? remembered = null)
    {
        List<byte> bytes = [];
        foreach (PatternPart part in _parts)
        {
            if (part.Kind == PatternPartKind.Byte && part.Mask == 0xff)
            {
                bytes.Add(part.Value);
            }
            else if (part.Kind != PatternPartKind.Reference)
            {
                throw new FormatException($"'{_text}' does not define what to send: {Describe(part)}.");
            }
            else if (remembered?.TryGetValue(part.Name, out byte[]? known) == true)
            {
                bytes.AddRange(known);
            }
            else
            {
                throw new FormatException($"'{_text}' cannot be sent: nothing is remembered by the name <{part.Name}>.");
            }
        }

        return [.. bytes];
    }

    public override string ToString() => _text;

    private static string Describe(PatternPart part)
    {
        if (part.Kind != PatternPartKind.Byte)
        {
            return part.Kind == PatternPartKind.Rest ? ".." : $"<{part.Name}:...>";
        }

        StringBuilder text = new(2);
        text.Append((part.Mask & 0xf0) == 0 ? '?' : "0123456789abcdef"[part.Value >> 4]);
        text.Append((part.Mask & 0x0f) == 0 ? '?' : "0123456789abcdef"[part.Value & 15]);
        return text.ToString();
    }
}
