namespace CoAP.NET.Hosting;

/// <summary>One of the names of an enumeration, case-insensitive.</summary>
/// <param name="leftOut">A name that is not allowed; null to allow all.</param>
internal sealed class ChoiceKind<T>(string? leftOut = null) : ValueKind<T>($"one of {string.Join(", ", Names(leftOut))}")
    where T : struct, Enum
{
    // By name only: a number means nothing to a reader of the file.
    public override bool TryParse(string text, out T value) =>
        Enum.TryParse(text, ignoreCase: true, out value) && Names(leftOut).Contains(text, StringComparer.OrdinalIgnoreCase);

    public override string Format(T value) => value.ToString();

    private static IEnumerable<string> Names(string? leftOut) => Enum.GetNames<T>().Where(name => name != leftOut);
}
