namespace CoAP.NET.Edhoc.Tests;

/// <summary>Traces and invalid messages of RFC 9529, which lie beside the tests as texts.</summary>
internal sealed class Vectors
{
    private readonly Dictionary<(string Part, string Name), byte[]> _values = [];

    public Vectors(string name)
    {
        foreach (string[] line in Lines(name))
        {
            _values[(line[0], line[1])] = Convert.FromHexString(line[2]);
        }
    }

    /// <summary>The bytes of a value.</summary>
    /// <param name="part">The part of the trace.</param>
    /// <param name="name">How its name begins.</param>
    public byte[] this[string part, string name] =>
        _values.First(pair => pair.Key.Part == part && pair.Key.Name.StartsWith(name, Ordinal)).Value;

    public static IEnumerable<string[]> Lines(string name)
    {
        using StreamReader reader = new(typeof(Vectors).Assembly.GetManifestResourceStream(name)!);
        while (reader.ReadLine() is { } line)
        {
            if (!line.StartsWith('#'))
            {
                yield return [.. line.Split('|').Select(part => part.Trim())];
            }
        }
    }
}
