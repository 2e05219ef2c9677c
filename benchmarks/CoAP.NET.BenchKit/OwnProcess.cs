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
        ProcessStartInfo info = StartInfo(arguments);
        foreach ((string name, string value) in variables)
        {
            info.Environment[name] = value;
        }

        return Process.Start(info)!;
    }

    /// <summary>Says how it is started, with its input and output in the hands of this process.</summary>
    /// <param name="arguments">Its command line.</param>
    public static ProcessStartInfo StartInfo(IEnumerable<string> arguments)
    {
        string program = Environment.ProcessPath!;
        string[] all = Path.GetFileNameWithoutExtension(program) == "dotnet"
            ? [Assembly.GetEntryAssembly()!.Location, .. arguments]
            : [.. arguments];
        return new ProcessStartInfo(program, all) { RedirectStandardInput = true, RedirectStandardOutput = true };
    }
}
