using System.Globalization;

namespace CoAP.NET.Bench;

/// <summary>What a command line says: words, options with a value (<c>--name value</c>) and switches.</summary>
internal sealed class Arguments
{
    private readonly Dictionary<string, string> _values = [];
    private readonly HashSet<string> _switches = [];

    private Arguments()
    {
    }

    public List<string> Words { get; } = [];

    /// <summary>Reads a command line.</summary>
    /// <param name="args">What the program was given.</param>
    /// <param name="values">The names of the options that take a value.</param>
    /// <param name="switches">The names of those that take none.</param>
    /// <exception cref="ArgumentException">An option is not known, or lacks its value.</exception>
    public static Arguments Parse(string[] args, string[] values, string[] switches)
    {
        Arguments result = new();
        for (int i = 0; i < args.Length; i++)
        {
            if (!args[i].StartsWith("--", StringComparison.Ordinal))
            {
                result.Words.Add(args[i]);
            }
            else if (switches.Contains(args[i]))
            {
                result._switches.Add(args[i]);
            }
            else if (values.Contains(args[i]) && i + 1 < args.Length)
            {
                result._values[args[i]] = args[++i];
            }
            else
            {
                throw new ArgumentException($"{args[i]} is not known or lacks its value.");
            }
        }

        return result;
    }

    public bool Has(string name) => _switches.Contains(name) || _values.ContainsKey(name);

    public string Text(string name, string otherwise) => _values.GetValueOrDefault(name, otherwise);

    public int Number(string name, int otherwise) => !_values.TryGetValue(name, out string? text) ? otherwise : ParseNumber(name, text);

    /// <summary>Numbers and ranges of them: <c>1,16</c> or <c>0-7,12</c>.</summary>
    /// <exception cref="ArgumentException">It is something else, or a range has its ends the wrong way round.</exception>
    public int[] Numbers(string name, int[] otherwise) =>
        !_values.TryGetValue(name, out string? text) ? otherwise : [.. text.Split(',').SelectMany(one => ParseRange(name, one))];

    public string[] Texts(string name, string[] otherwise) => !_values.TryGetValue(name, out string? text) ? otherwise : text.Split(',');

    private static IEnumerable<int> ParseRange(string name, string text)
    {
        int dash = text.IndexOf('-', StringComparison.Ordinal);
        if (dash < 0)
        {
            return [ParseNumber(name, text)];
        }

        (int first, int last) = (ParseNumber(name, text[..dash]), ParseNumber(name, text[(dash + 1)..]));
        return last >= first
            ? Enumerable.Range(first, last - first + 1)
            : throw new ArgumentException($"{name}: '{text}' ends before it begins.");
    }

    private static int ParseNumber(string name, string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            ? number
            : throw new ArgumentException($"{name}: '{text}' is not a number.");
}
