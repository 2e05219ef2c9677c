using System.CommandLine;

namespace CoAP.NET.Cli;

/// <summary>Rows in two columns: names, and wrapped descriptions.</summary>
internal sealed class HelpTable
{
    private const int Indent = 2;
    private readonly int _column;
    private readonly int _width;

    public HelpTable(IEnumerable<Option> all, int width)
        : this(all.Select(NamesOf), width)
    {
    }

    public HelpTable(IEnumerable<string> names, int width)
    {
        _width = width;
        _column = Math.Min(Indent + names.Select(static name => name.Length).DefaultIfEmpty(0).Max() + 2, width / 2);
    }

    public void Write(TextWriter output, IEnumerable<Option> options) =>
        Write(output, options.Select(static option => (NamesOf(option), option.Description ?? "")));

    public void Write(TextWriter output, IEnumerable<(string Names, string Description)> rows)
    {
        foreach ((string names, string description) in rows)
        {
            string line = new string(' ', Indent) + names;
            foreach (string words in Wrap(description, _width - _column))
            {
                if (line.Length > _column - 2 && words.Length > 0)
                {
                    output.Write($"{line}\n");
                    line = "";
                }

                output.Write($"{line.PadRight(_column)}{words}\n");
                line = "";
            }
        }
    }

    /// <summary>Returns the names of an option, short ones first, and its value.</summary>
    public static string NamesOf(Option option)
    {
        string names = string.Join(", ",
            option.Aliases.Append(option.Name).OrderBy(static name => name.StartsWith("--", StringComparison.Ordinal)));
        return option.HelpName is { } value ? $"{names} <{value}>" : names;
    }

    private static IEnumerable<string> Wrap(string text, int width)
    {
        string line = "";
        foreach (string word in text.Split(' '))
        {
            if (line.Length > 0 && line.Length + 1 + word.Length > width)
            {
                yield return line;
                line = word;
            }
            else
            {
                line = line.Length == 0 ? word : $"{line} {word}";
            }
        }

        yield return line;
    }
}
