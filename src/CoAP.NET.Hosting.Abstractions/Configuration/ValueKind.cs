namespace CoAP.NET.Hosting;

/// <summary>The configuration syntax of one kind of values.</summary>
/// <typeparam name="T">Their type.</typeparam>
/// <param name="allowed">The allowed values, human-readable.</param>
internal abstract class ValueKind<T>(string allowed)
{
    public string Allowed { get; } = allowed;

    /// <summary>Reads a value.</summary>
    /// <param name="text">The text, trimmed and not empty.</param>
    /// <param name="value">The value.</param>
    /// <returns>Whether the text is valid.</returns>
    public abstract bool TryParse(string text, out T value);

    /// <summary>Formats a value such that it can be parsed again.</summary>
    public abstract string Format(T value);
}
