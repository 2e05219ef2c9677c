using System.Text;

namespace CoAP.NET.Survival.Nodes;

/// <summary>
/// Which unsafe requests a process ran, one line for each, in a file that is complete up to the moment in which the process is killed.
/// </summary>
/// <param name="path">The file.</param>
internal sealed class RunLog(string path) : IDisposable
{
    private readonly FileStream _file = new(path, FileMode.Append, FileAccess.Write, FileShare.Read, bufferSize: 0);
    private readonly Lock _gate = new();

    /// <summary>Counts requests in the files of a folder that ran more than once.</summary>
    /// <param name="folder">The folder.</param>
    public static int CountTwice(string folder)
    {
        HashSet<string> seen = [];
        return Directory.EnumerateFiles(folder, "*.ran").SelectMany(File.ReadLines).Count(line => !seen.Add(line));
    }

    /// <summary>How many requests a process has run.</summary>
    /// <param name="path">Its file.</param>
    public static int Count(string path) => File.ReadLines(path).Count();

    /// <summary>Counts requests that a process ran after others had been there, and that others ran too.</summary>
    /// <param name="path">Its file, beside those of the others.</param>
    /// <param name="before">How many it ran before.</param>
    public static int CountAgain(string path, int before)
    {
        string folder = Path.GetDirectoryName(path)!;
        HashSet<string> others = [.. Directory.EnumerateFiles(folder, "*.ran").Where(one => one != path).SelectMany(File.ReadLines)];
        return File.ReadLines(path).Skip(before).Count(others.Contains);
    }

    /// <summary>Notes that a request is run.</summary>
    /// <param name="request">Which one: unique among all that are sent.</param>
    public void Add(string request)
    {
        byte[] line = Encoding.UTF8.GetBytes(request + "\n");
        lock (_gate)
        {
            _file.Write(line);
        }
    }

    public void Dispose() => _file.Dispose();
}
