namespace CoAP.NET;

/// <summary>A human-readable text in <see cref="CoapProblem"/>. A string converts implicitly.</summary>
/// <param name="Text">The text.</param>
/// <param name="Language">
/// The language as a tag of RFC 5646, such as <c>de</c>; null for that of the whole document, <see cref="CoapProblem.BaseLanguage"/>.
/// </param>
/// <param name="IsRightToLeft">
/// Whether the text is written from right to left; null when the characters decide. Sent only with a language (RFC 9290 appendix A).
/// </param>
public sealed record CoapProblemText(string Text, string? Language = null, bool? IsRightToLeft = null)
{
    /// <summary>Creates a text without a language of its own.</summary>
    /// <param name="text">The text; null gives null.</param>
    public static implicit operator CoapProblemText?(string? text) => FromString(text);

    /// <summary>Creates a text without a language of its own.</summary>
    /// <param name="text">The text; null gives null.</param>
    /// <returns>The text.</returns>
    public static CoapProblemText? FromString(string? text) => text is null ? null : new CoapProblemText(text);

    /// <summary>Returns the text.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Text;
}
