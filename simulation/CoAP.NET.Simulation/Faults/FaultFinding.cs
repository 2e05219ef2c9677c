namespace CoAP.NET.Simulation.Faults;

/// <summary>Something was not as it has to be after a fault.</summary>
internal sealed class FaultFinding(string message) : Exception(message);
