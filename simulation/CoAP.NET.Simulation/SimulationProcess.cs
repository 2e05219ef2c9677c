using System.Diagnostics;

namespace CoAP.NET.Simulation;

/// <summary>Starts this program again. Tests use it too, so the process that asks may be another program.</summary>
internal static class SimulationProcess
{
    /// <summary>Says how it is started, with its standard output redirected.</summary>
    /// <param name="arguments">Its arguments.</param>
    public static ProcessStartInfo StartInfo(IEnumerable<string> arguments) =>
        new("dotnet", [typeof(SimulationProcess).Assembly.Location, .. arguments]) { RedirectStandardOutput = true };

    /// <summary>Starts it, with its standard input redirected too.</summary>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="processor">The processor that it is kept on; null for any.</param>
    public static Process Start(IEnumerable<string> arguments, int? processor = null)
    {
        ProcessStartInfo start = StartInfo(arguments);
        start.RedirectStandardInput = true;
        return processor is { } one ? Processor.Start(one, start) : Process.Start(start)!;
    }
}
