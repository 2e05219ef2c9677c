using System.CommandLine;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>Options in two columns: names, and wrapped descriptions.</summary>
internal sealed class HelpOptionTable
{
    private const int Indent = 2;
    private readonly int _column;
    private readonly int _width;

    public HelpOptionTable(IEnumerable<Option> all, int width)
    {
        _width = width;
        int names = all.Select(static option => NamesOf(option).Length).DefaultIfEmpty(0).Max();
        _column = Math.Min(Indent + names + 2, width / 2);
    }

    public void Write(TextWriter output, IEnumerable<Option> options)
    {
        foreach (Option option in options)
        {
            string line = new string(' ', Indent) + NamesOf(option);
            foreach (string words in Wrap(option.Description ?? "", _width - _column))
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

    private static string NamesOf(Option option)
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
