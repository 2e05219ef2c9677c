namespace CoAP.NET.Serialization;

/// <summary>The violated rule of the message format, and its position.</summary>
/// <remarks>The default value means none.</remarks>
/// <param name="Rule">The rule.</param>
/// <param name="Offset">The offset of the first byte that violates it, from the beginning of the message: of the wrong field, or, if bytes
/// are missing, of the first missing one.</param>
public readonly record struct CoapFormatError(CoapFormatRule Rule, long Offset)
{
    /// <summary>Whether there is no error.</summary>
    public bool IsNone => Rule == CoapFormatRule.None;
}
