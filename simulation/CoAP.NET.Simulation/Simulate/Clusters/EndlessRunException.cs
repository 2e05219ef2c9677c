namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>A run that would never end.</summary>
/// <param name="message">What goes on in it.</param>
internal sealed class EndlessRunException(string message) : Exception(message);
