namespace CoAP.NET;

/// <summary>The violated rule of the message format, and its position.</summary>
/// <remarks>The default value means none.</remarks>
public readonly struct CoapFormatError
{
    /// <summary>Creates it.</summary>
    /// <param name="rule">The rule.</param>
    /// <param name="offset">The offset of the first byte that violates it, from the beginning of the message: of the wrong field, or, if
    /// bytes are missing, of the first missing one.</param>
    public CoapFormatError(CoapMessageFormatViolation rule, long offset)
    {
        Rule = rule;
        Offset = offset;
    }

    /// <summary>The rule.</summary>
    public CoapMessageFormatViolation Rule { get; }

    /// <summary>The offset of the first byte that violates it, from the beginning of the message: of the wrong field, or, if bytes are
    /// missing, of the first missing one.</summary>
    public long Offset { get; }

    /// <summary>Whether there is no error.</summary>
    public bool IsNone => Rule == CoapMessageFormatViolation.None;

    /// <summary>Returns the rule and the position.</summary>
    public override string ToString() => IsNone ? "none" : FormattableString.Invariant($"{Rule} at byte {Offset}");
}
