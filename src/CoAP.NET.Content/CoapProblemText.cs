namespace CoAP.NET;

/// <summary>A text for people in <see cref="CoapProblem"/>; a string becomes one by itself.</summary>
/// <param name="Text">The text.</param>
/// <param name="Language">Its language as a tag of RFC 5646, such as <c>de</c>; null for that of the whole document,
/// <see cref="CoapProblem.BaseLanguage"/>.</param>
/// <param name="IsRightToLeft">Whether it is written from right to left; null for what its characters say. Sent only with a language (RFC
/// 9290 appendix A).</param>
public sealed record CoapProblemText(string Text, string? Language = null, bool? IsRightToLeft = null)
{
    /// <summary>A text without a language of its own.</summary>
    /// <param name="text">The text; null gives null.</param>
    public static implicit operator CoapProblemText?(string? text) => FromString(text);

    /// <summary>A text without a language of its own.</summary>
    /// <param name="text">The text; null gives null.</param>
    /// <returns>The text.</returns>
    public static CoapProblemText? FromString(string? text) => text is null ? null : new CoapProblemText(text);

    /// <summary>The text alone.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Text;
}
