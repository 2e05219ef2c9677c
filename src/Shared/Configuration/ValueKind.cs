namespace CoAP.NET.Hosting;

/// <summary>How values of one kind are written in configuration.</summary>
/// <typeparam name="T">Their type.</typeparam>
/// <param name="allowed">What is allowed, for people.</param>
internal abstract class ValueKind<T>(string allowed)
{
    public string Allowed { get; } = allowed;

    /// <summary>Reads a value.</summary>
    /// <param name="text">The text, trimmed and not empty.</param>
    /// <param name="value">The value.</param>
    /// <returns>Whether it is one that is allowed.</returns>
    public abstract bool TryParse(string text, out T value);

    /// <summary>Writes a value such that it can be read again.</summary>
    public abstract string Format(T value);
}
