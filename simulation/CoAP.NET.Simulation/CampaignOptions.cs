namespace CoAP.NET.Simulation;

/// <summary>How long a campaign runs, and from which seed. What is not said is null: each campaign has its own short default.</summary>
internal sealed record CampaignOptions
{
    /// <summary>The names of the options that take a value.</summary>
    public static readonly string[] Values = ["--seed", "--seeds", "--budget", "--executions", "--only", "--plant", "--write"];

    /// <summary>The names of those that take none.</summary>
    public static readonly string[] Switches = ["--verbose"];

    /// <summary>Where chance begins: the first seed.</summary>
    public ulong Seed { get; init; } = 1;

    /// <summary>How many seeds, one after the other, beginning with <see cref="Seed"/>.</summary>
    public int? Seeds { get; init; }

    /// <summary>How long it may take, by the clock on the wall.</summary>
    public TimeSpan? Budget { get; init; }

    /// <summary>How many inputs are tried.</summary>
    public long? Executions { get; init; }

    /// <summary>The one case, target or row that is run.</summary>
    public string? Only { get; init; }

    /// <summary>The defect that is planted, to see that it is found.</summary>
    public string? Plant { get; init; }

    /// <summary>Whether everything is told, such as the trace of a run.</summary>
    public bool Verbose { get; init; }

    /// <summary>The file that the report is written to, besides the output.</summary>
    public string? Write { get; init; }

    /// <summary>Reads a command line.</summary>
    /// <param name="args">What follows the campaign's name.</param>
    /// <returns>What it says.</returns>
    /// <exception cref="ArgumentException">An option is not known, lacks its value, or its value cannot be read.</exception>
    public static CampaignOptions Parse(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, Values, Switches);
        if (arguments.Words is [string word, ..])
        {
            throw new ArgumentException($"'{word}' is not known.");
        }

        return new CampaignOptions
        {
            Seed = Number(arguments, "--seed") is { } seed ? (ulong)seed : 1,
            Seeds = Number(arguments, "--seeds") is { } seeds ? checked((int)seeds) : null,
            Executions = Number(arguments, "--executions"),
            Budget = arguments.Has("--budget") ? ParseTime(arguments.Text("--budget", "")) : null,
            Only = arguments.Has("--only") ? arguments.Text("--only", "") : null,
            Plant = arguments.Has("--plant") ? arguments.Text("--plant", "") : null,
            Verbose = arguments.Has("--verbose"),
            Write = arguments.Has("--write") ? arguments.Text("--write", "") : null,
        };
    }

    private static long? Number(Arguments arguments, string name)
    {
        if (!arguments.Has(name))
        {
            return null;
        }

        string text = arguments.Text(name, "");
        return long.TryParse(text, NumberStyles.AllowThousands, CultureInfo.InvariantCulture, out long number)
            ? number
            : throw new ArgumentException($"{name}: '{text}' is not a number.");
    }

    private static TimeSpan ParseTime(string text)
    {
        double unit = text.Length == 0 ? 0 : text[^1] switch { 's' => 1, 'm' => 60, 'h' => 3600, _ => 0 };
        return unit > 0
            && double.TryParse(text.AsSpan(0, text.Length - 1), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture,
                out double count)
            ? TimeSpan.FromSeconds(count * unit)
            : throw new ArgumentException($"--budget: '{text}' is not a time; write 90s, 5m or 2h.");
    }
}
