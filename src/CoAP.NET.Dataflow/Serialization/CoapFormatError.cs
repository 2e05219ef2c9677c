namespace CoAP.NET.Serialization;

/// <summary>Which rule of the message format some bytes broke, and where. The default value means none.</summary>
/// <param name="Rule">The rule.</param>
/// <param name="Offset">The offset of the first byte that broke it, from the beginning of the message: of the field that is wrong, or,
/// where bytes are missing, of the first missing one.</param>
public readonly record struct CoapFormatError(CoapFormatRule Rule, long Offset)
{
    /// <summary>Whether there is no error.</summary>
    public bool IsNone => Rule == CoapFormatRule.None;
}
