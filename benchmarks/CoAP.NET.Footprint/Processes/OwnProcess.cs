using System.Diagnostics;
using System.Reflection;

namespace CoAP.NET.Footprint.Processes;

/// <summary>This program, started once more.</summary>
internal static class OwnProcess
{
    /// <summary>Starts it with its input and output in the hands of this process.</summary>
    /// <param name="arguments">Its command line.</param>
    public static Process Start(IEnumerable<string> arguments)
    {
        string program = Environment.ProcessPath!;
        string[] all = Path.GetFileNameWithoutExtension(program) == "dotnet"
            ? [Assembly.GetEntryAssembly()!.Location, .. arguments]
            : [.. arguments];
        return Process.Start(new ProcessStartInfo(program, all) { RedirectStandardInput = true, RedirectStandardOutput = true })!;
    }
}
