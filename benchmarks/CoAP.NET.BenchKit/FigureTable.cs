using System.Globalization;
using System.Text;

namespace CoAP.NET.Bench;

/// <summary>What was measured, as a Markdown table that is printed line by line, and what was wrong.</summary>
/// <param name="isJudging">
/// Whether figures are judged. In a self-check they are not: it measures so little that the noise of a process is larger than what is
/// measured.
/// </param>
internal sealed class FigureTable(bool isJudging)
{
    private readonly StringBuilder _text = new();
    private readonly List<string> _faults = [];
    private string _row = "";

    public string Text => _text.ToString();

    public IReadOnlyList<string> Faults => _faults;

    /// <summary>Writes the head of the table.</summary>
    public void Open()
    {
        Write("| row | figure | value | goal | |");
        Write("|---|---|---|---|---|");
    }

    /// <summary>Writes a line that another table has made.</summary>
    public void Append(string line) => Write(line);

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

    /// <summary>
    /// Something must hold, whatever the machine and however little is measured: otherwise the program ends with exit code 1.
    /// </summary>
    public void Check(bool holds, FormattableString what)
    {
        if (!holds)
        {
            AddFault($"{_row}: {Invariant(what)}");
        }
    }

    /// <summary>
    /// A figure of memory, of a rate or of loss must be possible: otherwise the program ends with exit code 1. Not judged in a self-check.
    /// </summary>
    public void CheckFigure(bool holds, FormattableString what) => Check(holds || !isJudging, what);

    /// <summary>Something was wrong, said in full.</summary>
    public void AddFault(string what) => _faults.Add(what);

    private static string Invariant(FormattableString value) => value.ToString(CultureInfo.InvariantCulture);

    private void Write(string line)
    {
        _text.AppendLine(line);
        Console.WriteLine(line);
    }
}
