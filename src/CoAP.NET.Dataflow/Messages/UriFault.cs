namespace CoAP.NET.Messages;

/// <summary>Why a text is no CoAP URI.</summary>
/// <param name="Position">The index of the first character that is wrong.</param>
/// <param name="Message">What is wrong and what to do; null for no fault.</param>
internal readonly record struct UriFault(int Position, string? Message)
{
    internal string Describe(string text) => $"'{text}' is no CoAP URI: position {Position}: {Message}";
}
