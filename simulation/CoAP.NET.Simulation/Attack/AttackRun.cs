namespace CoAP.NET.Simulation.Attack;

/// <summary>A run of one row: how large it is, what is planted, and what was measured.</summary>
/// <param name="row">The row.</param>
/// <param name="isShort">Whether it is the small form, as in tests.</param>
/// <param name="seed">Where chance begins.</param>
/// <param name="plant">The planted defect; null for none.</param>
/// <param name="tell">Takes lines that tell how far it is.</param>
internal sealed class AttackRun(AttackRow row, bool isShort, ulong seed, string? plant, Action<string> tell)
{
    private const int DefaultSources = 250_000;

    private readonly List<AttackFigure> _figures = [];
    private readonly List<string> _appended = [];

    public AttackRow Row => row;

    public bool IsShort => isShort;

    public ulong Seed => seed;

    /// <summary>How many addresses are forged where it is about their number; null for the default.</summary>
    public long? Executions { get; init; }

    /// <summary>What was done, in a few words.</summary>
    public string Done { get; set; } = "";

    public IReadOnlyList<AttackFigure> Figures => _figures;

    /// <summary>Tables of its own, below the large one.</summary>
    public IReadOnlyList<string> Appended => _appended;

    /// <summary>What did not hold.</summary>
    public IEnumerable<string> Failures =>
        _figures.Where(figure => !figure.Holds).Select(figure => $"{row.Name}: {figure.What}; bound: {figure.Bound}");

    /// <summary>A size: the large one, or that of the small form.</summary>
    public int Size(int large, int small) => isShort ? small : large;

    /// <summary>How many addresses are forged: as many as was said, or that of the small form.</summary>
    public int Sources(int small) => isShort ? small : (int)Math.Clamp(Executions ?? DefaultSources, 10_000, 10_000_000);

    public bool IsPlanted(string name) => plant == name;

    public void Report(string line) => tell($"  {row.Name}: {line}");

    public void Append(string markdown) => _appended.Add(markdown);

    /// <summary>Something counted that has a most.</summary>
    public void AtMost(string what, double value, double bound, string unit = "") =>
        Note($"{what} {Text(value)}{unit}", $"<= {Text(bound)}{unit}", value <= bound);

    /// <summary>Something counted that has a least.</summary>
    public void AtLeast(string what, double value, double bound, string unit = "") =>
        Note($"{what} {Text(value)}{unit}", $">= {Text(bound)}{unit}", value >= bound);

    /// <summary>Something counted that must be one number.</summary>
    public void Exactly(string what, long value, long expected) => Note($"{what} {Text(value)}", Text(expected), value == expected);

    /// <summary>Something that must be so.</summary>
    public void Holds(string what, bool holds) => Note(what, holds ? "so" : "must be so", holds);

    /// <summary>Something that has no bound.</summary>
    public void Mention(string what) => Note(what, "-", true);

    public static string Text(double value) =>
        value.ToString(Math.Abs(value) >= 100 || value == Math.Truncate(value) ? "N0" : "0.##");

    private void Note(string what, string bound, bool holds)
    {
        _figures.Add(new AttackFigure(what, bound, holds));
        if (!holds)
        {
            Report($"{what}, which must be {bound}");
        }
    }
}

/// <summary>A row of the attack table.</summary>
/// <param name="Name">Its word on the command line.</param>
/// <param name="Attack">The attack.</param>
/// <param name="Rows">The rows of the checklist that it is about.</param>
/// <param name="RunAsync">Does it, measures, and holds what was measured against its bounds.</param>
internal sealed record AttackRow(string Name, string Attack, string Rows, Func<AttackRun, Task> RunAsync)
{
    /// <summary>Defects that can be planted, each of which must be found.</summary>
    public IReadOnlyList<string> Plants { get; init; } = [];
}

/// <summary>Something that was measured.</summary>
/// <param name="What">What, with its value.</param>
/// <param name="Bound">What it may be.</param>
/// <param name="Holds">Whether it is.</param>
internal sealed record AttackFigure(string What, string Bound, bool Holds);
