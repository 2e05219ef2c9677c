using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// Inputs that are kept in the repository: a text file for each target, an input on each line in hexadecimal digits or, in quotes, as text;
/// behind <c>#</c> stands what it is. They are the seeds of mutation, and the inputs that failed once.
/// </summary>
internal static class FuzzCorpus
{
    public static string Folder => Path.Combine(Repository.Root, "simulation", "CoAP.NET.Simulation", "Fuzz", "Corpus");

    /// <summary>The inputs of a target.</summary>
    public static IReadOnlyList<byte[]> Of(string target)
    {
        string path = Path.Combine(Folder, $"{target}.txt");
        return File.Exists(path) ? [.. File.ReadLines(path).Select(Parse).OfType<byte[]>()] : [];
    }

    /// <summary>Reads a line.</summary>
    /// <returns>The input; null for a line that has none.</returns>
    /// <exception cref="FormatException">It is neither hexadecimal digits nor text in quotes.</exception>
    public static byte[]? Parse(string line)
    {
        // Text may have a '#' of its own, so that its comment begins behind the last quote.
        if (line.StartsWith('"'))
        {
            return Encoding.UTF8.GetBytes(line[1..line.LastIndexOf('"')]);
        }

        int comment = line.IndexOf('#', StringComparison.Ordinal);
        string hex = (comment < 0 ? line : line[..comment]).Replace(" ", "");
        return hex.Length == 0 ? null : hex == "-" ? [] : Convert.FromHexString(hex);
    }
}
