using System.Runtime.CompilerServices;

namespace CoAP.NET.Simulation;

/// <summary>Numbers and dates are written and read alike on every machine.</summary>
internal static class InvariantText
{
    [ModuleInitializer]
    internal static void Set() => CultureInfo.DefaultThreadCurrentCulture = CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
}
