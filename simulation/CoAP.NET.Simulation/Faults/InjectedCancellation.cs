namespace CoAP.NET.Simulation.Faults;

/// <summary>A cancellation that nobody asked for, as of a token of the user's own.</summary>
internal sealed class InjectedCancellation(string place, int number, CancellationToken token)
    : OperationCanceledException($"Injected cancellation {number} at {place}.", token), IInjected
{
    public int Number => number;
}
