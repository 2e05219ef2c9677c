namespace CoAP.NET.Hosting;

/// <summary>A text that is looked at by what takes it.</summary>
/// <typeparam name="T">What becomes of it.</typeparam>
/// <param name="allowed">What is allowed, for people.</param>
/// <param name="parse">Gives null for what is not allowed.</param>
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
