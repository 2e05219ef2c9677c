namespace CoAP.NET.Serialization;

/// <summary>Creates a message of a head that was read and the bytes behind it; the same in both formats.</summary>
internal static class MessageDeserializer
{
    /// <summary>Reads options and payload.</summary>
    /// <param name="head">The head, with the whole message there.</param>
    /// <param name="source">The whole message.</param>
    /// <param name="memory">The same bytes, where the message may keep them; not used when <paramref name="copy"/> is set.</param>
    /// <param name="copy">Whether the message gets bytes of its own: one array for options and payload, none when there are
    /// neither.</param>
    /// <param name="limits">Registry and limits.</param>
    /// <param name="message">The message.</param>
    /// <param name="error">The rule that broke. Nothing was allocated then.</param>
    /// <returns>Whether there is a message.</returns>
    public static bool TryRead(
        in MessageHead head,
        ReadOnlySpan<byte> source,
        ReadOnlyMemory<byte> memory,
        bool copy,
        CoapSerializerOptions limits,
        [System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out CoapMessage? message,
        out CoapFormatError error)
    {
        ReadOnlySpan<byte> body = source[head.BodyOffset..];
        if (!OptionSequenceReader.TryMeasure(
            body, limits.MaxOptions, out OptionSequenceLayout shape, out CoapMessageFormatViolation rule, out int offset))
        {
            message = null;
            error = new CoapFormatError(rule, head.BodyOffset + offset);
            return false;
        }

        error = default;
        message = MakeHead(in head, source, shape.Count > 0 ? limits.Registry : null);
        if (body.IsEmpty)
        {
            return true;
        }

        // Without options the payload is all that is kept; with them, one block from the first option to the end.
        int from = shape.Count > 0 ? 0 : shape.PayloadOffset;
        ReadOnlyMemory<byte> kept = copy ? Copy(body[from..]) : memory[(head.BodyOffset + from)..];
        message.Payload = kept[(shape.PayloadOffset - from)..];
        if (shape.Count > 0)
        {
            OptionSequenceReader.Fill(kept[..shape.OptionsLength], shape.Count, message.Options);
        }

        return true;
    }

    /// <summary>A message of header and token alone.</summary>
    public static CoapMessage MakeHead(in MessageHead head, ReadOnlySpan<byte> source, CoapOptionRegistry? registry = null) =>
        new(head.Code, registry)
        {
            Type = head.Type,
            MessageId = head.MessageId,
            Token = new CoapToken(source.Slice(head.TokenOffset, head.TokenLength)),
        };

    private static byte[] Copy(ReadOnlySpan<byte> bytes)
    {
        byte[] copy = GC.AllocateUninitializedArray<byte>(bytes.Length);
        bytes.CopyTo(copy);
        return copy;
    }
}
