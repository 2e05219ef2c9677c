using System.Diagnostics;

namespace CoAP.NET.Footprint.Processes;

/// <summary>
/// A row that this program measures in a process of its own, by starting itself: heap, pools, threads and compiled code of a row are
/// nobody else's.
/// </summary>
internal static class RowProcess
{
    /// <summary>
    /// The switch by which such a process prints the lines of its row only, and ends when nobody holds its input any more.
    /// </summary>
    public const string Switch = "--row-process";

    private const string LineStart = "|";

    /// <summary>Measures a row and adds its lines to the table; what was wrong is said on the error stream by the process.</summary>
    /// <param name="row">Its name.</param>
    /// <param name="sizes">How much is measured.</param>
    /// <param name="table">Gets the lines of the row, and a fault when the process did not end well.</param>
    public static void Run(string row, Sizes sizes, FigureTable table)
    {
        using Process process = OwnProcess.Start([row, Switch, .. Switches(sizes)]);
        while (process.StandardOutput.ReadLine() is { } line)
        {
            if (line.StartsWith(LineStart, StringComparison.Ordinal))
            {
                table.Append(line);
            }
            else
            {
                Console.WriteLine(line);
            }
        }

        process.WaitForExit();
        if (process.ExitCode != 0)
        {
            table.AddFault($"{row}: its process ended with exit code {process.ExitCode}");
        }
    }

    /// <summary>Has this process end when the one that started it does.</summary>
    public static void EndWithParent() =>
        new Thread(() =>
        {
            Console.In.ReadToEnd();
            Environment.Exit(1);
        })
        { IsBackground = true }.Start();

    private static IEnumerable<string> Switches(Sizes sizes)
    {
        if (sizes.IsSelfCheck)
        {
            yield return "--self-check";
        }

        if (sizes.IsLarge)
        {
            yield return "--large";
        }

        if (sizes.Shards is { } shards)
        {
            yield return "--shards";
            yield return string.Join(',', shards);
        }

        if (sizes.Seconds is { } seconds)
        {
            yield return "--seconds";
            yield return seconds.ToString();
        }
    }
}
