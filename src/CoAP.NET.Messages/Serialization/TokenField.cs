namespace CoAP.NET.Serialization;

/// <summary>
/// The TKL field and the token of a message: a length from 0 to 8 (RFC 7252 section 3), with extended tokens from 0 to 65,804 (RFC 8974
/// section 2.1). The extension of the length is directly before the token; <see cref="ExtendedField"/> is its coding.
/// </summary>
internal static class TokenField
{
    /// <summary>Whether a TKL field is a format error: 15 always, above 8 if extended tokens are switched off.</summary>
    public static bool IsReserved(int field, int maxTokenLength) =>
        field == ExtendedField.Reserved || (field > CoapToken.MaxLength && maxTokenLength <= CoapToken.MaxLength);

    /// <summary>Reads the extension of a TKL field, which is before the token.</summary>
    /// <param name="first">The first bytes of the message.</param>
    /// <param name="field">The TKL field, not reserved.</param>
    /// <param name="offset">The offset of the extension; after the call, that of the token.</param>
    /// <param name="length">The length of the token, in bytes.</param>
    /// <returns>Whether the bytes contain the whole extension.</returns>
    public static bool TryReadLength(ReadOnlySpan<byte> first, int field, ref int offset, out int length)
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

    /// <summary>Returns the size of a token with the extension of its length, in bytes.</summary>
    public static int SizeOf(in CoapToken token) => ExtendedField.SizeOfExtensionFor(token.Length) + token.Length;

    /// <summary>Writes the extension of the length of a token, and then the token.</summary>
    /// <returns>The number of bytes.</returns>
    public static int Write(Span<byte> destination, in CoapToken token)
    {
        int size = ExtendedField.WriteExtension(destination, token.Length);
        token.CopyTo(destination[size..]);
        return size + token.Length;
    }
}
