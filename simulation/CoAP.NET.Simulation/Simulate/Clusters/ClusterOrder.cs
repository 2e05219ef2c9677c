using System.Globalization;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>What a process of its own runs: seeds, each so much higher than the one before.</summary>
/// <param name="Seed">The first one; of a file of scenarios, which one comes first, from 0 on.</param>
/// <param name="Stride">How much higher the next one is.</param>
/// <param name="Seeds">How many.</param>
/// <param name="Steps">How many steps each has.</param>
/// <param name="IsVerbose">Whether it tells everything.</param>
/// <param name="Plant">The planted defect; empty for none.</param>
/// <param name="Kept">A file with the scenarios that are run in place of seeds; empty for none.</param>
internal sealed record ClusterOrder(ulong Seed, int Stride, int Seeds, int Steps, bool IsVerbose, string Plant = "", string Kept = "")
{
    public static ClusterOrder Parse(string[] words) => new(
        ulong.Parse(words[0], CultureInfo.InvariantCulture),
        int.Parse(words[1], CultureInfo.InvariantCulture),
        int.Parse(words[2], CultureInfo.InvariantCulture),
        int.Parse(words[3], CultureInfo.InvariantCulture),
        bool.Parse(words[4]),
        words[5],
        words[6]);

    /// <summary>What is left when some seeds have been run.</summary>
    /// <param name="count">How many.</param>
    public ClusterOrder After(int count) => this with { Seed = Seed + (ulong)(count * Stride), Seeds = Seeds - count };

    public IEnumerable<string> ToWords() => [
        Seed.ToString(CultureInfo.InvariantCulture),
        Stride.ToString(CultureInfo.InvariantCulture),
        Seeds.ToString(CultureInfo.InvariantCulture),
        Steps.ToString(CultureInfo.InvariantCulture),
        IsVerbose.ToString(),
        Plant,
        Kept,
    ];
}
