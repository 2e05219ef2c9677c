namespace CoAP.NET.Simulation.Faults;

/// <summary>What user code throws where a fault is injected. The number tells it from all others.</summary>
internal sealed class InjectedFault(string place, int number) : Exception($"Injected fault {number} at {place}."), IInjected
{
    public int Number => number;
}
