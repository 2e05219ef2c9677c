namespace CoAP.NET.Hosting;

/// <summary>A text that its consumer validates.</summary>
/// <typeparam name="T">The type of the parsed value.</typeparam>
/// <param name="allowed">The allowed values, human-readable.</param>
/// <param name="parse">Returns null for invalid text.</param>
internal sealed class TextKind<T>(string allowed, Func<string, T?> parse) : ValueKind<T>(allowed)
    where T : class
{
    public override bool TryParse(string text, out T value)
    {
        value = parse(text)!;
        return value is not null;
    }

    public override string Format(T value) => value.ToString() ?? "";
}
