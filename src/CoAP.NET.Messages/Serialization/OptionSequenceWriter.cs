namespace CoAP.NET.Serialization;

/// <summary>
/// Writes the options of a message (RFC 7252 section 3.1), as many whole ones at a time as fit, so that a message of any size
/// leaves through one buffer of fixed size. The figure is in <see cref="OptionSequenceReader"/>.
/// </summary>
internal struct OptionSequenceWriter
{
    /// <summary>The most bytes that one option takes.</summary>
    public const int MaxOptionSize = 5 + ExtendedField.MaxTwoBytes;

    private readonly CoapOptionCollection? _options;
    private int _next;
    private int _number;

    /// <summary>Begins before the first option.</summary>
    /// <param name="options">The options; null for none.</param>
    public OptionSequenceWriter(CoapOptionCollection? options) => _options = options;

    public readonly bool IsDone => _options is null || _next == _options.Count;

    /// <summary>The bytes that options take.</summary>
    /// <param name="options">The options; null for none.</param>
    /// <exception cref="ArgumentException">An option value is too long.</exception>
    public static long Measure(CoapOptionCollection? options)
    {
        long size = 0;
        int number = 0;
        for (int i = 0; i < (options?.Count ?? 0); i++)
        {
            int next = options!.NumberAt(i);
            int length = options.LengthAt(i);
            if (length > ExtendedField.MaxTwoBytes)
            {
                throw new ArgumentException(
                    $"The value of option {next} has {length} bytes; {ExtendedField.MaxTwoBytes} is the most that an option can have (RFC "
                        + "7252 section 3.1).",
                    nameof(options));
            }

            size += SizeOf(next - number, length);
            number = next;
        }

        return size;
    }

    /// <summary>Writes the next options, as many as fit.</summary>
    /// <returns>The bytes written.</returns>
    public int Write(Span<byte> destination)
    {
        int written = 0;
        if (_options is not { } options)
        {
            return 0;
        }

        for (; _next < options.Count; _next++)
        {
            int number = options.NumberAt(_next);
            int delta = number - _number;
            ReadOnlySpan<byte> value = options.ValueAt(_next);
            if (SizeOf(delta, value.Length) > destination.Length - written)
            {
                break;
            }

            destination[written++] = (byte)((ExtendedField.FieldFor(delta) << 4) | ExtendedField.FieldFor(value.Length));
            written += ExtendedField.WriteExtension(destination[written..], delta);
            written += ExtendedField.WriteExtension(destination[written..], value.Length);
            value.CopyTo(destination[written..]);
            written += value.Length;
            _number = number;
        }

        return written;
    }

    private static long SizeOf(int delta, int length) =>
        1L + ExtendedField.SizeOfExtensionFor(delta) + ExtendedField.SizeOfExtensionFor(length) + length;
}
