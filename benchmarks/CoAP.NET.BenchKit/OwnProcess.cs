using System.Diagnostics;
using System.Reflection;

namespace CoAP.NET.Bench;

/// <summary>This program, started once more.</summary>
internal static class OwnProcess
{
    /// <summary>Starts it with its input and output in the hands of this process.</summary>
    /// <param name="arguments">Its command line.</param>
    /// <param name="variables">Variables of its environment, beside those of this process.</param>
    public static Process Start(IEnumerable<string> arguments, params ReadOnlySpan<(string Name, string Value)> variables)
    {
        string program = Environment.ProcessPath!;
        string[] all = Path.GetFileNameWithoutExtension(program) == "dotnet"
            ? [Assembly.GetEntryAssembly()!.Location, .. arguments]
            : [.. arguments];
        ProcessStartInfo info = new(program, all) { RedirectStandardInput = true, RedirectStandardOutput = true };
        foreach ((string name, string value) in variables)
        {
            info.Environment[name] = value;
        }

        return Process.Start(info)!;
    }
}
