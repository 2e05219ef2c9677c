namespace CoAP.NET.Serialization;

/// <summary>
/// Writes the options of a message (RFC 7252 section 3.1), as many whole ones at a time as fit, so that a message of any size
/// leaves through one buffer of fixed size. The figure stands at <see cref="OptionBlockReader"/>.
/// </summary>
internal struct OptionBlockWriter
{
    /// <summary>The most bytes that one option takes.</summary>
    public const int MaxOptionSize = 5 + ExtendedField.MaxTwoBytes;

    private readonly CoapOptionCollection? _options;
    private int _next;
    private int _number;

    /// <summary>Begins before the first option of a message.</summary>
    public OptionBlockWriter(CoapMessage message) => _options = message.HasOptions ? message.OptionsToRead : null;

    /// <summary>Whether all options were written.</summary>
    public readonly bool IsDone => _options is null || _next == _options.Count;

    /// <summary>The bytes that all options of a message take.</summary>
    /// <param name="message">The message.</param>
    /// <param name="tooLong">The place of the first option whose value is too long to be written; otherwise -1.</param>
    public static long Measure(CoapMessage message, out int tooLong)
    {
        tooLong = -1;
        if (!message.HasOptions)
        {
            return 0;
        }

        CoapOptionCollection options = message.OptionsToRead!;
        long size = 0;
        int number = 0;
        for (int i = 0; i < options.Count; i++)
        {
            int next = options.NumberAt(i);
            int length = options.LengthAt(i);
            if (length > ExtendedField.MaxTwoBytes && tooLong < 0)
            {
                tooLong = i;
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
