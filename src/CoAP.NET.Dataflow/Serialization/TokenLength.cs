namespace CoAP.NET.Serialization;

/// <summary>
/// The TKL field that both formats have: 0 to 8 (RFC 7252 section 3), and with extended tokens 0 to 65,804 by the coding of
/// <see cref="ExtendedField"/> (RFC 8974 section 2.1). Its extension stands right before the token.
/// </summary>
internal static class TokenLength
{
    /// <summary>
    /// Whether a field is a format error: 15 always, above 8 where extended tokens are switched off (RFC 7252 section 3).
    /// </summary>
    public static bool IsReserved(int field, int maxTokenLength) =>
        field == ExtendedField.Reserved || (field > CoapToken.MaxLength && maxTokenLength <= CoapToken.MaxLength);

    /// <summary>Finds the token that begins, with the extension of its length, at an offset.</summary>
    /// <param name="first">The beginning of the message, as far as it is there.</param>
    /// <param name="field">The TKL field, not reserved.</param>
    /// <param name="offset">Where the extension begins; then where the token begins.</param>
    /// <param name="length">The length of the token, in bytes.</param>
    /// <returns>Whether the extension is there.</returns>
    public static bool TryRead(ReadOnlySpan<byte> first, int field, ref int offset, out int length)
    {
        length = 0;
        int size = ExtendedField.SizeOfExtension(field);
        if (first.Length - offset < size)
        {
            return false;
        }

        length = (int)ExtendedField.Read(field, first[offset..]);
        offset += size;
        return true;
    }

    /// <summary>The bytes that a token takes with the extension of its length.</summary>
    public static int SizeOf(in CoapToken token) => ExtendedField.SizeOfExtensionFor(token.Length) + token.Length;

    /// <summary>Writes a token behind the extension of its length.</summary>
    /// <returns>The bytes written.</returns>
    public static int Write(Span<byte> destination, in CoapToken token)
    {
        int size = ExtendedField.WriteExtension(destination, token.Length);
        token.CopyTo(destination[size..]);
        return size + token.Length;
    }
}
