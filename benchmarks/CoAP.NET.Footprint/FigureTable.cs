using System.Globalization;
using System.Text;

namespace CoAP.NET.Footprint;

/// <summary>What was measured, as a Markdown table that is printed line by line, and what was wrong.</summary>
internal sealed class FigureTable
{
    private readonly StringBuilder _text = new();
    private readonly List<string> _faults = [];
    private string _row = "";

    public FigureTable()
    {
        Write("| row | figure | value | goal | |");
        Write("|---|---|---|---|---|");
    }

    public string Text => _text.ToString();

    public IReadOnlyList<string> Faults => _faults;

    /// <summary>From here on figures belong to this row.</summary>
    public void Begin(string row) => _row = row;

    /// <summary>A figure without a goal.</summary>
    public void Add(string figure, FormattableString value) => Write($"| {_row} | {figure} | {Invariant(value)} | | |");

    /// <summary>A figure with a goal.</summary>
    public void Add(string figure, FormattableString value, string goal, bool isMet) =>
        Write($"| {_row} | {figure} | {Invariant(value)} | {goal} | {(isMet ? "met" : "missed")} |");

    /// <summary>A figure with a goal that cannot be judged here.</summary>
    public void AddUnjudged(string figure, FormattableString value, string goal, string why) =>
        Write($"| {_row} | {figure} | {Invariant(value)} | {goal} | {why} |");

    /// <summary>Something must hold, whatever the machine: otherwise the program ends with exit code 1.</summary>
    public void Check(bool holds, FormattableString what)
    {
        if (!holds)
        {
            _faults.Add($"{_row}: {Invariant(what)}");
        }
    }

    private static string Invariant(FormattableString value) => value.ToString(CultureInfo.InvariantCulture);

    private void Write(string line)
    {
        _text.AppendLine(line);
        Console.WriteLine(line);
    }
}
