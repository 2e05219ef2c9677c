namespace CoAP.NET.Uris;

/// <summary>The reason why a text is not a CoAP URI.</summary>
/// <param name="Position">The index of the first wrong character.</param>
/// <param name="Message">The error and what to do; null for none.</param>
internal readonly record struct UriFault(int Position, string? Message)
{
    internal string Describe(string text) => $"'{text}' is not a CoAP URI: position {Position}: {Message}";

    /// <summary>The same without the text, which may have a password.</summary>
    internal string Describe() => $"It is not a CoAP URI: position {Position}: {Message}";
}
