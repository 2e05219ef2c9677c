using System.CommandLine;
using System.ComponentModel;
using System.Diagnostics;

namespace CoAP.NET.Load.CommandLine;

/// <summary>Keeps this program on one processor.</summary>
internal static class ProcessorPin
{
    public static Option<int?> NewOption() => new("--processor") { Description = "Keeps this program on one processor.", HelpName = "N" };

    /// <summary>Sets the affinity. Call it first: threads that start later inherit it.</summary>
    /// <returns>The reason of a failure; null for success.</returns>
    public static string? FaultOf(int processor)
    {
        string fault = $"The system cannot keep this program on processor {processor}.";
        if (processor is < 0 or > 63 || processor >= nint.Size * 8 || !(OperatingSystem.IsLinux() || OperatingSystem.IsWindows()))
        {
            return fault;
        }

        try
        {
            using Process self = Process.GetCurrentProcess();
            self.ProcessorAffinity = (nint)(1L << processor);
            return null;
        }
        catch (Win32Exception)
        {
            return fault;
        }
    }
}
