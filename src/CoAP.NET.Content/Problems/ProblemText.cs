namespace CoAP.NET.Content.Problems;

/// <summary>A human-readable text of a <see cref="CoapProblem"/>, with the language and direction that it came with.</summary>
/// <param name="Text">The text.</param>
/// <param name="Language">
/// The language as a tag of RFC 5646, such as <c>de</c>; null for that of the whole document, <see cref="CoapProblem.BaseLanguage"/>.
/// </param>
/// <param name="IsRightToLeft">
/// Whether the text is written from right to left; null when the characters decide. Sent only with a language (RFC 9290 appendix A).
/// </param>
internal sealed record ProblemText(string Text, string? Language = null, bool? IsRightToLeft = null)
{
    public static ProblemText? FromString(string? text) => text is null ? null : new ProblemText(text);
}
