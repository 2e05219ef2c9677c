namespace CoAP.NET.Simulation.Fuzz;

/// <summary>An oracle fired.</summary>
/// <param name="oracle">Its name, which stays the same while an input is shrunk.</param>
/// <param name="message">What was seen.</param>
internal sealed class FuzzFailureException(string oracle, string message) : Exception(message)
{
    public string Oracle { get; } = oracle;
}
