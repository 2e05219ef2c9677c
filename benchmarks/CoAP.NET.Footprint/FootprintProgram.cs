using CoAP.NET.Footprint.Rows;

namespace CoAP.NET.Footprint;

/// <summary>The command line: which rows are measured, and what becomes of the table.</summary>
internal static class FootprintProgram
{
    public static async Task<int> RunAsync(string[] args)
    {
        IRow[] rows =
        [
            new MemoryRow(), new PeersRow(), new AllocationRow(), new OscoreRow(), new DeduplicationRow(), new ScalingRow(),
            new ManyPeersRow(), new PausesRow(), new SecureSessionsRow(), new HalfOpenRow(), new ObserversRow(), new DirectoryRow(),
            new DirectoryRestartRow(),
        ];
        string usage = $"""
            usage: CoAP.NET.Footprint [ROW]... [OPTION]...   prints a table in Markdown
              exit code 1 when an answer was wrong or a figure cannot be
            {string.Join('\n', rows.Select(row => $"  {row.Name,-15} {row.About} (about {row.Seconds(new Sizes())} s)"))}
              (none)          all of them, in about {rows.Sum(row => row.Seconds(new Sizes()))} s
            options:
              --write FILE    writes the table, too; between the lines "<!-- begin footprint -->" and "<!-- end footprint -->" of a file that has them
              --seconds N     for how long each server process is under load (memory: 10, pauses: 60)
              --shards LIST   scaling: numbers of shards, 2 to 64 (2,4 ... up to the number of processors)
              --large         10,000,000 peers, too (needs some 10 GB)
              --count N       how many registrations directory and directory-restart have (1000000)
              --file FILE     directory-restart: keeps the file there, and starts from it when it is there already
              --self-check    everything in small, to see whether it works: the figures say nothing and are not judged
            Of several rows each is measured in a process of its own.
            """;
        if (args is ["--help" or "-h", ..])
        {
            Console.WriteLine(usage);
            return 0;
        }

        try
        {
            Arguments arguments = Arguments.Parse(
                args, ["--write", "--seconds", "--count", "--file", "--shards"], ["--large", "--self-check", RowProcess.Switch]);
            if (arguments.Words.FirstOrDefault(word => rows.All(row => row.Name != word)) is { } unknown)
            {
                throw new ArgumentException($"{unknown} is no row: {string.Join(", ", rows.Select(row => row.Name))}.");
            }

            Sizes sizes = new()
            {
                IsSelfCheck = arguments.Has("--self-check"),
                IsLarge = arguments.Has("--large"),
                Seconds = arguments.Has("--seconds") ? Math.Max(1, arguments.Number("--seconds", 0)) : null,
                Shards = arguments.Has("--shards") ? ScalingRow.Check(arguments.Numbers("--shards", [])) : null,
                Registrations = arguments.Has("--count") ? Math.Max(100, arguments.Number("--count", 0)) : null,
                File = arguments.Has("--file") ? arguments.Text("--file", "") : null,
            };
            IRow[] wanted = [.. rows.Where(row => arguments.Words.Count == 0 || arguments.Words.Contains(row.Name))];
            bool isRowProcess = arguments.Has(RowProcess.Switch);
            if (isRowProcess)
            {
                RowProcess.EndWithParent();
            }
            else if (!sizes.IsSelfCheck)
            {
                Console.Error.WriteLine($"about {wanted.Sum(row => row.Seconds(sizes))} s");
            }

            FigureTable table = new(isJudging: !sizes.IsSelfCheck);
            if (!isRowProcess)
            {
                table.Open();
            }

            if (wanted is [IRow only])
            {
                await only.RunAsync(table, sizes);
            }
            else
            {
                // A row must not inherit what another one leaves: a heap that is given back late, threads that end, compiled code.
                foreach (IRow row in wanted)
                {
                    RowProcess.Run(row.Name, sizes, table);
                }
            }

            if (arguments.Has("--write"))
            {
                WrittenText.Write(arguments.Text("--write", ""), "footprint", table.Text);
            }

            foreach (string fault in table.Faults)
            {
                Console.Error.WriteLine($"WRONG {fault}");
            }

            if (sizes.IsSelfCheck && !isRowProcess && table.Faults.Count == 0)
            {
                Console.WriteLine("all rows are right");
            }

            return table.Faults.Count == 0 ? 0 : 1;
        }
        catch (Exception exception) when (exception is ArgumentException or InvalidOperationException or CoAP.NET.CoapException)
        {
            Console.Error.WriteLine(exception.Message);
            return 2;
        }
    }
}

/// <summary>A part of the table that can be asked for by its name.</summary>
internal interface IRow
{
    string Name { get; }

    /// <summary>What it measures, for the usage.</summary>
    string About { get; }

    /// <summary>About how long it takes.</summary>
    int Seconds(Sizes sizes);

    Task RunAsync(FigureTable table, Sizes sizes);
}

/// <summary>How much is measured.</summary>
internal sealed record Sizes
{
    /// <summary>Whether everything is so small that it shows nothing but whether it works.</summary>
    public bool IsSelfCheck { get; init; }

    /// <summary>Whether ten million peers are asked for.</summary>
    public bool IsLarge { get; init; }

    /// <summary>How long the rows with processes run; null for their own times.</summary>
    public int? Seconds { get; init; }

    /// <summary>The numbers of shards of the row of scaling; null for 2, 4 ... up to the number of processors.</summary>
    public int[]? Shards { get; init; }

    /// <summary>How many registrations directories have; null for the normal size.</summary>
    public int? Registrations { get; init; }

    /// <summary>Where the file of a directory is kept; null for one that is deleted afterwards.</summary>
    public string? File { get; init; }

    /// <summary>The normal size, or the one of the self-check.</summary>
    public T Of<T>(T normal, T selfCheck) => IsSelfCheck ? selfCheck : normal;
}
