namespace CoAP.NET.Speed.Rows;

/// <summary>How many shards a server has in the rows of several shards, and which processors it and the load have.</summary>
internal sealed class ScalingPlan
{
    /// <summary>What is said of it on the command line.</summary>
    public static readonly string[] Values = ["--shards", "--server-processors", "--load-processors"];

    /// <summary>The switch by which each shard keeps to a processor of its own.</summary>
    public const string PinSwitch = "--pin-shards";

    // As CoapEndpointOptions.Transports.Shards allows.
    private const int MostShards = 64;

    private readonly int[] _server;

    private ScalingPlan(int[] shards, int[] server, int[] load, bool isPinning) =>
        (Shards, _server, Load, IsPinning) = (shards, server, load, isPinning);

    /// <summary>The numbers of shards, in their order.</summary>
    public int[] Shards { get; }

    /// <summary>The processors of the load; a loop on each.</summary>
    public int[] Load { get; }

    /// <summary>Whether each shard keeps to a processor of its own.</summary>
    public bool IsPinning { get; }

    /// <summary>Reads it.</summary>
    /// <param name="arguments">What the program was given.</param>
    /// <param name="available">The processors that there are.</param>
    /// <param name="isCheck">Whether there is a loop on every processor, so that a self-check has several of them.</param>
    /// <exception cref="ArgumentException">There is no such processor, or a server cannot have so many shards.</exception>
    public static ScalingPlan Parse(Arguments arguments, int[] available, bool isCheck)
    {
        int[] shards = arguments.Numbers("--shards", Steps(Math.Min(available.Length, MostShards)));
        if (shards.FirstOrDefault(one => one is < 1 or > MostShards, 1) is not 1 and int wrong)
        {
            throw new ArgumentException($"--shards: a server has 1 to {MostShards} shards, and not {wrong}.");
        }

        return new ScalingPlan(
            shards,
            Known("--server-processors", available),
            Known("--load-processors", isCheck ? available : available[(available.Length / 2)..]),
            arguments.Has(PinSwitch));

        int[] Known(string name, int[] otherwise)
        {
            int[] given = [.. arguments.Numbers(name, otherwise).Distinct()];
            return given.Except(available).FirstOrDefault(-1) is >= 0 and int unknown
                ? throw new ArgumentException(
                    $"{name}: this program cannot use processor {unknown}. It has {Text(available)}.")
                : given;
        }
    }

    /// <summary>The processors that a server with so many shards has: one for each shard, as far as there are.</summary>
    public int[] ServerOf(int shards) => _server[..Math.Min(shards, _server.Length)];

    /// <summary>What the figures with so many shards do not show, in a sentence; null when there is nothing to say.</summary>
    public string? NoteOf(int shards)
    {
        int[] server = ServerOf(shards);
        int shared = server.Intersect(Load).Count();
        List<string> notes = [];
        if (server.Length < shards)
        {
            notes.Add($"They share {server.Length} {(server.Length == 1 ? "processor" : "processors")}, so the rate does not show what "
                + "they do with one each.");
        }

        if (shared > 0)
        {
            notes.Add($"The load uses {shared} of the server's {server.Length}, so the rate is below what the server can do, and the ratio "
                + "does not show how it scales. Give the load other processors, or take a larger machine.");
        }

        return notes.Count == 0 ? null : $"{shards} {(shards == 1 ? "shard" : "shards")}: {string.Join(' ', notes)}";
    }

    /// <summary>Processors as they are written: <c>0-3,8</c>.</summary>
    public static string Text(int[] processors)
    {
        StringBuilder text = new();
        for (int i = 0; i < processors.Length; i++)
        {
            int first = i;
            while (i + 1 < processors.Length && processors[i + 1] == processors[i] + 1)
            {
                i++;
            }

            text.Append(text.Length == 0 ? "" : ",").Append(processors[first]);
            if (i > first)
            {
                text.Append('-').Append(processors[i]);
            }
        }

        return text.ToString();
    }

    // 1, 2, 4 ... and all.
    private static int[] Steps(int most) =>
        [.. Enumerable.Range(0, 31).Select(i => 1 << i).TakeWhile(step => step < most).Append(most)];
}
