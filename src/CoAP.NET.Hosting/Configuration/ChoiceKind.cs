namespace CoAP.NET.Hosting;

/// <summary>One of the names of an enumeration; case does not count.</summary>
internal sealed class ChoiceKind<T>() : ValueKind<T>($"one of {string.Join(", ", Enum.GetNames<T>())}")
    where T : struct, Enum
{
    // By name only: a number says nothing to who reads the file.
    public override bool TryParse(string text, out T value) =>
        Enum.TryParse(text, ignoreCase: true, out value) && Enum.GetNames<T>().Contains(text, StringComparer.OrdinalIgnoreCase);

    public override string Format(T value) => value.ToString();
}
